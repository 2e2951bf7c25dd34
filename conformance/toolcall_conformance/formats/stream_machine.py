"""What the stream machines of all formats share: the loop over events, framing, reporting once, and the end.

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
"""The rules on the bytes of a stream, which every machine checks in the same way."""


def rule_ids(format_name: str, *slugs: str) -> tuple[str, ...]:
    """The ids of the rules that a format's machine reports by, in the order of their findings."""
    return tuple(f"{format_name}/{slug}" for slug in (*FRAMING_RULES, *slugs))


class Report:
    """What is wrong with one stream, by the slugs of the rules. KeyError for a rule that the machine does not list."""

    def __init__(self, ids: Iterable[str], part: str = "") -> None:
        self._part = part
        self._ids = {rule_id.partition("/")[2]: rule_id for rule_id in ids}
        self._breaches: list[tuple[str, Breach]] = []
        self._reported: set[str] = set()

    @property
    def breaches(self) -> tuple[tuple[str, Breach], ...]:
        """Everything that was reported, each with the id of its rule."""
        return tuple(self._breaches)

    def has_breach(self, slug: str) -> bool:
        """Whether something was reported by this rule."""
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
        """A report of the call, item or block that began at ``pointer``.

        It adds to this one, but has its own count of what it reports once.
        """
        part = Report((), pointer)
        part._ids, part._breaches = self._ids, self._breaches
        return part


class Machine(ABC):
    """The state of one stream while its events are taken."""

    #: Whether a line that is no data is lost, too, where no blank line ends the last event.
    every_line_counts = False

    def __init__(self, ids: Iterable[str]) -> None:
        self.report = Report(ids)
        self.error: Any = None
        """The error that the stream ended with, as the body of an error reply has it."""

    def run(self, stream: Any) -> Assembled:
        """Assemble a stream; ``streaming.parse`` makes one of bytes. Never raises, whatever JSON it gets."""
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
        """Report what can only be known after the last event; ``pointer`` is that of all events."""

    def assembled_stream(
        self,
        body: dict[str, Any] | None,
        calls: Iterable[StreamedCall],
        *,
        failed: bool,
        whole: bool,
        said_how: bool = False,
        unreasoned: dict[str, Any] | None = None,
    ) -> Assembled:
        """The assembled stream. One that failed is not whole."""
        end: Literal["whole", "failed", "open"] = "failed" if failed else "whole" if whole else "open"
        return Assembled(body, end, tuple(calls), self.error, self.report.breaches, said_how, unreasoned)

    def _check_framing(self, stream: dict[str, Any]) -> None:
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
        """Check the first line that is no event's name or data; most clients pass over it."""
        del line

    def _check_characters(self, pointer: str, data: Any) -> None:
        if not _may_have_half_surrogates(data):
            return
        half = next(_half_surrogates(pointer, data), None)
        if half is not None:
            self.report.add_once("stream-whole-characters", half[0], want=Words("whole characters"), got=half[1])

    def _is_lost_line(self, line: str) -> bool:
        """Whether clients lose data with a line after the last blank one."""
        if self.every_line_counts:
            return bool(line) and not line.startswith(":")
        return line.startswith("data")


def _may_have_half_surrogates(data: Any) -> bool:
    """Whether to look closely: half a surrogate pair has these bytes, as numbers may by chance."""
    try:
        return b"\xed" in pack(data)
    except ValueError:  # more than can be packed
        return True


def _half_surrogates(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """The texts within a value that begin or end with half a surrogate pair, by their pointers."""
    if isinstance(value, str):
        if _HALF_SURROGATE.search(value):
            yield pointer, value
    elif isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in entries:
            yield from _half_surrogates(join(pointer, key), entry)


def is_integer(value: Any) -> bool:
    """Whether a value is a whole number; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def intended_integer(value: Any) -> int | None:
    """The whole number that a value is, or that it means in spite of its type: reading goes on with that."""
    if is_integer(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


def integer_fault(key: str, value: Any) -> str:
    """What is wrong with the type of a number that counts something; empty if nothing is."""
    if is_integer(value):
        return ""
    kinds = {str: "a string", float: "a decimal number", bool: "a boolean", type(None): "null"}
    return f"{key} is {kinds.get(type(value), 'no number')}, not a whole number"


def missing_if_null(value: Any) -> Any:
    """A value to report; null is as good as absent where an API writes it for absent."""
    return MISSING if value is None else value
