"""GenAI messages as readings, so that the laws of calls, results and texts hold for them, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Media, Reading, Reasoning, Result, Text, Turn, Value
from toolcall_conformance.basics.reading.arguments import read_arguments

_SYSTEM = ("system", "developer")
_SERVER = {"server_tool_call": "call", "server_tool_call_response": "response"}


@dataclass(frozen=True, slots=True)
class Step:
    """A part about what the provider ran itself. ``is_answer``: it is what came of a call."""

    pointer: str
    id: str | None
    is_answer: bool
    known: bool = True


@dataclass(slots=True)
class Messages:
    """A list of messages, read: what is compared as a reading, and what is compared here."""

    reading: Reading
    steps: list[Step] = field(default_factory=list)
    thoughts: list[Reasoning] = field(default_factory=list)
    roles: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)
    spelt: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What the source tells of its calls: names of tools that take free text, and ids of what its provider ran."""

    free: Collection[str] = ()
    hosted: Collection[str] = ()


def read_input(name: str, output: dict[str, Any], facts: SourceFacts) -> Messages:
    """The reading of the input messages and the system instructions."""
    messages = Messages(Reading(name, "request", body=output))
    for place, part in enumerate(output.get("system_instructions") or []):
        text = _text(part, join("/system_instructions", place))
        if text is not None:
            messages.reading.system.append(text)
    _Reader(messages, facts).read("/input_messages", output.get("input_messages") or [])
    return messages


def read_reply(name: str, output: dict[str, Any], facts: SourceFacts, choices: int) -> Messages:
    """The reading of the first choice, as of every reply: of one message, and of all where there is but one choice."""
    reply_messages = Messages(Reading(name, "response", body=output))
    messages = output.get("output_messages") or []
    _Reader(reply_messages, facts).read("/output_messages", messages if choices == 1 else messages[:1])
    return reply_messages


class _Reader:
    """Reads messages one after the other."""

    def __init__(self, messages: Messages, facts: SourceFacts) -> None:
        self._found, self._known = messages, facts
        self._calls: list[Call] = []
        self._answered: set[int] = set()
        self._batch = -1

    def read(self, pointer: str, messages: Sequence[Any]) -> None:
        """Enter all messages."""
        for place, message in enumerate(messages):
            self._message(join(pointer, place), message)
        turns = self._found.reading.turns
        turns[:] = [turn for turn in turns if turn.items]

    def _message(self, pointer: str, message: dict[str, Any]) -> None:
        role, parts = message["role"], message["parts"]
        kinds = frozenset(part["type"] for part in parts)
        self._found.roles.append((pointer, role, kinds))
        calls = "tool_call" in kinds or "server_tool_call" in kinds or self._found.reading.direction == "response"
        side = "system" if role in _SYSTEM else "assistant" if role in ("assistant", "model") or calls else "user"
        turns = self._found.reading.turns
        if side == "assistant" and not (turns and turns[-1].side == "assistant"):
            self._batch += 1
        items = [item for place, part in enumerate(parts) for item in self._part(part, join(pointer, "parts", place))]
        if side == "system" and not turns:
            self._found.reading.system += [item for item in items if isinstance(item, Text)]
        elif turns and turns[-1].side == side:
            turns[-1].items += items
        else:
            turns.append(Turn(side, pointer, [*items]))

    def _part(self, part: dict[str, Any], pointer: str) -> Iterator[Any]:
        kind, step_id = part["type"], part.get("id")
        if kind in _SERVER or (
            kind in ("tool_call", "tool_call_response") and step_id and step_id in self._known.hosted
        ):
            self._found.steps.append(Step(pointer, step_id, kind.endswith("response"), kind in _SERVER))
        elif kind == "tool_call":
            yield self._call(part, pointer)
        elif kind == "tool_call_response":
            yield self._result(part, pointer)
        elif kind == "reasoning":
            self._found.thoughts.append(Reasoning(part["content"], join(pointer, "content")))
        else:
            yield from read_part(part, pointer)
            if kind not in ("text", *_MEDIA):
                self._found.steps.append(Step(pointer, step_id, is_answer=False))

    def _call(self, part: dict[str, Any], pointer: str) -> Call:
        name, arguments = part["name"], part.get("arguments")
        free = name in self._known.free and isinstance(arguments, str)
        if isinstance(arguments, str) and arguments.strip() and not free:
            self._found.spelt.append(join(pointer, "arguments"))
        call = Call(
            len(self._calls),
            self._batch,
            name,
            arguments if free else read_arguments(arguments),
            part.get("id"),
            pointer,
            join(pointer, "name"),
            join(pointer, "arguments") if "arguments" in part else None,
            join(pointer, "id") if part.get("id") else None,
            kind="custom" if free else "function",
        )
        self._calls.append(call)
        return call

    def _result(self, part: dict[str, Any], pointer: str) -> Result:
        call_id, content = part.get("id"), join(pointer, "response")
        call = self._answers(call_id)
        parts = tuple(_content(part.get("response"), content))
        return Result(
            call,
            call_id,
            None,
            parts,
            None,
            pointer,
            len(self._found.roles),
            content,
            join(pointer, "id") if call_id else None,
        )

    def _answers(self, call_id: str | None) -> int | None:
        """The call that a result answers: by its id, in the latest batch first; without one, the next open call."""
        latest = [call for call in self._calls if call.batch == self._batch]
        earlier = [call for call in reversed(self._calls) if call.batch != self._batch]
        same = [call for call in [*latest, *earlier] if call_id is None or call.id == call_id]
        if call_id is None:
            same = [call for call in latest if call.ordinal not in self._answered]
        waiting = [call for call in same if call.ordinal not in self._answered]
        call = next(iter(waiting or same), None)
        if call is not None:
            self._answered.add(call.ordinal)
        return None if call is None else call.ordinal


_MEDIA = {"blob": "content", "uri": "uri", "file": "file_id"}


def _text(part: Any, pointer: str) -> Text | None:
    content = part.get("content") if isinstance(part, dict) else None
    return Text(content, join(pointer, "content")) if isinstance(content, str) and content.strip() else None


def read_part(part: dict[str, Any], pointer: str) -> Iterator[Text | Media]:
    """A text or a medium; nothing for any other part, and for blank text."""
    kind = part["type"]
    if kind == "text":
        text = _text(part, pointer)
        if text is not None:
            yield text
    elif kind in _MEDIA:
        where, content = join(pointer, _MEDIA[kind]), part[_MEDIA[kind]]
        key = {"blob": "data", "uri": "url", "file": "file_id"}[kind]
        if key == "url" and content.startswith("data:"):
            key, content = "data", content.partition(",")[2]
        yield Media(part["modality"], part.get("mime_type"), where, **{key: content})


def _content(response: Any, pointer: str) -> Iterator[Any]:
    """What a tool returned: text, an object, or parts; a provider's own blocks say their text under another key.

    Media may stand there in any form, for a response is any JSON: they are not compared.
    """
    if isinstance(response, str):
        if response.strip():
            yield Text(response, pointer)
    elif isinstance(response, list):
        for place, entry in enumerate(response):
            yield from _entry(entry, join(pointer, place))
    elif response is not None:
        yield Value(response, pointer)


def _entry(entry: Any, pointer: str) -> Iterator[Any]:
    if isinstance(entry, dict) and isinstance(entry.get("text"), str):
        yield Text(entry["text"], join(pointer, "text"))
    elif isinstance(entry, dict) and entry.get("type") == "text":
        yield from read_part(entry, pointer)
    elif not isinstance(entry, dict) or "type" not in entry:
        yield Value(entry, pointer)
