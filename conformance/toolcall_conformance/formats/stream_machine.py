"""The base of all stream machines: the loop over events, the checks of framing, the report, and the end.

A machine takes the events of one stream in order, assembles the reply as the official SDK's accumulator would, and
reports what is wrong with the events. After a breach it continues as that accumulator does.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Words
from toolcall_conformance.basics.jsonvalue import join, pack
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.basics.reading.breach import Breach

_HALF_SURROGATE = re.compile("\\A[\udc00-\udfff]|[\ud800-\udbff]\\Z")

FRAMING_RULES = ("stream-text", "stream-last-event", "stream-whole-characters")
"""The rules on the bytes of a stream, which are the same in every format."""


def rule_ids(format_name: str, *slugs: str) -> tuple[str, ...]:
    """Return the ids of the rules of a format's machine, in the order of their findings."""
    return tuple(f"{format_name}/{slug}" for slug in (*FRAMING_RULES, *slugs))


class Report:
    """The breaches of one stream, by the slugs of their rules. Raises KeyError for a rule that the machine lacks."""

    def __init__(self, ids: Iterable[str], part: str = "") -> None:
        self._part = part
        self._ids = {rule_id.partition("/")[2]: rule_id for rule_id in ids}
        self._breaches: list[tuple[str, Breach]] = []
        self._reported: set[str] = set()

    @property
    def breaches(self) -> tuple[tuple[str, Breach], ...]:
        """All breaches, each with the id of its rule."""
        return tuple(self._breaches)

    def has_breach(self, slug: str) -> bool:
        """Whether this rule has a breach."""
        return any(rule_id == self._ids[slug] for rule_id, _ in self._breaches)

    def add(
        self,
        slug: str,
        pointer: str,
        message: str = "",
        *,
        want: Any = NOT_KNOWN,
        got: Any = NOT_KNOWN,
        subject: str = "",
    ) -> None:
        """Report a breach."""
        self._breaches.append((self._ids[slug], Breach(pointer, message, want, got, subject=subject, part=self._part)))

    def add_once(
        self,
        slug: str,
        pointer: str,
        message: str = "",
        *,
        want: Any = NOT_KNOWN,
        got: Any = NOT_KNOWN,
        subject: str = "",
    ) -> None:
        """Report only the first breach of its rule: a translator that breaks it mostly does so in every event."""
        if slug not in self._reported:
            self._reported.add(slug)
            self.add(slug, pointer, message, want=want, got=got, subject=subject)

    def part_report(self, pointer: str) -> Report:
        """Return a report for the call, item or block that began at ``pointer``.

        It adds to this report, and has its own memory for ``add_once``.
        """
        part = Report((), pointer)
        part._ids, part._breaches = self._ids, self._breaches
        return part


class Machine(ABC):
    """The state of one stream while its events are taken."""

    #: Whether clients also lose lines other than data after the last blank line.
    every_line_counts = False

    def __init__(self, ids: Iterable[str]) -> None:
        self.report = Report(ids)
        self.error: Any = None
        """The error that ended the stream, in the shape of an error reply's body."""

    def run(self, stream: Any) -> Assembled:
        """Assemble a parsed stream (``streaming.parse``). Never raises, whatever JSON it gets."""
        body = stream if isinstance(stream, dict) else {}
        self._check_framing(body)
        events = body.get("events")
        for number, event in enumerate(events if isinstance(events, list) else ()):
            if isinstance(event, dict):
                self._check_characters(f"/events/{number}/data", event.get("data"))
                self.take(f"/events/{number}", event)
        return self.finish("/events" if isinstance(events, list) else "")

    @abstractmethod
    def take(self, pointer: str, event: dict[str, Any]) -> None:
        """Take the next event."""

    @abstractmethod
    def finish(self, pointer: str) -> Assembled:
        """Report what only the end shows, and return the assembled stream; ``pointer`` is that of the events."""

    def assembled_stream(
        self,
        body: dict[str, Any] | None,
        calls: Iterable[StreamedCall],
        *,
        failed: bool,
        is_complete: bool,
        has_stop_reason: bool = False,
        body_without_stop_reason: dict[str, Any] | None = None,
    ) -> Assembled:
        """Return the assembled stream; a ``failed`` one is not ``is_complete``."""
        end: Literal["whole", "failed", "open"] = "failed" if failed else "whole" if is_complete else "open"
        return Assembled(
            body, end, tuple(calls), self.error, self.report.breaches, has_stop_reason, body_without_stop_reason
        )

    def _check_framing(self, stream: dict[str, Any]) -> None:
        """Check the bytes around the events: encoding, the blank line at the end, and other lines."""
        if stream.get("broken"):
            message = f"{stream['broken']}; a stream must be UTF-8"
            self.report.add("stream-text", "/broken", message)
        rest = stream.get("rest")
        if isinstance(rest, str) and any(map(self._is_lost_line, rest.split("\n"))):
            want = f"{rest.rstrip(chr(10))}\n\n"
            self.report.add("stream-last-event", "/rest", "a blank line must end the last event", want=want, got=rest)

        if isinstance(stream.get("aside"), str):
            self.check_aside(stream["aside"])

    def check_aside(self, line: str) -> None:
        """Check the first line that is neither an event's name nor data; most clients ignore it."""
        del line

    def _check_characters(self, pointer: str, data: Any) -> None:
        if not _may_have_half_surrogates(data):
            return
        half = next(_half_surrogates(pointer, data), None)
        if half is not None:
            self.report.add_once("stream-whole-characters", half[0], want=Words("whole characters"), got=half[1])

    def _is_lost_line(self, line: str) -> bool:
        """Whether clients lose data with this line, which follows the last blank one."""
        if self.every_line_counts:
            return bool(line) and not line.startswith(":")
        return line.startswith("data")


def _may_have_half_surrogates(data: Any) -> bool:
    """Whether the packed data has the first byte of a half surrogate; numbers may have it by chance."""
    try:
        return b"\xed" in pack(data)
    except ValueError:  # more than can be packed
        return True


def _half_surrogates(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield pointer and text of each text in a value that begins or ends with half a surrogate pair."""
    if isinstance(value, str):
        if _HALF_SURROGATE.search(value):
            yield pointer, value
    elif isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in entries:
            yield from _half_surrogates(join(pointer, key), entry)


def is_integer(value: Any) -> bool:
    """Whether a value is an integer; booleans are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def intended_integer(value: Any) -> int | None:
    """Return the integer that a value is, or that a float or string means; None if it means none."""
    if is_integer(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


def integer_fault(key: str, value: Any) -> str:
    """Return the message for a value that should be an integer and is not; empty if it is one."""
    if is_integer(value):
        return ""
    kinds = {str: "a string", float: "a decimal number", bool: "a boolean", type(None): "null"}
    return f"{key} is {kinds.get(type(value), 'no number')}, not a whole number"


def missing_if_null(value: Any) -> Any:
    """Return MISSING for null, which means absent to the API; any other value unchanged."""
    return MISSING if value is None else value
