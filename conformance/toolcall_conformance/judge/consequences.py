"""Which finding is the consequence of which other one: ``translation/consequences.json``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Because, Finding, Form, Level, OneOf
from toolcall_conformance.basics.jsonvalue import enclosing_pointers
from toolcall_conformance.judge.causes import difference
from toolcall_conformance.library import Corpus

_ANY_FORMAT = "*/"


class Where(StrEnum):
    """How near to a finding another one must be to follow from it. The table says what each means."""

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
class Row:
    """Where a finding of one of ``rules`` is, one of ``follow`` needs no repair of its own.

    ``condition`` and ``unless`` name what must hold of the body, and what must not.
    """

    rules: tuple[str, ...]
    follow: frozenset[str]
    where: Where
    condition: str = ""
    unless: str = ""

    def follows(self, rule: str) -> bool:
        """Whether findings of a rule may be consequences here."""
        return rule in self.follow or (_ANY_FORMAT in self.follow and not rule.startswith("translation/"))


@dataclass(frozen=True, slots=True)
class ConsequenceTable:
    """The rows of consequences that stay findings, and of those that are not reported."""

    reported: tuple[Row, ...] = ()
    suppressed: tuple[Row, ...] = ()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> ConsequenceTable:
        """Make it of the content of ``translation/consequences.json``."""
        return cls(*(tuple(map(_row, raw[key]["rows"])) for key in ("reported", "suppressed")))

    def leading(self, rule: str, *, way_back: bool) -> list[tuple[str, Where]]:
        """The rules from whose breach one of ``rule`` follows, each with how near it must be.

        ``way_back``: in a body that a round trip brought back.
        """
        rows = [row for row in self.reported if row.follows(rule) and (way_back or row.where is not Where.WAY_BACK)]
        return [(other, row.where) for row in rows for other in row.rules]


def _row(raw: Mapping[str, Any]) -> Row:
    return Row(
        tuple(raw["rules"]),
        frozenset(raw["follow"]),
        Where(raw["where"]),
        raw.get("if", ""),
        raw.get("unless", ""),
    )


@lru_cache(maxsize=8)
def table_of(corpus: Corpus) -> ConsequenceTable:
    """The table of a corpus."""
    return ConsequenceTable.of(corpus.consequences)


def with_causes(table: ConsequenceTable, findings: Sequence[Finding], *, way_back: bool = False) -> tuple[Finding, ...]:
    """Findings of one judgement or one conversation; those that follow from another one name it in ``because``.

    ``way_back``: they are about bodies that a round trip brought back. Causes in the source stay as they are.
    """
    if len(findings) < 2:
        return tuple(findings)
    causes, explained = _Causes(findings), []
    for number, finding in enumerate(findings):
        if finding.because is None or not finding.because.in_source:
            cause = causes.first(number, table.leading(finding.rule, way_back=way_back))
            because = None if cause is None else Because(cause.rule, cause.pointer, cause.body)
            finding = finding if because == finding.because else replace(finding, because=because)
        explained.append(finding)
    return tuple(explained)


class _Causes:
    """Findings by the keys that their consequences share: to compare all pairs would take too long in a large body."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._of_rule: defaultdict[str, list[int]] = defaultdict(list)
        for number, finding in enumerate(findings):
            self._of_rule[finding.rule].append(number)
        self._first: dict[tuple[str, Where], dict[Hashable, dict[Level, int]]] = {}

    def first(self, number: int, leading: Iterable[tuple[str, Where]]) -> Finding | None:
        """The first finding that this one follows from, in the order of the table."""
        finding = self._findings[number]
        for rule, where in leading:
            if rule not in self._of_rule:
                continue
            by_key = self._by_key(rule, where)
            by_level = (by_key.get(key, {}) for key in _KEYS[where].of_consequence(finding))
            firsts = (first for levels in by_level for first in levels.values())
            numbers = [first for first in firsts if _is_as_grave(self._findings[first], finding)]
            # Of one rule's findings the first leads.
            if numbers and (rule != finding.rule or min(numbers) < number):
                return self._findings[min(numbers)]
        return None

    def _by_key(self, rule: str, where: Where) -> dict[Hashable, dict[Level, int]]:
        """The number of the first finding of a rule and of each level, by what it shares."""
        if (rule, where) not in self._first:
            by_key: dict[Hashable, dict[Level, int]] = {}
            for number in self._of_rule[rule]:
                finding = self._findings[number]
                for key in _KEYS[where].of_cause(finding):
                    by_key.setdefault(key, {}).setdefault(finding.level, number)
            self._first[rule, where] = by_key
        return self._first[rule, where]


def suppress(
    corpus: Corpus,
    findings: Sequence[Finding],
    among: Sequence[Finding],
    *,
    holding: Collection[str] = (),
    inner: Callable[[Finding, Finding], bool] | None = None,
) -> list[Finding]:
    """Drop the ``findings`` that follow from a finding ``among`` those of the same body, by the suppressed rows.

    ``holding`` are the conditions that hold of the body. ``inner`` says whether the second of two findings is inside
    the first; by default their pointers decide.
    """
    rows = [(row, causes) for row in table_of(corpus).suppressed if (causes := _applying(row, among, holding))]
    if not rows:
        return list(findings)
    tests = [(row, _follows_from_one_of(row, causes, inner)) for row, causes in rows]
    return [
        finding
        for finding in findings
        if not any(row.follows(finding.rule) and follows(finding) for row, follows in tests)
    ]


def _follows_from_one_of(
    row: Row, causes: Sequence[Finding], inner: Callable[[Finding, Finding], bool] | None
) -> Callable[[Finding], bool]:
    """Whether a finding is a consequence of one of the ``causes`` of a row, by its place and its level."""
    if row.where is Where.BODY:
        return lambda finding: any(_is_as_grave(cause, finding) for cause in causes)
    if inner is not None:
        return lambda finding: any(_is_as_grave(cause, finding) and inner(cause, finding) for cause in causes)
    at_place: defaultdict[str, list[Finding]] = defaultdict(list)
    for cause in causes:
        at_place[cause.pointer].append(cause)
    return lambda finding: any(
        _is_as_grave(cause, finding)
        for place in enclosing_pointers(finding.pointer)
        for cause in at_place.get(place, ())
    )


def _applying(row: Row, among: Sequence[Finding], holding: Collection[str]) -> list[Finding]:
    """The findings from which others follow by a row, where its conditions hold of the body."""
    causes = [finding for finding in among if finding.rule in row.rules]
    if row.condition == "there":
        return [cause for cause in causes if isinstance(cause.got, dict)]
    if not causes or (row.condition and row.condition not in holding) or (row.unless and row.unless in holding):
        return []
    if "lost" not in (row.condition, row.unless):
        return causes
    lost = {finding.element for finding in among if finding.is_must and finding.want is not MISSING}
    return [cause for cause in causes if (cause.element in lost) == (row.condition == "lost")]


def _is_as_grave(cause: Finding, consequence: Finding) -> bool:
    return cause.is_must or consequence.is_note or not (consequence.is_must or cause.is_note)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of a finding as a cause and as a consequence: two are near to each other where they share one."""

    of_cause: Callable[[Finding], Iterable[Hashable]]
    of_consequence: Callable[[Finding], Iterable[Hashable]]


def _body(finding: Finding) -> str:
    """The body that a finding is about; a stream and the reply that it assembles to are one."""
    return "" if finding.body == ASSEMBLED_REPLY else finding.body.partition(",")[0]


def _is_assembled(finding: Finding) -> bool:
    return "," in finding.body


def _ends_of_subject(finding: Finding) -> Iterator[str]:
    """What a finding is about: of ``result of call 1, shell`` also ``call 1, shell``; not where it is in a stream."""
    words = finding.subject.partition("; ")[0].split(" ")
    return (" ".join(words[start:]) for start in range(len(words)) if finding.subject)


def _subject(finding: Finding) -> Iterator[Hashable]:
    ends = [*_ends_of_subject(finding)]
    yield from (("about", _body(finding), end) for end in ends[:1])
    yield from (("ends", _body(finding), end) for end in ends)


def _other_subject(finding: Finding) -> Iterator[Hashable]:
    ends = [*_ends_of_subject(finding)]
    yield from (("ends", _body(finding), end) for end in ends[:1])
    yield from (("about", _body(finding), end) for end in ends)


def _at(finding: Finding) -> Iterator[Hashable]:
    yield "at", _body(finding), finding.pointer


def _inside(finding: Finding) -> Iterator[Hashable]:
    return (("at", _body(finding), place) for place in enclosing_pointers(finding.pointer))


def _at_or_around(finding: Finding) -> Iterator[Hashable]:
    yield from _at(finding)
    yield from (("holds", _body(finding), place) for place in enclosing_pointers(finding.pointer))


def _inside_or_around(finding: Finding) -> Iterator[Hashable]:
    yield from _inside(finding)
    yield "holds", _body(finding), finding.pointer


def _same_place(finding: Finding) -> Iterator[Hashable]:
    lacks = difference(finding.want, finding.got) == "lost" or finding.got in ({}, [])
    yield _body(finding), finding.pointer, lacks


def _wrong_text(finding: Finding) -> Iterator[Hashable]:
    if isinstance(finding.got, str):
        yield _body(finding), finding.got


def _missing_texts(finding: Finding) -> Iterator[Hashable]:
    if finding.got is MISSING or finding.got is None:
        yield from ((_body(finding), value) for value in _values(finding.want) if isinstance(value, str))


def _values(want: Any) -> Iterable[Any]:
    """The values of which a finding wants one."""
    if isinstance(want, Form):
        listed: Iterable[Any] = want.schema.get("enum", ())
        return listed
    return want.values if isinstance(want, OneOf) else (want,)


def _of_events(finding: Finding) -> Iterator[Hashable]:
    if not _is_assembled(finding):
        yield _body(finding)


def _of_assembled(finding: Finding) -> Iterator[Hashable]:
    if _is_assembled(finding):
        yield _body(finding)


def _of_nothing_assembled(finding: Finding) -> Iterator[Hashable]:
    return _of_assembled(finding) if finding.got in (MISSING, None) else iter(())


def _whole_body(finding: Finding) -> Iterator[Hashable]:
    yield _body(finding)


def _anything(_finding: Finding) -> Iterator[Hashable]:
    yield ""


_KEYS: Mapping[Where, _Keys] = {
    Where.ITEM: _Keys(_anything, _anything),
    Where.BODY: _Keys(_whole_body, _whole_body),
    Where.WAY_BACK: _Keys(_whole_body, _whole_body),
    Where.SUBJECT: _Keys(_subject, _other_subject),
    Where.VALUE: _Keys(_wrong_text, _wrong_text),
    Where.WANT: _Keys(_missing_texts, _missing_texts),
    Where.AROUND: _Keys(_at_or_around, _inside_or_around),
    Where.INNER: _Keys(_at, _inside),
    Where.SAME: _Keys(_same_place, _same_place),
    Where.REPLY: _Keys(_of_events, _of_assembled),
    Where.UNSAID: _Keys(_of_events, _of_nothing_assembled),
}
