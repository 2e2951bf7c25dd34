"""From which events of a stream a part of the reply came that they assemble to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Finding
from toolcall_conformance.basics.jsonvalue import equal, resolve
from toolcall_conformance.basics.reading.assembled import Assembled

MOST_EVENTS: Final = 2_000
"""Longer streams are not put together again and again."""

MOST_READ: Final = 50_000
"""Events of beginnings that are put together for one reply; once there were more, the other findings name no events."""


def put_together(
    client: str, output: dict[str, Any], received: Assembled, findings: Iterable[Finding]
) -> list[Finding]:
    """Findings on the reply that a stream assembles to, with the events that made what each points at."""
    events = _Events(client, output, received.body)
    opened = dict(_openings(client, received))
    return [_traced(events, opened, finding) for finding in findings]


def named(output: dict[str, Any], number: int) -> str:
    """An event of a stream in words, by its number from 1: ``event 3 of 12, content_block_start``."""
    events = output["events"]
    event = events[number - 1] if number <= len(events) else {}
    data = event.get("data")
    name = event.get("event") or (data.get("type") if isinstance(data, dict) else None)
    return f"event {number} of {len(events)}" + (f", {name}" if isinstance(name, str) else "")


def event_at(pointer: str) -> int | None:
    """The number, from 1, of the event that a pointer into a stream is at; None where it is at none."""
    steps = pointer.split("/")
    return int(steps[2]) + 1 if steps[1:2] == ["events"] and steps[2:3] and steps[2].isdecimal() else None


def _openings(client: str, received: Assembled) -> Iterator[tuple[str, int]]:
    """The pointers of the calls in the reply, each with the number of the event that opened it."""
    calls = formats.read(client, "response", received.body).calls
    if len(calls) == len(received.calls):
        for call, streamed in zip(calls, received.calls, strict=True):
            number = event_at(streamed.pointer)
            if number is not None:
                yield call.pointer, number


def _traced(events: _Events, opened: dict[str, int], finding: Finding) -> Finding:
    number = next((opened[pointer] for pointer in _ways_to(finding.pointer) if pointer in opened), None)
    where = "" if number is None else f"opened by {named(events.stream, number)}"
    if not where and finding.got is not MISSING:  # else it points at what should hold it, which came well
        where = events.of(finding.pointer)
    subject = "; ".join(filter(None, [finding.subject, where]))
    return replace(finding, body=ASSEMBLED_REPLY, subject=subject)


def _ways_to(pointer: str) -> Iterator[str]:
    """A pointer and those to what holds its place: ``/a/b``, ``/a``."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


@dataclass(slots=True)
class _Events:
    """A stream, the reply that it makes, and the replies that its beginnings make."""

    client: str
    stream: dict[str, Any]
    whole: Any
    _known: dict[int, Any] = field(default_factory=dict)
    _read: int = 0

    def of(self, pointer: str) -> str:
        """The events that made what stands at a place of the reply, in words; empty where nobody can tell."""
        count = len(self.stream["events"])
        last = self._at(self.whole, pointer)
        if not pointer or last is MISSING or count > MOST_EVENTS or self._read > MOST_READ:
            return ""
        first = self._first(lambda body: self._at(body, pointer) not in (MISSING, None), 1, count)
        final = self._first(lambda body: equal(self._at(body, pointer), last), first, count)
        if first == final:
            return f"made of {named(self.stream, final)}"
        return f"made of events {first} to {final} of {count}"

    def _first(self, holds: Any, low: int, high: int) -> int:
        """The first number of events whose reply fits, if all longer beginnings fit as well."""
        while low < high:
            middle = (low + high) // 2
            if holds(self._beginning(middle)):
                high = middle
            else:
                low = middle + 1
        return low

    def _beginning(self, count: int) -> Any:
        if count not in self._known:
            self._read += count
            part = {"events": self.stream["events"][:count]}
            self._known[count] = formats.assemble(self.client, part).body
        return self._known[count]

    @staticmethod
    def _at(body: Any, pointer: str) -> Any:
        try:
            return resolve(body, pointer)
        except LookupError:
            return MISSING
