"""Links an assembled reply to the events of its stream: the origin of each part, and the events of each call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Finding
from toolcall_conformance.basics.jsonvalue import equal, resolve
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.library import Corpus

MAX_EVENTS: Final = 2_000
"""Longer streams are not assembled again and again."""

MAX_EVENTS_READ: Final = 50_000
"""The most events assembled to locate the findings of one reply; after that, findings name no events."""


def locate_in_assembled(
    client: str, output: dict[str, Any], received: Assembled, findings: Iterable[Finding]
) -> list[Finding]:
    """The findings on an assembled reply, each with the events that its place was assembled from."""
    events = _StreamPrefixes(client, output, received.body)
    opened = dict(_opening_events(client, received))
    return [_add_origin(events, opened, finding) for finding in findings]


def event_words(output: dict[str, Any], number: int) -> str:
    """Words for the event with a number from 1: ``event 3 of 12, content_block_start``."""
    events = output["events"]
    event = events[number - 1] if number <= len(events) else {}
    data = event.get("data")
    name = event.get("event") or (data.get("type") if isinstance(data, dict) else None)
    return f"event {number} of {len(events)}" + (f", {name}" if isinstance(name, str) else "")


def event_number(pointer: str) -> int | None:
    """The number, from 1, of the event that a pointer into a stream is at; None if it is at none."""
    steps = pointer.split("/")
    return int(steps[2]) + 1 if steps[1:2] == ["events"] and steps[2:3] and steps[2].isdecimal() else None


def _opening_events(client: str, received: Assembled) -> Iterator[tuple[str, int]]:
    """The pointers of the calls in the reply, each with the number of the event that opened it."""
    calls = formats.read(client, "response", received.body).calls
    if len(calls) == len(received.calls):
        for call, streamed in zip(calls, received.calls, strict=True):
            number = event_number(streamed.pointer)
            if number is not None:
                yield call.pointer, number


def _add_origin(events: _StreamPrefixes, opened: dict[str, int], finding: Finding) -> Finding:
    number = next((opened[pointer] for pointer in _pointers_outward(finding.pointer) if pointer in opened), None)
    where = "" if number is None else f"opened by {event_words(events.stream, number)}"
    if not where and finding.got is not MISSING:  # else it points at what should hold it, which came well
        where = events.origin_words(finding.pointer)
    subject = "; ".join(filter(None, [finding.subject, where]))
    return replace(finding, body=ASSEMBLED_REPLY, subject=subject)


def _pointers_outward(pointer: str) -> Iterator[str]:
    """A pointer and those that enclose it, the nearest first: ``/a/b``, ``/a``."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


@dataclass(slots=True)
class _StreamPrefixes:
    """A stream, its assembled reply (``reply``), and the replies that its beginnings assemble to, cached."""

    client: str
    stream: dict[str, Any]
    reply: Any
    _replies: dict[int, Any] = field(default_factory=dict)
    _events_read: int = 0

    def origin_words(self, pointer: str) -> str:
        """The events that a place of the reply was assembled from, in words; empty if unknown."""
        count = len(self.stream["events"])
        last = self._value_at(self.reply, pointer)
        if not pointer or last is MISSING or count > MAX_EVENTS or self._events_read > MAX_EVENTS_READ:
            return ""
        first = self._first_count(lambda body: self._value_at(body, pointer) not in (MISSING, None), 1, count)
        final = self._first_count(lambda body: equal(self._value_at(body, pointer), last), first, count)
        if first == final:
            return f"made of {event_words(self.stream, final)}"
        return f"made of events {first} to {final} of {count}"

    def _first_count(self, holds: Any, low: int, high: int) -> int:
        """The least number of events whose reply passes ``holds``, if all longer beginnings pass as well."""
        while low < high:
            middle = (low + high) // 2
            if holds(self._reply_after(middle)):
                high = middle
            else:
                low = middle + 1
        return low

    def _reply_after(self, count: int) -> Any:
        if count not in self._replies:
            self._events_read += count
            part = {"events": self.stream["events"][:count]}
            self._replies[count] = formats.assemble(self.client, part).body
        return self._replies[count]

    @staticmethod
    def _value_at(body: Any, pointer: str) -> Any:
        try:
            return resolve(body, pointer)
        except LookupError:
            return MISSING


def inside_call_test(corpus: Corpus, format_name: str, received: Assembled) -> Callable[[Finding, Finding], bool]:
    """A test whether a finding on a stream's events is about the call that another finding, on its reply, is at.

    ``format_name`` is the format of the stream, ``received`` the assembled stream.
    """
    calls = formats.read(format_name, "response", received.body).calls
    if len(calls) != len(received.calls):
        return lambda _call, _finding: False
    began = {call.pointer: streamed for call, streamed in zip(calls, received.calls, strict=True)}
    parts = {(rule, breach.pointer): breach.part for rule, breach in received.breaches}

    def is_inside(mark: Finding, finding: Finding) -> bool:
        call = began.get(mark.pointer)
        if call is None:
            return False
        part = parts.get((finding.rule, finding.pointer))
        if part is None and corpus.rule(finding.rule).raw["check"] == "schema":  # no machine reports what a schema says
            return _is_in_events(finding, call)
        return part == call.pointer

    return is_inside


def _is_in_events(finding: Finding, call: StreamedCall) -> bool:
    return any(f"{finding.pointer}/".startswith(f"{place}/") for place in call.pointers)
