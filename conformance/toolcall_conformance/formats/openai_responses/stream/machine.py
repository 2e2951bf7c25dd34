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

The API has no ``[DONE]``, but the SDK stops reading at one. After a breach the machine continues as the official
SDK's accumulator does; if that raises, as clients do that only join fragments.
https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/responses/_responses.py
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import deep_copy, join
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.formats.expected_values import OBJECT, intended_object, json_fault, object_of_type
from toolcall_conformance.formats.openai_responses.stream import output as _output
from toolcall_conformance.formats.openai_responses.stream.events import FIRST_EVENT, PROGRESS_EVENTS, TERMINAL_EVENTS
from toolcall_conformance.formats.openai_responses.stream.output import Output
from toolcall_conformance.formats.openai_responses.stream.restatements import CHANGING_KEYS, member_changes
from toolcall_conformance.formats.stream_machine import Machine, rule_ids

RULES = rule_ids(
    "openai_responses",
    "stream-data",
    "stream-event-name",
    "stream-sequence",
    "stream-start",
    "stream-same-id",
    "stream-status",
    "stream-response-restated",
    "stream-end",
    "stream-after-end",
    "stream-done-marker",
    *_output.RULES,
)
"""The rules that the machine checks; the schema checks the shape of single events."""


_REASON_KEYS: Final = {"incomplete": "incomplete_details", "failed": "error"}
"""By status, the member of a response with the reason for it."""


class ResponseState(Enum):
    BEFORE = "before"
    OPEN = "open"
    ENDED = "ended"
    FAILED = "failed"
    STOPPED = "stopped"


def assemble(stream: Any) -> Assembled:
    """Assemble a parsed stream (``streaming.parse``). Never raises."""
    return _ResponseMachine(RULES).run(stream)


class _ResponseMachine(Machine):
    every_line_counts = True

    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self._state = ResponseState.BEFORE
        self._response: dict[str, Any] | None = None
        self._first_members: dict[str, Any] = {}
        """The members of the response, each as its first event had it."""
        self._output = Output(self.report)
        self._final: dict[str, Any] | None = None
        self._sequence: int | None = None

    def take(self, pointer: str, event: dict[str, Any]) -> None:
        """Take an event, by its type."""
        data = event.get("data")
        place = join(pointer, "data") if "data" in event else pointer
        if isinstance(data, str) and data.startswith("[DONE]"):
            self.report.add_once("stream-done-marker", place, want=MISSING, got=data)
            if self._state in (ResponseState.BEFORE, ResponseState.OPEN):
                self._state = ResponseState.STOPPED
            return
        if not isinstance(data, dict):
            want = intended_object(data, object_of_type(event["event"]) if event.get("event") else OBJECT)
            self.report.add("stream-data", place, json_fault(data), want=want, got=event.get("data", MISSING))
            return
        kind = data["type"] if isinstance(data.get("type"), str) else ""
        if kind and event.get("event") != kind:  # an event without a type has no right name
            where = join(pointer, "event") if "event" in event else pointer
            self.report.add_once("stream-event-name", where, want=kind, got=event.get("event", MISSING))
        self._check_sequence(data, place)
        # SDKs also raise at an event that has only the key of an error.
        failing = kind == "error" or (bool(data.get("error")) and not kind.startswith("response."))
        if self._state in (ResponseState.ENDED, ResponseState.FAILED, ResponseState.STOPPED):
            self._take_after_end(kind, failing, data, place)
        elif failing:
            self._state = ResponseState.FAILED
            self._take_error(data)
        elif kind in TERMINAL_EVENTS:
            self._take_terminal(kind, data, place)
        elif kind in PROGRESS_EVENTS:
            self._take_progress(kind, data, place)
        elif kind.startswith("response."):  # anything else is a keep-alive, or something new
            self._check_started(kind, place)
            self._output.take(kind, data, place)

    def _check_sequence(self, data: dict[str, Any], pointer: str) -> None:
        number = data.get("sequence_number")
        if not isinstance(number, int) or isinstance(number, bool):
            want = 0 if self._sequence is None else self._sequence + 1
            self.report.add_once("stream-sequence", pointer, "the event has no sequence_number", want=want, got=MISSING)
            return
        if self._sequence is not None and number <= self._sequence:
            message, want = f"the number {number} follows {self._sequence}", self._sequence + 1
            self.report.add_once("stream-sequence", join(pointer, "sequence_number"), message, want=want, got=number)
        self._sequence = number

    def _take_after_end(self, kind: str, failing: bool, data: dict[str, Any], pointer: str) -> None:
        if self._state is ResponseState.FAILED and (failing or kind == "response.failed"):
            # An error event and response.failed may both report one failure.
            self._take_error(data)
        elif failing or kind.startswith("response."):
            message = f"{kind or 'an event'} follows the end of the response"
            self.report.add_once("stream-after-end", pointer, message, want=MISSING, got=kind or data)

    def _take_error(self, data: dict[str, Any]) -> None:
        if isinstance(data.get("response"), dict):
            error = data["response"].get("error")
        elif data.get("error"):
            error = data["error"]
        else:
            error = {key: value for key, value in data.items() if key not in ("type", "sequence_number")}
        if self.error is None and error is not None:
            self.error = {"error": error}

    def _take_progress(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        """Take an event before the end that has the response itself."""
        if kind != FIRST_EVENT:
            self._check_started(kind, pointer)
        self._state = ResponseState.OPEN
        response = data.get("response")
        if not isinstance(response, dict):
            return
        place = join(pointer, "response")
        self._check_response_id(response, place)
        if response.get("status") not in ("in_progress", "queued", None):
            self.report.add_once("stream-status", join(place, "status"), want="in_progress", got=response["status"])
        if self._response is None:
            self._response = deep_copy(response)
            self._output.begin(response)
        self._check_restatement(response, place)

    def _check_started(self, kind: str, pointer: str) -> None:
        """Report an event before response.created, at which the official SDK raises."""
        if self._state is ResponseState.BEFORE:
            message = f"{kind} precedes {FIRST_EVENT}"
            self.report.add_once("stream-start", pointer, message, want=Words(FIRST_EVENT), got=Words(kind))
            self._state = ResponseState.OPEN

    def _check_response_id(self, response: dict[str, Any], pointer: str) -> None:
        response_id = self._response.get("id") if self._response is not None else None
        if response_id is not None and response.get("id") != response_id:
            where = join(pointer, "id") if "id" in response else pointer
            self.report.add_once("stream-same-id", where, want=response_id, got=response.get("id", MISSING))

    def _check_restatement(self, response: dict[str, Any], pointer: str) -> None:
        """Report a member of the response that differs from an earlier event, but for those that may change."""
        change = next(member_changes(self._first_members, response, CHANGING_KEYS, pointer), None)
        if change is not None:
            self.report.add_once("stream-response-restated", change.pointer, want=change.want, got=change.got)
        for key, value in response.items():
            if self._first_members.get(key) is None:
                self._first_members[key] = value

    def _take_terminal(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        """Take the event that ends the response, and compare it with what was streamed."""
        self._check_started(kind, pointer)
        self._state = ResponseState.FAILED if kind == "response.failed" else ResponseState.ENDED
        response = data.get("response")
        if self._state is ResponseState.FAILED:
            self._take_error(data)
        if not isinstance(response, dict):
            self._output.close(None, pointer)
            return
        place = join(pointer, "response")
        self._check_response_id(response, place)
        self._check_restatement(response, place)
        self._final = deep_copy(response)
        if response.get("status") != TERMINAL_EVENTS[kind]:
            self._report_wrong_status(kind, response, pointer)
        if self._state is ResponseState.ENDED:
            output = response.get("output")
            self._output.close(output if isinstance(output, list) else None, place)
        if kind == "response.completed":
            self._output.check_arguments()

    def _report_wrong_status(self, kind: str, response: dict[str, Any], pointer: str) -> None:
        """Report a status that does not fit the event; if the response has a reason for it, the event is wrong."""
        status, place = response.get("status", MISSING), join(pointer, "response")
        reason = _REASON_KEYS.get(status) if isinstance(status, str) else None
        if reason is not None and isinstance(response.get(reason), dict):
            event = next(name for name, terminal_status in TERMINAL_EVENTS.items() if terminal_status == status)
            message = f"the event is {kind}, but the response ended {status}"
            self.report.add_once("stream-status", join(pointer, "type"), message, want=event, got=kind)
        else:
            where = place if status is MISSING else join(place, "status")
            self.report.add_once("stream-status", where, want=TERMINAL_EVENTS[kind], got=status)

    def finish(self, pointer: str) -> Assembled:
        """Report what only the end shows, and return the assembled reply."""
        if self._state in (ResponseState.BEFORE, ResponseState.OPEN, ResponseState.STOPPED):
            message = "the stream ends without a terminal event"
            self.report.add(
                "stream-end", pointer, message, want=Words(" or ".join((*TERMINAL_EVENTS, "error"))), got=MISSING
            )
        whole = self._state is ResponseState.ENDED
        return self.assembled_stream(
            self._assembled_body(),
            self._output.streamed_calls(whole),
            failed=self._state is ResponseState.FAILED,
            is_complete=whole,
        )

    def _assembled_body(self) -> dict[str, Any] | None:
        """Return the final reply; without one, the first response with the items so far; None if there is nothing."""
        streamed = self._output.item_bodies
        if self._final is not None:
            # Some servers leave the output out here, or empty: then it is the streamed items.
            return self._final if self._final.get("output") else self._final | {"output": streamed}
        if self._response is None and not streamed:
            return None
        return (self._response or {"object": "response"}) | {"output": streamed}
