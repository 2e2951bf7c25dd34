"""The state machine of a stream: before ``response.created``, in the reply, ended, failed, stopped.

===========  ====================  ====================  =====================  ================  =====================
in           ``response.created``  other events          completed, incomplete  failed, error     ``[DONE]``
===========  ====================  ====================  =====================  ================  =====================
``BEFORE``   ``OPEN``              ``OPEN``: too early   ``ENDED``: too early   ``FAILED``        ``STOPPED``
``OPEN``     ``OPEN``              ``OPEN``              ``ENDED``              ``FAILED``        ``STOPPED``
``ENDED``    after the end         after the end         after the end          after the end     ``ENDED``
``FAILED``   after the end         after the end         after the end          ``FAILED``        ``FAILED``
``STOPPED``  after the end         after the end         after the end          after the end     ``STOPPED``
===========  ====================  ====================  =====================  ================  =====================

The API has no ``[DONE]``, but the SDK stops reading at one. Where a stream breaks a rule, reading goes on as the
official SDK's accumulator does; where that raises, as clients do that only put fragments together.
https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/responses/_responses.py
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

from toolcall_conformance.formats.openai_responses.stream import output as _output
from toolcall_conformance.formats.openai_responses.stream.events import BEGINNING, TERMINAL, UNDER_WAY
from toolcall_conformance.formats.openai_responses.stream.output import Output
from toolcall_conformance.jsonvalue import copied, join
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.reading.breach import Breach

RULES: tuple[str, ...] = (
    "openai_responses/stream-text",
    "openai_responses/stream-last-event",
    "openai_responses/stream-data",
    "openai_responses/stream-event-name",
    "openai_responses/stream-sequence",
    "openai_responses/stream-start",
    "openai_responses/stream-same-id",
    "openai_responses/stream-status",
    "openai_responses/stream-end",
    "openai_responses/stream-after-end",
    "openai_responses/stream-done-marker",
    *_output.RULES,
)
"""The rules that a stream may be found to break here; shapes of single events are the schema's."""


class State(Enum):
    BEFORE = "before"
    OPEN = "open"
    ENDED = "ended"
    FAILED = "failed"
    STOPPED = "stopped"


def assemble(stream: Any) -> Assembled:
    """Put a stream together; ``streaming.parse`` makes one of bytes. Never raises."""
    return _Machine().run(stream)


class _Machine:
    def __init__(self) -> None:
        self._state = State.BEFORE
        self._breaches: list[tuple[str, Breach]] = []
        self._told: set[str] = set()
        self._response: dict[str, Any] | None = None
        self._output = Output(self._complain_of)
        self._final: dict[str, Any] | None = None
        self._error: Any = None
        self._sequence: int | None = None

    def run(self, stream: Any) -> Assembled:
        events = stream.get("events") if isinstance(stream, dict) else None
        for number, event in enumerate(events if isinstance(events, list) else []):
            if isinstance(event, dict):
                self._event(event, join("/events", number))
        if isinstance(stream, dict):
            self._framing(stream)
        if self._state in (State.BEFORE, State.OPEN, State.STOPPED):
            self._complain("stream-end", Breach("/events" if isinstance(events, list) else ""))
        return Assembled(
            body=self._body(),
            end=self._how_it_ended(),
            calls=self._output.calls(self._state is State.ENDED),
            error=self._error,
            breaches=tuple(self._breaches),
        )

    def _event(self, event: dict[str, Any], pointer: str) -> None:
        data = event.get("data")
        place = join(pointer, "data") if "data" in event else pointer
        if isinstance(data, str) and data.startswith("[DONE]"):
            self._once("stream-done-marker", Breach(place))
            if self._state in (State.BEFORE, State.OPEN):
                self._state = State.STOPPED
            return
        if not isinstance(data, dict):
            self._complain("stream-data", Breach(place))
            return
        kind = data["type"] if isinstance(data.get("type"), str) else ""
        if event.get("event") != kind:
            where = join(pointer, "event") if "event" in event else pointer
            self._once("stream-event-name", Breach(where, want=kind, got=event.get("event", "")))
        self._number(data, place)
        # An error of another form says so by its key alone, and SDKs raise at it.
        failing = kind == "error" or (bool(data.get("error")) and not kind.startswith("response."))
        if self._state in (State.ENDED, State.FAILED, State.STOPPED):
            self._after_the_end(kind, failing, data, place)
        elif failing:
            self._state = State.FAILED
            self._take_error(data)
        elif kind in TERMINAL:
            self._terminal(kind, data, place)
        elif kind in UNDER_WAY:
            self._under_way(kind, data, place)
        elif kind.startswith("response."):  # anything else is a keep-alive, or something new
            self._begun(place)
            self._output.take(kind, data, place)

    def _number(self, data: dict[str, Any], pointer: str) -> None:
        number = data.get("sequence_number")
        if not isinstance(number, int) or isinstance(number, bool):
            self._once("stream-sequence", Breach(pointer, "the event has no sequence_number"))
            return
        if self._sequence is not None and number <= self._sequence:
            message = f"the number {number} comes after {self._sequence}"
            self._once("stream-sequence", Breach(join(pointer, "sequence_number"), message, got=number))
        self._sequence = number

    def _after_the_end(self, kind: str, failing: bool, data: dict[str, Any], pointer: str) -> None:
        if self._state is State.FAILED and (failing or kind == "response.failed"):
            # An error event and response.failed may both tell of one failure.
            self._take_error(data)
        elif failing or kind.startswith("response."):
            self._once("stream-after-end", Breach(pointer))

    def _take_error(self, data: dict[str, Any]) -> None:
        if isinstance(data.get("response"), dict):
            said = data["response"].get("error")
        elif data.get("error"):
            said = data["error"]
        else:
            said = {key: value for key, value in data.items() if key not in ("type", "sequence_number")}
        if self._error is None and said is not None:
            self._error = {"error": said}

    def _under_way(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        if kind != BEGINNING:
            self._begun(pointer)
        self._state = State.OPEN
        response = data.get("response")
        if not isinstance(response, dict):
            return
        place = join(pointer, "response")
        self._same_response(response, place)
        if response.get("status") in ("completed", "failed", "incomplete", "cancelled"):
            self._once("stream-status", Breach(join(place, "status"), want="in_progress", got=response["status"]))
        if self._response is None:
            self._response = copied(response)

    def _begun(self, pointer: str) -> None:
        """The official SDK raises at any event before response.created."""
        if self._state is State.BEFORE:
            self._once("stream-start", Breach(pointer))
            self._state = State.OPEN

    def _same_response(self, response: dict[str, Any], pointer: str) -> None:
        known = self._response.get("id") if self._response is not None else None
        if known is not None and response.get("id") != known:
            where = join(pointer, "id") if "id" in response else pointer
            self._once("stream-same-id", Breach(where, want=known, got=response.get("id", "")))

    def _terminal(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        self._begun(pointer)
        self._state = State.FAILED if kind == "response.failed" else State.ENDED
        response = data.get("response")
        if self._state is State.FAILED:
            self._take_error(data)
        if not isinstance(response, dict):
            self._output.close(None, pointer)
            return
        place = join(pointer, "response")
        self._same_response(response, place)
        self._final = copied(response)
        if response.get("status") != TERMINAL[kind]:
            where = join(place, "status") if "status" in response else place
            self._once("stream-status", Breach(where, want=TERMINAL[kind], got=response.get("status", "")))
        if self._state is State.ENDED:
            output = response.get("output")
            self._output.close(output if isinstance(output, list) else None, place)
        if kind == "response.completed":
            self._output.check_arguments()

    def _framing(self, stream: dict[str, Any]) -> None:
        if stream.get("broken"):
            self._complain("stream-text", Breach("/broken", str(stream["broken"])))
        rest = stream.get("rest")
        if isinstance(rest, str) and any(line and not line.startswith(":") for line in rest.split("\n")):
            self._complain("stream-last-event", Breach("/rest", got=rest))

    def _body(self) -> dict[str, Any] | None:
        """The reply that the stream ended with, else the one that it began with and what has come of its items."""
        streamed = self._output.streamed
        if self._final is not None:
            # Some servers leave the output out here, or empty; what was streamed is the reply all the same.
            return self._final if self._final.get("output") else self._final | {"output": streamed}
        if self._response is None and not streamed:
            return None
        return (self._response or {"object": "response"}) | {"output": streamed}

    def _how_it_ended(self) -> Literal["whole", "failed", "open"]:
        if self._state is State.FAILED:
            return "failed"
        return "whole" if self._state is State.ENDED else "open"

    def _once(self, slug: str, breach: Breach) -> None:
        """For what a translator does in every event, if it does it: told of the first."""
        if slug not in self._told:
            self._told.add(slug)
            self._complain(slug, breach)

    def _complain(self, slug: str, breach: Breach) -> None:
        self._complain_of(f"openai_responses/{slug}", breach)

    def _complain_of(self, rule_id: str, breach: Breach) -> None:
        self._breaches.append((rule_id, breach))
