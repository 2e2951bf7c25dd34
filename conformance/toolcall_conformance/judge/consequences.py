"""Finds which finding is the consequence of which other one, by ``translation/consequences.json``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Because, Finding, Form, Level, OneOf
from toolcall_conformance.basics.jsonvalue import enclosing_pointers
from toolcall_conformance.judge.causes import difference_kind
from toolcall_conformance.library import Corpus

_ANY_FORMAT = "*/"


class Where(StrEnum):
    """The nearness that a finding needs to follow from another one. The table explains each value."""

    ITEM = "item"
    BODY = "body"
    WAY_BACK = "way_back"
    SUBJECT = "subject"
    AROUND = "around"
    INNER = "inner"
    SAME = "same"
    VALUE = "value"
    WANT = "want"
    REPLY = "reply"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class Consequence:
    """A row of the table: near a finding of one of ``rules``, one of ``follow`` needs no repair of its own.

    ``condition`` must hold of the body, ``unless`` must not.
    """

    rules: tuple[str, ...]
    follow: frozenset[str]
    where: Where
    condition: str = ""
    unless: str = ""

    def follows(self, rule: str) -> bool:
        """Whether findings of a rule may be consequences by this row."""
        return rule in self.follow or (_ANY_FORMAT in self.follow and not rule.startswith("translation/"))


@dataclass(frozen=True, slots=True)
class ConsequenceTable:
    """The rows of consequences that are reported, and of those that are suppressed."""

    reported: tuple[Consequence, ...] = ()
    suppressed: tuple[Consequence, ...] = ()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> ConsequenceTable:
        """The table from the content of ``translation/consequences.json``."""
        return cls(*(tuple(map(_read_row, raw[key]["rows"])) for key in ("reported", "suppressed")))

    def causes_of(self, rule: str, *, way_back: bool) -> list[tuple[str, Where]]:
        """The rules from whose breach one of ``rule`` follows, each with the nearness that it needs.

        ``way_back``: in the body that a round trip returned.
        """
        rows = [row for row in self.reported if row.follows(rule) and (way_back or row.where is not Where.WAY_BACK)]
        return [(other, row.where) for row in rows for other in row.rules]


def _read_row(raw: Mapping[str, Any]) -> Consequence:
    return Consequence(
        tuple(raw["rules"]),
        frozenset(raw["follow"]),
        Where(raw["where"]),
        raw.get("if", ""),
        raw.get("unless", ""),
    )


@lru_cache(maxsize=8)
def consequence_table(corpus: Corpus) -> ConsequenceTable:
    """The table of a corpus."""
    return ConsequenceTable.of(corpus.consequences)


def name_causes(table: ConsequenceTable, findings: Sequence[Finding], *, way_back: bool = False) -> tuple[Finding, ...]:
    """The findings of one judgement or conversation, with those that follow from another one naming it in ``because``.

    ``way_back``: they are about bodies that a round trip returned. Causes in the source are not changed.
    """
    if len(findings) < 2:
        return tuple(findings)
    causes, explained = _Causes(findings), []
    for number, finding in enumerate(findings):
        if finding.because is None or not finding.because.in_source:
            cause = causes.first_cause(number, table.causes_of(finding.rule, way_back=way_back))
            because = None if cause is None else Because(cause.rule, cause.pointer, cause.body)
            finding = finding if because == finding.because else replace(finding, because=because)
        explained.append(finding)
    return tuple(explained)


class _Causes:
    """An index of findings by the keys that their consequences share: comparing all pairs would take too long."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._of_rule: defaultdict[str, list[int]] = defaultdict(list)
        for number, finding in enumerate(findings):
            self._of_rule[finding.rule].append(number)
        self._first: dict[tuple[str, Where], dict[Hashable, dict[Level, int]]] = {}

    def first_cause(self, number: int, leading: Iterable[tuple[str, Where]]) -> Finding | None:
        """The first finding, in the order of the table, that the one with this number follows from."""
        finding = self._findings[number]
        for rule, where in leading:
            if rule not in self._of_rule:
                continue
            by_key = self._by_key(rule, where)
            by_level = (by_key.get(key, {}) for key in _KEYS_BY_NEARNESS[where].consequence_keys(finding))
            firsts = (first for levels in by_level for first in levels.values())
            numbers = [first for first in firsts if _is_as_grave(self._findings[first], finding)]
            # Of one rule's findings the first leads.
            if numbers and (rule != finding.rule or min(numbers) < number):
                return self._findings[min(numbers)]
        return None

    def _by_key(self, rule: str, where: Where) -> dict[Hashable, dict[Level, int]]:
        """The number of the first finding of a rule, by shared key and level."""
        if (rule, where) not in self._first:
            by_key: dict[Hashable, dict[Level, int]] = {}
            for number in self._of_rule[rule]:
                finding = self._findings[number]
                for key in _KEYS_BY_NEARNESS[where].cause_keys(finding):
                    by_key.setdefault(key, {}).setdefault(finding.level, number)
            self._first[rule, where] = by_key
        return self._first[rule, where]


def suppress(
    corpus: Corpus,
    findings: Sequence[Finding],
    body_findings: Sequence[Finding],
    *,
    conditions: Collection[str] = (),
    is_inside: Callable[[Finding, Finding], bool] | None = None,
) -> list[Finding]:
    """Drop the ``findings`` that follow from one of ``body_findings``, by the suppressed rows.

    ``conditions`` are those that hold of the body. ``is_inside`` tests whether the second of two findings is inside the
    first; by default their pointers decide.
    """
    rows = [
        (row, causes)
        for row in consequence_table(corpus).suppressed
        if (causes := _row_causes(row, body_findings, conditions))
    ]
    if not rows:
        return list(findings)
    tests = [(row, _consequence_test(row, causes, is_inside)) for row, causes in rows]
    return [
        finding
        for finding in findings
        if not any(row.follows(finding.rule) and follows(finding) for row, follows in tests)
    ]


def _consequence_test(
    row: Consequence, causes: Sequence[Finding], is_inside: Callable[[Finding, Finding], bool] | None
) -> Callable[[Finding], bool]:
    """A test whether a finding is a consequence of one of the ``causes`` of a row, by its place and level."""
    if row.where is Where.BODY:
        return lambda finding: any(_is_as_grave(cause, finding) for cause in causes)
    if is_inside is not None:
        return lambda finding: any(_is_as_grave(cause, finding) and is_inside(cause, finding) for cause in causes)
    at_place: defaultdict[str, list[Finding]] = defaultdict(list)
    for cause in causes:
        at_place[cause.pointer].append(cause)
    return lambda finding: any(
        _is_as_grave(cause, finding)
        for place in enclosing_pointers(finding.pointer)
        for cause in at_place.get(place, ())
    )


def _row_causes(row: Consequence, body_findings: Sequence[Finding], conditions: Collection[str]) -> list[Finding]:
    """The findings from which others follow by a row; empty if its conditions do not hold of the body."""
    causes = [finding for finding in body_findings if finding.rule in row.rules]
    if row.condition == "there":
        return [cause for cause in causes if isinstance(cause.got, dict)]
    if not causes or (row.condition and row.condition not in conditions) or (row.unless and row.unless in conditions):
        return []
    if "lost" not in (row.condition, row.unless):
        return causes
    lost = {finding.element for finding in body_findings if finding.is_must and finding.want is not MISSING}
    return [cause for cause in causes if (cause.element in lost) == (row.condition == "lost")]


def _is_as_grave(cause: Finding, consequence: Finding) -> bool:
    return cause.is_must or consequence.is_note or not (consequence.is_must or cause.is_note)


@dataclass(frozen=True, slots=True)
class _Keys:
    """Functions for the keys of a finding as a cause and as a consequence: two findings that share a key are near."""

    cause_keys: Callable[[Finding], Iterable[Hashable]]
    consequence_keys: Callable[[Finding], Iterable[Hashable]]


def _judged_body(finding: Finding) -> str:
    """The label of a finding's body; a stream and its assembled reply share one."""
    return "" if finding.body == ASSEMBLED_REPLY else finding.body.partition(",")[0]


def _is_assembled(finding: Finding) -> bool:
    return "," in finding.body


def _subject_ends(finding: Finding) -> Iterator[str]:
    """A finding's subject and its ends, ``result of call 1, shell`` and ``call 1, shell``, without its events."""
    words = finding.subject.partition("; ")[0].split(" ")
    return (" ".join(words[start:]) for start in range(len(words)) if finding.subject)


def _subject_keys(finding: Finding) -> Iterator[Hashable]:
    ends = [*_subject_ends(finding)]
    yield from (("about", _judged_body(finding), end) for end in ends[:1])
    yield from (("ends", _judged_body(finding), end) for end in ends)


def _other_subject_keys(finding: Finding) -> Iterator[Hashable]:
    ends = [*_subject_ends(finding)]
    yield from (("ends", _judged_body(finding), end) for end in ends[:1])
    yield from (("about", _judged_body(finding), end) for end in ends)


def _place_keys(finding: Finding) -> Iterator[Hashable]:
    yield "at", _judged_body(finding), finding.pointer


def _enclosing_keys(finding: Finding) -> Iterator[Hashable]:
    return (("at", _judged_body(finding), place) for place in enclosing_pointers(finding.pointer))


def _holder_keys(finding: Finding) -> Iterator[Hashable]:
    yield from _place_keys(finding)
    yield from (("holds", _judged_body(finding), place) for place in enclosing_pointers(finding.pointer))


def _held_keys(finding: Finding) -> Iterator[Hashable]:
    yield from _enclosing_keys(finding)
    yield "holds", _judged_body(finding), finding.pointer


def _exact_place_keys(finding: Finding) -> Iterator[Hashable]:
    lacks = difference_kind(finding.want, finding.got) == "lost" or finding.got in ({}, [])
    yield _judged_body(finding), finding.pointer, lacks


def _wrong_text_keys(finding: Finding) -> Iterator[Hashable]:
    if isinstance(finding.got, str):
        yield _judged_body(finding), finding.got


def _missing_text_keys(finding: Finding) -> Iterator[Hashable]:
    if finding.got is MISSING or finding.got is None:
        yield from ((_judged_body(finding), value) for value in _wanted_values(finding.want) if isinstance(value, str))


def _wanted_values(want: Any) -> Iterable[Any]:
    """The values one of which a finding wants."""
    if isinstance(want, Form):
        listed: Iterable[Any] = want.schema.get("enum", ())
        return listed
    return want.values if isinstance(want, OneOf) else (want,)


def _event_keys(finding: Finding) -> Iterator[Hashable]:
    if not _is_assembled(finding):
        yield _judged_body(finding)


def _assembled_keys(finding: Finding) -> Iterator[Hashable]:
    if _is_assembled(finding):
        yield _judged_body(finding)


def _missing_assembled_keys(finding: Finding) -> Iterator[Hashable]:
    return _assembled_keys(finding) if finding.got in (MISSING, None) else iter(())


def _body_keys(finding: Finding) -> Iterator[Hashable]:
    yield _judged_body(finding)


def _shared_keys(_finding: Finding) -> Iterator[Hashable]:
    yield ""


_KEYS_BY_NEARNESS: Mapping[Where, _Keys] = {
    Where.ITEM: _Keys(_shared_keys, _shared_keys),
    Where.BODY: _Keys(_body_keys, _body_keys),
    Where.WAY_BACK: _Keys(_body_keys, _body_keys),
    Where.SUBJECT: _Keys(_subject_keys, _other_subject_keys),
    Where.VALUE: _Keys(_wrong_text_keys, _wrong_text_keys),
    Where.WANT: _Keys(_missing_text_keys, _missing_text_keys),
    Where.AROUND: _Keys(_holder_keys, _held_keys),
    Where.INNER: _Keys(_place_keys, _enclosing_keys),
    Where.SAME: _Keys(_exact_place_keys, _exact_place_keys),
    Where.REPLY: _Keys(_event_keys, _assembled_keys),
    Where.UNSAID: _Keys(_event_keys, _missing_assembled_keys),
}
