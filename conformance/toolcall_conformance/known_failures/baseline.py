"""The known failures of a run: which of its failures are known, and which entries are no longer true."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from toolcall_conformance.known_failures.entries import Entry, Judged, Pattern, plain_id
from toolcall_conformance.known_failures.items import Items


class Kind(StrEnum):
    """What the file says of a failure that it does not excuse, or that it does."""

    KNOWN = "known"
    EXPIRED = "expired"
    OTHER = "other"  # the item is listed, with another rule or another difference
    NEW = "new"


@dataclass(frozen=True)
class Standing:
    """What the file says of one failure. ``text`` is the reason of a known one; of the others, a sentence."""

    kind: Kind
    text: str = ""

    @property
    def is_known(self) -> bool:
        return self.kind is Kind.KNOWN


@dataclass(frozen=True)
class Stale:
    """An entry with ``patterns`` that match no item or no longer fail, and the sentence to report."""

    entry: Entry
    patterns: tuple[Pattern, ...]
    sentence: str


@dataclass(frozen=True)
class KnownFailures:
    """The entries of one file, as they stand on the day ``today``; ``name`` is the file's in messages, ``text`` what
    was in it.
    """

    path: Path | None = None
    entries: tuple[Entry, ...] = ()
    today: dt.date = dt.date.max
    name: str = ""
    text: str = ""

    @cached_property
    def _by_item(self) -> dict[str, list[Entry]]:
        """The entries that name an item by its whole id."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            for pattern in entry.patterns:
                if pattern.is_one_item:
                    found.setdefault(pattern.plain, []).append(entry)
        return found

    @cached_property
    def _by_beginning(self) -> dict[str, list[tuple[Pattern, Entry]]]:
        """The other patterns by what stands before their first sign, each with its entry."""
        found: dict[str, list[tuple[Pattern, Entry]]] = {}
        for entry in self.entries:
            for pattern in entry.patterns:
                if not pattern.is_one_item:
                    found.setdefault(pattern.beginning, []).append((pattern, entry))
        return found

    def _by_pattern(self, plain: str) -> Iterator[Entry]:
        """The entries with a pattern that matches an item, which has no prefix."""
        for end in range(len(plain) + 1):
            for pattern, entry in self._by_beginning.get(plain[:end], ()):
                if pattern.matches(plain):
                    yield entry

    def of_item(self, nodeid: str) -> list[Entry]:
        """The entries that name an item, in the order of the file."""
        found = [
            *self._by_item.get(plain_id(nodeid), ()),
            *self._by_pattern(plain_id(nodeid)),
        ]
        return sorted({entry.lines: entry for entry in found}.values(), key=lambda entry: entry.lines)

    def standing(self, nodeid: str, rule: str, signature: str) -> Standing:
        """What the file says of a failure of an item."""
        listed = self.of_item(nodeid)
        fitting = [entry for entry in listed if entry.has_failure(rule, signature)]
        valid = [entry for entry in fitting if not entry.has_expired(self.today)]
        if valid:
            return Standing(Kind.KNOWN, valid[0].told)
        if fitting:
            entry = fitting[0]
            said = f"known until {entry.expires} ({entry.told}); repair it, or give the entry another date"
            return Standing(Kind.EXPIRED, f"{self._place(entry)}: {said}")
        if listed:
            same = [entry for entry in listed if rule in entry.ids]
            said = f"the difference {same[0].signature}" if same else ", ".join(sorted({one.rule for one in listed}))
            return Standing(Kind.OTHER, f"{self._place((same or listed)[0])} records {said} for this item")
        return Standing(Kind.NEW)

    def reason(self, nodeid: str, rule: str, signature: str) -> str | None:
        """The reason of a known failure, or None."""
        found = self.standing(nodeid, rule, signature)
        return found.text if found.is_known else None

    def passing(self, nodeid: str, failures: Collection[tuple[str, str]]) -> list[str]:
        """For an item that was judged alone: a sentence for each entry that names it and no longer fails."""
        found = []
        for entry in self._by_item.get(plain_id(nodeid), ()):
            if not _fails(entry, failures):
                lines = [pattern.line for pattern in entry.patterns if pattern.matches(nodeid)]
                found.append(f"{self.name or self.path}: {entry} no longer fails here; delete line {lines[0]}")
        return found

    def stale(
        self,
        planned: Collection[str],
        judged: Judged,
        is_outside: Callable[[Pattern], bool] = lambda _pattern: False,
    ) -> list[Stale]:
        """The entries with patterns that match no item or no longer fail.

        ``planned`` are all items that there are, selected or not. A pattern with an item that was not judged stays
        undecided, and so does one that ``is_outside`` of what the run has.
        """
        items = Items(planned)
        verdicts = {plain_id(nodeid): failures for nodeid, failures in judged.items()}
        found = []
        for entry in self.entries:
            patterns = tuple(self.stale_patterns(entry, items, verdicts))
            if patterns:
                found.append(Stale(entry, patterns, self._sentence(entry, patterns)))
            lost = tuple(
                pattern for pattern in entry.patterns if not is_outside(pattern) and not items.matching(pattern)
            )
            if lost:
                said = "matches no item; correct the pattern or delete the line"
                names = ", ".join(f"{pattern.text} (line {pattern.line})" for pattern in lost)
                found.append(Stale(entry, lost, f"{self.name or self.path}: {names} {said}"))
        return found

    @staticmethod
    def stale_patterns(entry: Entry, planned: Items, judged: Judged) -> Iterator[Pattern]:
        """The patterns of an entry whose items were all judged and no longer fail by it; ids have no prefix."""
        for pattern in entry.patterns:
            items = planned.matching(pattern)
            if items and all(nodeid in judged and not _fails(entry, judged[nodeid]) for nodeid in items):
                yield pattern

    def _sentence(self, entry: Entry, patterns: tuple[Pattern, ...]) -> str:
        if len(patterns) == 1:
            what = f"{patterns[0].text} no longer fails"
        else:
            of = "all" if len(patterns) == len(entry.patterns) else f"{len(patterns)} of"
            what = f"{of} {len(entry.patterns)} items no longer fail"
        numbers = [str(pattern.line) for pattern in patterns]
        if len(patterns) == len(entry.patterns):
            numbers = [" to ".join(dict.fromkeys(map(str, entry.lines)))]
        first, last = ", ".join(numbers[:-1]), numbers[-1]
        lines = f"lines {first} and {last}" if first else f"lines {last}" if " to " in last else f"line {last}"
        return f"{self.name or self.path}: {entry}: {what}; delete {lines}"

    def _place(self, entry: Entry) -> str:
        return f"{self.path.name if self.path else ''}:{entry.lines[0]}"


def _fails(entry: Entry, failures: Collection[tuple[str, str]]) -> bool:
    return any(entry.has_failure(rule, signature) for rule, signature in failures)
