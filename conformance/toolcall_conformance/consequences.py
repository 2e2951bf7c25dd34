"""Which finding is the consequence of which other one: ``translation/consequences.json``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from toolcall_conformance.causes import difference
from toolcall_conformance.findings import MISSING, TOGETHER, Because, Finding, Level, OneOf
from toolcall_conformance.jsonvalue import around
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


@dataclass(frozen=True, slots=True)
class Row:
    """Where a finding of one of ``rules`` is, one of ``follow`` needs no repair of its own.

    ``condition`` and ``unless`` name what must hold of the body, and what must not.
    """

    rules: frozenset[str]
    follow: frozenset[str]
    where: Where
    condition: str = ""
    unless: str = ""

    def follows(self, rule: str) -> bool:
        """Whether findings of a rule may be consequences here."""
        return rule in self.follow or (_ANY_FORMAT in self.follow and not rule.startswith("translation/"))


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of consequences that stay findings, and of those that are not reported."""

    reported: tuple[Row, ...] = ()
    suppressed: tuple[Row, ...] = ()

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Table:
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
        frozenset(raw["rules"]),
        frozenset(raw["follow"]),
        Where(raw["where"]),
        raw.get("if", ""),
        raw.get("unless", ""),
    )


@lru_cache(maxsize=8)
def table_of(corpus: Corpus) -> Table:
    """The table of a corpus."""
    return Table.of(corpus.consequences)


def with_causes(table: Table, findings: Sequence[Finding], *, way_back: bool = False) -> tuple[Finding, ...]:
    """Findings of one judgement or one conversation; those that follow from another one name it in ``because``.

    ``way_back``: they are about bodies that a round trip brought back. Causes in the source stay as they are.
    """
    if len(findings) < 2:
        return tuple(findings)
    leaders, found = _Leaders(findings), []
    for number, one in enumerate(findings):
        if one.because is None or not one.because.in_source:
            leader = leaders.first(number, table.leading(one.rule, way_back=way_back))
            because = None if leader is None else Because(leader.rule, leader.pointer, leader.body)
            one = one if because == one.because else replace(one, because=because)
        found.append(one)
    return tuple(found)


class _Leaders:
    """Findings by what others may share with them: none is held against all the others, a body may have thousands."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._of_rule: defaultdict[str, list[int]] = defaultdict(list)
        for number, one in enumerate(findings):
            self._of_rule[one.rule].append(number)
        self._first: dict[tuple[str, Where], dict[Hashable, dict[Level, int]]] = {}

    def first(self, number: int, leading: Iterable[tuple[str, Where]]) -> Finding | None:
        """The first finding that this one follows from, in the order of the table."""
        one = self._findings[number]
        for rule, where in leading:
            if rule not in self._of_rule:
                continue
            known = self._by_key(rule, where)
            firsts = (known.get(key, {}) for key in _KEYS[where].of_consequence(one))
            numbers = [each for levels in firsts for each in levels.values() if _is_as_grave(self._findings[each], one)]
            # Of one rule's findings the first leads.
            if numbers and (rule != one.rule or min(numbers) < number):
                return self._findings[min(numbers)]
        return None

    def _by_key(self, rule: str, where: Where) -> dict[Hashable, dict[Level, int]]:
        """The number of the first finding of a rule and of each level, by what it shares."""
        if (rule, where) not in self._first:
            found: dict[Hashable, dict[Level, int]] = {}
            for number in self._of_rule[rule]:
                one = self._findings[number]
                for key in _KEYS[where].of_cause(one):
                    found.setdefault(key, {}).setdefault(one.level, number)
            self._first[rule, where] = found
        return self._first[rule, where]


def suppress(
    corpus: Corpus,
    findings: Sequence[Finding],
    among: Sequence[Finding],
    *,
    holding: Collection[str] = (),
    inner: Callable[[Finding, Finding], bool] | None = None,
) -> list[Finding]:
    """``findings`` without the consequences of those ``among`` the same body's that the table leaves out.

    ``holding`` are the conditions that hold of the body. ``inner`` says of a finding ``among`` the others and of one of
    ``findings`` whether the second is inside the first; by default their pointers do.
    """
    rows = [(row, leaders) for row in table_of(corpus).suppressed if (leaders := _applying(row, among, holding))]
    if not rows:
        return list(findings)
    is_among = [(row, _grave_among(row, leaders, inner)) for row, leaders in rows]
    return [one for one in findings if not any(row.follows(one.rule) and test(one) for row, test in is_among)]


def _grave_among(
    row: Row, leaders: Sequence[Finding], inner: Callable[[Finding, Finding], bool] | None
) -> Callable[[Finding], bool]:
    """Whether a finding is a consequence of one of the ``leaders`` of a row, by its place and its level."""
    if row.where is Where.BODY:
        return lambda one: any(_is_as_grave(each, one) for each in leaders)
    if inner is not None:
        return lambda one: any(_is_as_grave(each, one) and inner(each, one) for each in leaders)
    by_place = {each.pointer: each for each in leaders}
    return lambda one: any(_is_as_grave(by_place[place], one) for place in around(one.pointer) if place in by_place)


def _applying(row: Row, among: Sequence[Finding], holding: Collection[str]) -> list[Finding]:
    """The findings from which others follow by a row, where its conditions hold of the body."""
    leaders = [one for one in among if one.rule in row.rules]
    if not leaders or (row.condition and row.condition not in holding) or (row.unless and row.unless in holding):
        return []
    if "lost" not in (row.condition, row.unless):
        return leaders
    lost = {one.element for one in among if one.is_must and one.want is not MISSING}
    return [one for one in leaders if (one.element in lost) == (row.condition == "lost")]


def _is_as_grave(one: Finding, other: Finding) -> bool:
    return one.is_must or other.is_note or not (other.is_must or one.is_note)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of a finding as a cause and as a consequence: two are near to each other where they share one."""

    of_cause: Callable[[Finding], Iterable[Hashable]]
    of_consequence: Callable[[Finding], Iterable[Hashable]]


def _body(one: Finding) -> str:
    """The body that a finding is about; a stream and the reply that it assembles to are one."""
    return "" if one.body == TOGETHER else one.body.partition(",")[0]


def _is_assembled(one: Finding) -> bool:
    return "," in one.body


def _ends_of_subject(one: Finding) -> Iterator[str]:
    """What a finding is about: of ``result of call 1, shell`` also ``call 1, shell``; not where it is in a stream."""
    words = one.subject.partition("; ")[0].split(" ")
    return (" ".join(words[start:]) for start in range(len(words)) if one.subject)


def _subject(one: Finding) -> Iterator[Hashable]:
    ends = [*_ends_of_subject(one)]
    yield from (("about", _body(one), end) for end in ends[:1])
    yield from (("ends", _body(one), end) for end in ends)


def _other_subject(one: Finding) -> Iterator[Hashable]:
    ends = [*_ends_of_subject(one)]
    yield from (("ends", _body(one), end) for end in ends[:1])
    yield from (("about", _body(one), end) for end in ends)


def _at(one: Finding) -> Iterator[Hashable]:
    yield "at", _body(one), one.pointer


def _inside(one: Finding) -> Iterator[Hashable]:
    return (("at", _body(one), place) for place in around(one.pointer))


def _at_or_around(one: Finding) -> Iterator[Hashable]:
    yield from _at(one)
    yield from (("holds", _body(one), place) for place in around(one.pointer))


def _inside_or_around(one: Finding) -> Iterator[Hashable]:
    yield from _inside(one)
    yield "holds", _body(one), one.pointer


def _same_place(one: Finding) -> Iterator[Hashable]:
    yield _body(one), one.pointer, difference(one.want, one.got) == "lost"


def _wrong_text(one: Finding) -> Iterator[Hashable]:
    if isinstance(one.got, str):
        yield _body(one), one.got


def _missing_texts(one: Finding) -> Iterator[Hashable]:
    if one.got is MISSING:
        values = one.want.values if isinstance(one.want, OneOf) else (one.want,)
        yield from ((_body(one), value) for value in values if isinstance(value, str))


def _of_events(one: Finding) -> Iterator[Hashable]:
    if not _is_assembled(one):
        yield _body(one)


def _of_assembled(one: Finding) -> Iterator[Hashable]:
    if _is_assembled(one):
        yield _body(one)


def _whole_body(one: Finding) -> Iterator[Hashable]:
    yield _body(one)


def _anything(_one: Finding) -> Iterator[Hashable]:
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
}
