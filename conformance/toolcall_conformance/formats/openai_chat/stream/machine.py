"""The state machine of a stream: before the first chunk, in the reply, after ``[DONE]``, after an error.

==========  =================  =====================  ==================
in          a chunk            ``[DONE]``             ``{"error": …}``
==========  =================  =====================  ==================
``BEFORE``  ``OPEN``           ``DONE``               ``FAILED``
``OPEN``    ``OPEN``           ``DONE``               ``FAILED``
``DONE``    after the end      said twice             after the end
``FAILED``  after the end      ``FAILED``             after the end
==========  =================  =====================  ==================

What comes after the end is not read: the official SDK breaks off at ``[DONE]`` and raises at an error
(https://github.com/openai/openai-python/blob/main/src/openai/_streaming.py). Where a stream breaks a rule, reading goes
on as the SDK's accumulator does; where that raises, or takes two calls for one, as clients do that are made for such
vendors, so that one fault is not found again as ten others.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

from toolcall_conformance.formats.openai_chat.stream import calls as _calls
from toolcall_conformance.formats.openai_chat.stream import choice as _choice
from toolcall_conformance.formats.openai_chat.stream.choice import Choice
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.reading.breach import Breach

RULES: tuple[str, ...] = (
    "openai_chat/stream-text",
    "openai_chat/stream-last-event",
    "openai_chat/stream-data",
    "openai_chat/stream-event-name",
    "openai_chat/stream-same-id",
    "openai_chat/stream-choice-index",
    "openai_chat/stream-usage-kept",
    "openai_chat/stream-finish",
    "openai_chat/stream-end",
    "openai_chat/stream-after-end",
    *_choice.RULES,
    *_calls.RULES,
)
"""The rules that a stream may be found to break here; shapes of single chunks are the schema's."""


class State(Enum):
    BEFORE = "before"
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


#: Keys of the reply that every chunk repeats; where chunks differ the last that says something is right.
_REPEATED = ("system_fingerprint", "service_tier", "usage")


def assemble(stream: Any) -> Assembled:
    """Put a stream together; ``streaming.parse`` makes one of bytes. Never raises."""
    return _Machine().run(stream)


class _Machine:
    def __init__(self) -> None:
        self._state = State.BEFORE
        self._breaches: list[tuple[str, Breach]] = []
        self._body: dict[str, Any] = {}
        self._choices: list[Choice] = []
        self._error: Any = None
        self._told: set[str] = set()

    def run(self, stream: Any) -> Assembled:
        events = stream.get("events") if isinstance(stream, dict) else None
        for number, event in enumerate(events if isinstance(events, list) else []):
            if isinstance(event, dict):
                self._event(event, join("/events", number))
        self._end(stream, "/events" if isinstance(events, list) else "")
        first = self._choices[0] if self._choices else None
        return Assembled(
            body=self._reply() if self._body else None,
            end=self._how_it_ended(),
            calls=tuple(first.calls()) if first is not None else (),
            error=self._error,
            breaches=tuple(self._breaches),
        )

    def _event(self, event: dict[str, Any], pointer: str) -> None:
        data = event.get("data")
        place = join(pointer, "data") if "data" in event else pointer
        if event.get("event"):
            self._once("stream-event-name", Breach(join(pointer, "event"), got=event["event"]))
        if isinstance(data, str) and data.startswith("[DONE]"):
            self._done(place)
        elif not isinstance(data, dict):
            self._complain("openai_chat/stream-data", Breach(place))
        elif self._state in (State.DONE, State.FAILED):
            self._once("stream-after-end", Breach(place))
        elif data.get("error"):
            self._state, self._error = State.FAILED, {"error": data["error"]}
        else:
            self._state = State.OPEN
            self._chunk(data, place)

    def _done(self, pointer: str) -> None:
        if self._state is State.DONE:
            self._once("stream-end", Breach(pointer, "[DONE] is said twice"))
        elif self._state is not State.FAILED:
            self._state = State.DONE

    def _chunk(self, chunk: dict[str, Any], pointer: str) -> None:
        self._identity(chunk, pointer)
        if self._body.get("usage") and not chunk.get("usage"):
            self._once("stream-usage-kept", Breach(pointer))
        for key in _REPEATED:
            if chunk.get(key) is not None:
                self._body[key] = chunk[key]
        entries = chunk.get("choices")
        for number, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, dict):
                place = join(pointer, "choices", number)
                self._choice(entry, place).take(entry, place)

    def _identity(self, chunk: dict[str, Any], pointer: str) -> None:
        """id, model and time of the reply. Azure's first chunk, which has no choices, leaves them empty."""
        self._body.setdefault("object", "chat.completion")
        for key in ("id", "created", "model"):
            if chunk.get(key) not in (None, "") and not self._body.get(key):
                self._body[key] = chunk[key]
        said = chunk.get("id")
        if said and said != self._body.get("id"):
            self._once("stream-same-id", Breach(join(pointer, "id"), want=self._body.get("id"), got=said))

    def _choice(self, entry: dict[str, Any], pointer: str) -> Choice:
        index = entry.get("index")
        known = next((choice for choice in self._choices if choice.index == index), None)
        if known is not None:
            return known
        number = len(self._choices)
        if not isinstance(index, int) or isinstance(index, bool):
            # The schema complains of it; there is mostly one choice only.
            if self._choices:
                return self._choices[0]
            index = 0
        elif index != number:
            breach = Breach(join(pointer, "index"), want=number, got=index)
            self._complain("openai_chat/stream-choice-index", breach)
        self._choices.append(Choice(index, self._complain))
        return self._choices[-1]

    def _end(self, stream: Any, pointer: str) -> None:
        if isinstance(stream, dict):
            self._framing(stream)
        for choice in self._choices:
            choice.check()
        if self._state is State.FAILED:
            return
        open_ones = [choice for choice in self._choices if choice.state is not _choice.State.FINISHED]
        for choice in open_ones:
            said = f"choice {choice.index} has no finish_reason"
            self._complain("openai_chat/stream-finish", Breach(pointer, said))
        if not self._choices:
            self._complain("openai_chat/stream-finish", Breach(pointer, "the stream has no choice"))
        if self._state is not State.DONE:
            self._complain("openai_chat/stream-end", Breach(pointer, "[DONE] is missing"))

    def _framing(self, stream: dict[str, Any]) -> None:
        if stream.get("broken"):
            self._complain("openai_chat/stream-text", Breach("/broken", str(stream["broken"])))
        rest = stream.get("rest")
        if isinstance(rest, str) and any(line and not line.startswith(":") for line in rest.split("\n")):
            self._complain("openai_chat/stream-last-event", Breach("/rest", got=rest))

    def _how_it_ended(self) -> Literal["whole", "failed", "open"]:
        if self._state is State.FAILED:
            return "failed"
        finished = [choice.state is _choice.State.FINISHED for choice in self._choices]
        return "whole" if finished and all(finished) else "open"

    def _reply(self) -> dict[str, Any]:
        return self._body | {"choices": [choice.body() for choice in sorted(self._choices, key=lambda one: one.index)]}

    def _once(self, slug: str, breach: Breach) -> None:
        """For what a translator does in every chunk, if it does it: told of the first."""
        if slug not in self._told:
            self._told.add(slug)
            self._complain(f"openai_chat/{slug}", breach)

    def _complain(self, rule_id: str, breach: Breach) -> None:
        self._breaches.append((rule_id, breach))
