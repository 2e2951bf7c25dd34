"""The known failures of a run: the status of each failure, and the stale entries."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from toolcall_conformance.reports.known_failures.entries import (
    FailuresByItem,
    ItemIndex,
    ItemPattern,
    KnownEntry,
    plain_id,
)
from toolcall_conformance.reports.known_failures.patterns import shortest_patterns

# The number of patterns in a sentence about what no longer fails.
_PATTERNS_SHOWN = 8


class StandingKind(StrEnum):
    """The status of a failure by the file of known failures."""

    KNOWN = "known"
    EXPIRED = "expired"
    OTHER = "other"  # the item is listed, with another rule or another difference
    NEW = "new"


@dataclass(frozen=True)
class Standing:
    """The status of one failure. ``text`` is the reason if it is known, else a sentence."""

    kind: StandingKind
    text: str = ""

    @property
    def is_known(self) -> bool:
        return self.kind is StandingKind.KNOWN


@dataclass(frozen=True)
class Stale:
    """An entry with ``patterns`` that match no item or no longer fail, and a sentence about them."""

    entry: KnownEntry
    patterns: tuple[ItemPattern, ...]
    sentence: str


@dataclass(frozen=True)
class KnownFailures:
    """The entries of one file on the day ``today``; ``name`` is the file's name in messages, ``text`` its content."""

    path: Path | None = None
    entries: tuple[KnownEntry, ...] = ()
    today: dt.date = dt.date.max
    name: str = ""
    text: str = ""

    @cached_property
    def _entries_by_item(self) -> dict[str, list[KnownEntry]]:
        """The entries that name one item, by its whole id."""
        entries: dict[str, list[KnownEntry]] = {}
        for entry in self.entries:
            for pattern in entry.patterns:
                for part in pattern.parts:
                    if part.is_one_item:
                        entries.setdefault(part.plain_text, []).append(entry)
        return entries

    @cached_property
    def _patterns_by_prefix(self) -> dict[str, list[tuple[ItemPattern, KnownEntry]]]:
        """The other patterns with their entries, by the text before their first wildcard."""
        entries: dict[str, list[tuple[ItemPattern, KnownEntry]]] = {}
        for entry in self.entries:
            for pattern in entry.patterns:
                for part in pattern.parts:
                    if not part.is_one_item:
                        entries.setdefault(part.literal_prefix, []).append((part, entry))
        return entries

    def _matching_entries(self, plain: str) -> Iterator[KnownEntry]:
        """Yield the entries with a pattern that matches an item; ``plain`` is its id without prefix."""
        for end in range(len(plain) + 1):
            for pattern, entry in self._patterns_by_prefix.get(plain[:end], ()):
                if pattern.matches(plain):
                    yield entry

    def of_item(self, nodeid: str) -> list[KnownEntry]:
        """Return the entries that match an item, in the order of the file."""
        entries = [
            *self._entries_by_item.get(plain_id(nodeid), ()),
            *self._matching_entries(plain_id(nodeid)),
        ]
        return sorted({id(entry): entry for entry in entries}.values(), key=lambda entry: entry.lines)

    def standing(self, nodeid: str, rule: str, signature: str) -> Standing:
        """Return the status of an item's failure."""
        listed = self.of_item(nodeid)
        fitting = [entry for entry in listed if entry.has_failure(rule, signature)]
        valid = [entry for entry in fitting if not entry.has_expired(self.today)]
        if valid:
            return Standing(StandingKind.KNOWN, valid[0].reason_text)
        if fitting:
            entry = fitting[0]
            description = (
                f"known until {entry.expires} ({entry.reason_text}); repair it, or give the entry another date"
            )
            return Standing(StandingKind.EXPIRED, f"{self._location(entry)}: {description}")
        if listed:
            same = [entry for entry in listed if rule in entry.ids]
            description = (
                f"the difference {same[0].signature}" if same else ", ".join(sorted({entry.rule for entry in listed}))
            )
            return Standing(
                StandingKind.OTHER, f"{self._location((same or listed)[0])} records {description} for this item"
            )
        return Standing(StandingKind.NEW)

    def reason(self, nodeid: str, rule: str, signature: str) -> str | None:
        """Return the reason of a known failure, or None."""
        status = self.standing(nodeid, rule, signature)
        return status.text if status.is_known else None

    def passing_messages(self, nodeid: str, failures: Collection[tuple[str, str]]) -> list[str]:
        """Return a sentence for each entry that names an item and no longer fails, for an item judged alone."""
        messages = []
        for entry in self._entries_by_item.get(plain_id(nodeid), ()):
            if not _has_failure(entry, failures):
                line = next(pattern for pattern in entry.patterns if pattern.matches(nodeid))
                how = f"delete line {line.line}" if line.is_one_item else f"take it out of line {line.line}"
                messages.append(f"{self.name or self.path}: {entry} no longer fails here; {how}")
        return messages

    def find_stale(
        self,
        planned: Collection[str],
        judged: FailuresByItem,
        is_outside: Callable[[ItemPattern], bool] = lambda _pattern: False,
    ) -> list[Stale]:
        """Return the entries with patterns that match no item, no longer fail, or fail in more items than they say.

        ``planned`` are all items, selected or not. A pattern that is not exact stays undecided if one of its items was
        not judged, and so does a pattern that ``is_outside`` the run.
        """
        items = ItemIndex(planned)
        verdicts = {plain_id(nodeid): failures for nodeid, failures in judged.items()}
        stale_entries = []
        for entry in self.entries:
            if passing := dict(self.mended_patterns(entry, items, verdicts)):
                stale_entries.append(Stale(entry, tuple(passing), self._sentence(entry, passing, items)))
            lost = [
                part
                for pattern in entry.patterns
                for part in pattern.parts
                if not is_outside(part) and not items.matching(part)
            ]
            if lost:
                problem = "matches no item; correct the pattern or delete the line"
                names = ", ".join(f"{part.text} (line {part.line})" for part in lost)
                stale_entries.append(Stale(entry, tuple(lost), f"{self.name or self.path}: {names} {problem}"))
            stale_entries += self.surplus_patterns(entry, items, verdicts)
        return stale_entries

    @staticmethod
    def mended_patterns(
        entry: KnownEntry, planned: ItemIndex, judged: FailuresByItem
    ) -> Iterator[tuple[ItemPattern, list[str]]]:
        """Yield the patterns of an entry that have items that no longer fail, with these items; ids have no prefix.

        A pattern that is not exact is yielded only if all its items were judged and none fails.
        """
        for pattern in entry.patterns:
            items = planned.matching(pattern)
            passing = [each for each in items if each in judged and not _has_failure(entry, judged[each])]
            if pattern.is_exact:
                # The pattern may match a new case that passes, in addition to those of its count.
                enough = pattern.count is not None and len(items) - len(passing) >= pattern.count
                if passing and not enough:
                    yield pattern, passing
            elif items and len(passing) == len(items):
                yield pattern, passing

    def surplus_patterns(self, entry: KnownEntry, items: ItemIndex, judged: FailuresByItem) -> Iterator[Stale]:
        """Yield the patterns of which more items fail than their count says."""
        for pattern in entry.patterns:
            if pattern.count is None:
                continue
            failing = sum(each in judged and _has_failure(entry, judged[each]) for each in items.matching(pattern))
            if failing > pattern.count:
                yield Stale(
                    entry,
                    (pattern,),
                    f"{self.name or self.path}:{pattern.line}: {entry}: {failing} items of {pattern.plain_text} fail, "
                    f"and the line says {pattern.count}: the others are new",
                )

    def _sentence(self, entry: KnownEntry, passing: Mapping[ItemPattern, Sequence[str]], items: ItemIndex) -> str:
        """Return the sentence about an entry whose patterns no longer fail, with the lines to delete."""
        named = sorted({each for nodeids in passing.values() for each in nodeids})
        plain_patterns = [pattern.plain_text for pattern in passing if not pattern.is_exact] or shortest_patterns(
            named, items
        )
        more = (
            f" and {len(plain_patterns) - _PATTERNS_SHOWN} more patterns"
            if len(plain_patterns) > _PATTERNS_SHOWN
            else ""
        )
        patterns_text = f"{', '.join(plain_patterns[:_PATTERNS_SHOWN])}{more}"
        all_nodeids = {each for pattern in entry.patterns for each in items.matching(pattern)}
        if len(plain_patterns) == 1 and (len(named) == 1 or not next(iter(passing)).is_exact):
            sentence = f"{patterns_text} no longer fails"
        else:
            share = "all" if len(named) == len(all_nodeids) else f"{len(named)} of"
            sentence = f"{share} {len(all_nodeids)} items no longer fail: {patterns_text}"
        is_whole_entry = len(named) == len(all_nodeids)
        # A pattern may match more than what no longer fails.
        goes = is_whole_entry or all(
            len(nodeids) == len(items.matching(pattern)) for pattern, nodeids in passing.items()
        )
        lines = _lines_text([entry.lines] if is_whole_entry else _number_ranges({pattern.line for pattern in passing}))
        return f"{self.name or self.path}: {entry}: {sentence}; {'delete' if goes else 'it stands in'} {lines}"

    def _location(self, entry: KnownEntry) -> str:
        return f"{self.path.name if self.path else ''}:{entry.lines[0]}"


def _number_ranges(numbers: Collection[int]) -> list[tuple[int, int]]:
    """Return numbers as ranges: pairs of first and last."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(numbers):
        first = ranges.pop()[0] if ranges and ranges[-1][1] == number - 1 else number
        ranges.append((first, number))
    return ranges


def _lines_text(ranges: Sequence[tuple[int, int]]) -> str:
    """Return line ranges as ``line 4`` or ``lines 4 to 9 and 12``."""
    *others, last = [f"{first}" if first == end else f"{first} to {end}" for first, end in ranges]
    word = "lines" if others or " to " in last else "line"
    return f"{word} {' and '.join([', '.join(others), last] if others else [last])}"


def _has_failure(entry: KnownEntry, failures: Collection[tuple[str, str]]) -> bool:
    return any(entry.has_failure(rule, signature) for rule, signature in failures)
