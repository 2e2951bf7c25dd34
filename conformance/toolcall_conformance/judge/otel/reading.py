"""Reads GenAI messages as readings, so that the rules for calls, results and texts hold for them, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Media, Reading, Reasoning, Result, Text, Turn, Value
from toolcall_conformance.basics.reading.arguments import read_arguments

_SYSTEM_ROLES = ("system", "developer")
_SERVER_PARTS = {"server_tool_call": "call", "server_tool_call_response": "response"}


@dataclass(frozen=True, slots=True)
class Step:
    """A part about a step that the provider ran itself. ``is_answer``: it is the response to a call.

    ``is_server_step``: it is recorded as a step of the server, not as a client's call.
    """

    pointer: str
    id: str | None
    is_answer: bool
    is_server_step: bool = True


@dataclass(slots=True)
class Messages:
    """A list of messages, read: its ``reading``, and what is compared in addition.

    ``roles`` are triples of pointer, role and part types; ``text_arguments`` are pointers of arguments that are text.
    """

    reading: Reading
    steps: list[Step] = field(default_factory=list)
    thoughts: list[Reasoning] = field(default_factory=list)
    roles: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)
    text_arguments: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Facts from the source: names of tools that take free text, and ids (``hosted``) of the provider's steps.

    ``names_in_namespaces`` are the names of tools in a namespace, by :func:`plain_name` of both names together.
    """

    free: Collection[str] = ()
    hosted: Collection[str] = ()
    names_in_namespaces: Mapping[str, str] = field(default_factory=dict)


def plain_name(name: str) -> str:
    """A name without its case convention: ``googleSearch`` and ``google_search`` are equal."""
    return name.replace("_", "").lower()


def read_input(format_name: str, output: dict[str, Any], facts: SourceFacts) -> Messages:
    """The reading of the input messages and the system instructions."""
    messages = Messages(Reading(format_name, "request", body=output))
    for place, part in enumerate(output.get("system_instructions") or []):
        text = _read_text(part, join("/system_instructions", place))
        if text is not None:
            messages.reading.system.append(text)
    _Reader(messages, facts).read("/input_messages", output.get("input_messages") or [])
    return messages


def read_reply(format_name: str, output: dict[str, Any], facts: SourceFacts, choices: int) -> Messages:
    """The reading of the reply's first choice: its message, or all messages if there is only one choice."""
    reply_messages = Messages(Reading(format_name, "response", body=output))
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
            self._read_message(join(pointer, place), message)
        turns = self._found.reading.turns
        turns[:] = [turn for turn in turns if turn.items]

    def _read_message(self, pointer: str, message: dict[str, Any]) -> None:
        role, parts = message["role"], message["parts"]
        kinds = frozenset(part["type"] for part in parts)
        self._found.roles.append((pointer, role, kinds))
        calls = "tool_call" in kinds or "server_tool_call" in kinds or self._found.reading.direction == "response"
        side = "system" if role in _SYSTEM_ROLES else "assistant" if role in ("assistant", "model") or calls else "user"
        turns = self._found.reading.turns
        if side == "assistant" and not (turns and turns[-1].side == "assistant"):
            self._batch += 1
        items = [
            item for place, part in enumerate(parts) for item in self._read_part(part, join(pointer, "parts", place))
        ]
        if side == "system" and not turns:
            self._found.reading.system += [item for item in items if isinstance(item, Text)]
        elif turns and turns[-1].side == side:
            turns[-1].items += items
        else:
            turns.append(Turn(side, pointer, [*items]))

    def _read_part(self, part: dict[str, Any], pointer: str) -> Iterator[Any]:
        kind, step_id = part["type"], part.get("id")
        if kind in _SERVER_PARTS or (
            kind in ("tool_call", "tool_call_response") and step_id and step_id in self._known.hosted
        ):
            self._found.steps.append(Step(pointer, step_id, kind.endswith("response"), kind in _SERVER_PARTS))
        elif kind == "tool_call":
            yield self._read_call(part, pointer)
        elif kind == "tool_call_response":
            yield self._read_result(part, pointer)
        elif kind == "reasoning":
            self._found.thoughts.append(Reasoning(part["content"], join(pointer, "content")))
        else:
            yield from read_part(part, pointer)
            if kind not in ("text", *_MEDIA_PARTS):
                self._found.steps.append(Step(pointer, step_id, is_answer=False))

    def _read_call(self, part: dict[str, Any], pointer: str) -> Call:
        # Two namespaces may have a tool of one name: a recorded name tells them apart.
        name = self._known.names_in_namespaces.get(plain_name(part["name"]), part["name"])
        arguments = part.get("arguments")
        free = name in self._known.free and isinstance(arguments, str)
        if isinstance(arguments, str) and arguments.strip() and not free:
            self._found.text_arguments.append(join(pointer, "arguments"))
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

    def _read_result(self, part: dict[str, Any], pointer: str) -> Result:
        call_id, content = part.get("id"), join(pointer, "response")
        call = self._answered_call(call_id)
        parts = tuple(_read_content(part.get("response"), content))
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

    def _answered_call(self, call_id: str | None) -> int | None:
        """The call that a result answers: by its id, in the latest batch first; without an id, the next open call."""
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


_MEDIA_PARTS = {"blob": "content", "uri": "uri", "file": "file_id"}


def _read_text(part: Any, pointer: str) -> Text | None:
    content = part.get("content") if isinstance(part, dict) else None
    return Text(content, join(pointer, "content")) if isinstance(content, str) and content.strip() else None


def read_part(part: dict[str, Any], pointer: str) -> Iterator[Text | Media]:
    """A text or a medium; nothing for any other part, and for blank text."""
    kind = part["type"]
    if kind == "text":
        text = _read_text(part, pointer)
        if text is not None:
            yield text
    elif kind in _MEDIA_PARTS:
        where, content = join(pointer, _MEDIA_PARTS[kind]), part[_MEDIA_PARTS[kind]]
        key = {"blob": "data", "uri": "url", "file": "file_id"}[kind]
        if key == "url" and content.startswith("data:"):
            key, content = "data", content.partition(",")[2]
        yield Media(part["modality"], part.get("mime_type"), where, **{key: content})


def _read_content(response: Any, pointer: str) -> Iterator[Any]:
    """The parts of a tool's response: text, an object, or parts; a provider's own blocks have theirs under ``text``.

    Media may be there in any form, since a response is any JSON: they are not compared.
    """
    if isinstance(response, str):
        if response.strip():
            yield Text(response, pointer)
    elif isinstance(response, list):
        for place, entry in enumerate(response):
            yield from _read_entry(entry, join(pointer, place))
    elif response is not None:
        yield Value(response, pointer)


def _read_entry(entry: Any, pointer: str) -> Iterator[Any]:
    if isinstance(entry, dict) and isinstance(entry.get("text"), str):
        yield Text(entry["text"], join(pointer, "text"))
    elif isinstance(entry, dict) and entry.get("type") == "text":
        yield from read_part(entry, pointer)
    elif not isinstance(entry, dict) or "type" not in entry:
        yield Value(entry, pointer)
