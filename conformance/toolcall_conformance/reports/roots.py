"""The root causes of a run: its findings, grouped by what they have in common.

Findings with one signature (``causes.Cause``) are one root. Then roots are joined that are one fault seen twice:

- a finding of the loop or a round trip that a request, reply or stream of the same case and route shows already;
- two rules that are broken by one wrong value, or that say the same by ``translation/harm.json``;
- what is wrong with the reply of a stream, where events that are mixed up bring it;
- what shows at the same places of the same sources, in the bodies of several formats.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.findings import Level
from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.model import ItemRecord

LEVELS = tuple(level.value for level in Level)
# Checks that play what others judge one by one.
_WHOLE = ("agent_loop", "round_trip")
CHECKS = ("request", "response", "stream", *_WHOLE)
# Of two formats' faults with one source, so many of the cases must be the same.
_SAME_CASES = 0.75

_Key = tuple[bool, str]
_Value = tuple[tuple[str, str], str, str, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding in an item."""

    item: ItemRecord
    finding: Mapping[str, Any]

    @property
    def rule(self) -> str:
        return str(self.finding["rule"])

    @property
    def element(self) -> str:
        return str(self.finding["element"])

    @property
    def level(self) -> int:
        return LEVELS.index(self.finding["level"])

    @property
    def known(self) -> bool:
        """Whether it is expected."""
        return "known" in self.finding

    @property
    def sources(self) -> tuple[str, str]:
        """The format that the body was made from, and the route's other end."""
        item = self.item
        return (item.client, item.upstream) if item.check == "request" else (item.upstream, item.client)

    @property
    def put_together(self) -> bool:
        """Whether it is about the reply that a stream's events make, not about the events."""
        return "," in self.finding["body"]

    @property
    def whole(self) -> bool:
        """Whether its check plays what others judge one by one."""
        return self.item.check in _WHOLE

    @property
    def body(self) -> tuple[str, str]:
        """The body that it is about; a stream and the reply put together of it are one."""
        return self.item.nodeid, self.finding["body"].partition(",")[0]


@dataclass(slots=True)
class RootCause:
    """One fault: its findings, what is only its repetition in whole conversations, and other rules that say it.

    ``others`` has the element of each of those rules. ``harm`` is the rank of the gravest.
    """

    seen: list[Seen]
    echoed: list[Seen] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)
    place: str = ""
    harm: int = 0

    @property
    def rule(self) -> str:
        return self.seen[0].rule

    @property
    def element(self) -> str:
        return self.seen[0].element

    @property
    def level(self) -> str:
        """That of its gravest finding."""
        return LEVELS[min(one.level for one in self.seen)]

    @property
    def formats(self) -> list[str]:
        """The formats of the wrong bodies."""
        return sorted({one.finding["format"] for one in self.seen})

    @property
    def items(self) -> list[ItemRecord]:
        """Its items, each once, in the order of the run."""
        return list({one.item.nodeid: one.item for one in self.seen}.values())

    @property
    def in_the_loop(self) -> int:
        """The items of whole conversations in which it is seen once more."""
        return len({one.item.nodeid for one in self.echoed} - {item.nodeid for item in self.items})

    @property
    def known(self) -> bool:
        """Whether its findings are expected: all are, or none."""
        return self.seen[0].known

    @property
    def example(self) -> Seen:
        """The simplest that shows it: a new and grave one, unary before streamed, plain before variants, small."""
        return min(self.seen, key=_simplicity)

    def take(self, root: RootCause) -> None:
        """Take in the rules of another root that is the same fault."""
        self.others |= {root.rule: root.element, **root.others}
        self.echoed += root.echoed

    def to_json(self) -> dict[str, Any]:
        checks = Counter(item.check for item in self.items)
        return {
            "rule": self.rule,
            "other_rules": sorted(self.others),
            "level": self.level,
            "element": self.element,
            "formats": self.formats,
            "place": self.place,
            "checks": {name: checks[name] for name in in_order(checks)},
            "routes": sorted({f"{item.client}-to-{item.upstream}" for item in self.items}),
            "cases": len({item.case for item in self.items}),
            "items": len(self.items),
            "also_in_the_loop": self.in_the_loop,
            "known": self.known,
            "example": self.example.item.nodeid,
        }


def root_causes(items: Iterable[ItemRecord], harm: Harm) -> list[RootCause]:
    """Group findings by their cause: the gravest, most harmful and most frequent first, known ones last.

    What fails an item in some tries only, and so does not fail the run, is no cause of it.
    """
    groups: dict[_Key, RootCause] = {}
    counted = [
        Seen(item, finding)
        for item in items
        for finding in item.findings
        if item.outcome == "failed" or "unstable" not in finding
    ]
    kept = _without_repetitions(counted, harm)
    for one, others in kept:
        root = groups.setdefault((one.known, one.finding["signature"]), RootCause([]))
        root.seen.append(one)
        root.others |= others
    _fold_loops(groups, harm)
    roots = _join_formats(_join_streams(_join_places(groups, harm), harm))
    for root in roots:
        root.others.pop(root.rule, None)
        root.place = _place(root.seen[0])
        root.harm = min(harm.rank(*rule) for rule in [(root.rule, root.element), *root.others.items()])
    return sorted(
        roots, key=lambda root: (root.known, LEVELS.index(root.level), root.harm, -len(root.items), root.rule)
    )


def in_order(names: Iterable[str]) -> list[str]:
    """The names of checks in the order in which they are told."""
    return sorted(names, key=lambda name: (CHECKS.index(name) if name in CHECKS else len(CHECKS), name))


def _place(one: Seen) -> str:
    words = str(one.finding["signature"]).split(" ")
    return words[-2] if words[-2] != "-" else ""


def _difference(one: Seen) -> str:
    return str(one.finding["signature"]).rpartition(" ")[2]


def _simplicity(one: Seen) -> tuple[Any, ...]:
    item = one.item
    return (
        one.level,
        item.variant is not None,
        CHECKS.index(item.check) if item.check in CHECKS else len(CHECKS),
        len(item.findings) > 1,
        item.size,
        item.nodeid,
    )


def _gravity(one: Seen, harm: Harm) -> tuple[Any, ...]:
    # Between two rules that say the same, that on the translation says more than the format's own.
    element = one.element
    own = not one.rule.startswith("translation/")
    return one.known, one.level, own, harm.place_in_group(one.rule, element), harm.rank(one.rule, element), one.rule


def _without_repetitions(found: list[Seen], harm: Harm) -> Iterator[tuple[Seen, dict[str, str]]]:
    """Findings without those that say the same of one body in other words; with the rules of those left out."""
    bodies: defaultdict[tuple[str, str], list[Seen]] = defaultdict(list)
    for one in found:
        bodies[one.body].append(one)
    for same in bodies.values():
        exact = min(
            ((one.known, one.level) for one in same if one.rule not in harm.echoes), default=(True, len(LEVELS))
        )
        plain = [one for one in same if one.rule not in harm.echoes or (one.known, one.level) < exact]
        groups: defaultdict[Any, list[Seen]] = defaultdict(list)
        for number, one in enumerate(plain):
            group = harm.group(one.rule, one.element)
            # Findings of one rule are as many faults; only other rules repeat it.
            groups[("alone", number) if group is None else group].append(one)
        for alike in groups.values():
            first = min(alike, key=lambda one: _gravity(one, harm)).rule
            others = {one.rule: one.element for one in alike if one.rule != first}
            yield from ((one, others) for one in alike if one.rule == first)


def _fold_loops(groups: dict[_Key, RootCause], harm: Harm) -> None:
    """Move what the loop and round trips repeat to the root that shows it by itself."""
    shown: defaultdict[tuple[Any, ...], list[tuple[_Key, int]]] = defaultdict(list)
    for name, root in groups.items():
        for one in root.seen:
            if not one.whole:
                for key in _kinds(one, harm):
                    shown[*key, one.item.case, one.item.client, one.item.upstream].append((name, one.level))
    for name, root in groups.items():
        rest = []
        for one in root.seen:
            item = one.item
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in _kinds(one, harm)
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in shown.get((*key, item.case, *pair), ())
                if (other[0], level) <= (one.known, one.level)
            ]
            if one.whole and there:
                groups[name if name in there else there[0]].echoed.append(one)
            else:
                rest.append(one)
        root.seen = rest


def _kinds(one: Seen, harm: Harm) -> list[tuple[str, Any]]:
    """What a finding must share with one of the loop: rule and element, or the group of what says the same."""
    element = one.element
    group = harm.group(one.rule, element)
    return [(one.rule, element), *([("", group)] if group is not None else [])]


def _join_places(groups: Mapping[_Key, RootCause], harm: Harm) -> list[RootCause]:
    """Join roots whose findings are on wrong values that another root's are on, too."""
    roots = [root for root in groups.values() if root.seen]
    roots.sort(key=lambda root: (min(_gravity(one, harm)[:3] for one in root.seen), -len(root.seen)))
    owners: defaultdict[_Value, list[RootCause]] = defaultdict(list)
    kept = []
    for root in roots:
        values = [_value(one) for one in root.seen]
        owner = _owner_of_all([value for value in values if value is not None], owners) if None not in values else None
        if owner is not None:
            owner.take(root)
            continue
        kept.append(root)
        for value in values:
            if value is not None:
                owners[value].append(root)
    return kept


def _value(one: Seen) -> _Value | None:
    """The one wrong value that a finding is on; None where that is not known, or holds more than one."""
    finding = one.finding
    # What is absent may be missed by one rule in an object, and something else by another.
    if not finding["pointer"] or isinstance(finding.get("got", {}), (dict, list)):
        return None
    return one.body, finding["format"], finding["pointer"], json.dumps(finding["got"])


def _owner_of_all(places: list[tuple[Any, ...]], owners: Mapping[tuple[Any, ...], list[RootCause]]) -> RootCause | None:
    """The root of the first place that stands at all the other places, too."""
    for root in owners.get(places[0], ()):
        if all(root in owners.get(place, ()) for place in places):
            return root
    return None


def _join_streams(roots: list[RootCause], harm: Harm) -> list[RootCause]:
    """Join what is wrong with the reply of a stream to what mixed up its events, if it never stands without."""
    kept = []
    mixed = [(root, brought) for root in roots if (brought := harm.brings(root.rule, root.element))]
    for root in roots:
        replies = all(one.put_together for one in root.seen)
        causes = [other for other, brought in mixed if root.element in brought and _is_in_all_bodies(other, root)]
        if replies and causes:
            causes[0].take(root)
        else:
            kept.append(root)
    return kept


def _is_in_all_bodies(cause: RootCause, root: RootCause) -> bool:
    """Whether ``cause`` stands in all bodies of ``root``, weighing as much."""
    levels: dict[tuple[str, str], int] = {}
    for one in cause.seen:
        levels[one.body] = min(one.level, levels.get(one.body, one.level))
    grave = all(levels.get(one.body, len(LEVELS)) <= one.level for one in root.seen)
    return grave and cause.known <= root.known


def _join_formats(roots: list[RootCause]) -> list[RootCause]:
    """Join roots that differ in the format alone: a fault of what reads the source, or of what all formats share."""
    kept: list[RootCause] = []
    alike: defaultdict[tuple[Any, ...], list[RootCause]] = defaultdict(list)
    for root in roots:
        place = _place(root.seen[0])
        # Pointers differ from format to format, names of settings do not.
        key = root.known, root.rule, root.element, _difference(root.seen[0]), "" if place.startswith("/") else place
        for other in alike[key]:
            if _differ_in_format(root, other):
                other.seen += root.seen
                other.take(root)
                break
        else:
            alike[key].append(root)
            kept.append(root)
    return kept


def _differ_in_format(root: RootCause, other: RootCause) -> bool:
    """Whether two roots show at the same places of the same sources, in bodies of different formats."""
    if {*root.formats} & {*other.formats} or not _same_cases(root, other):
        return False
    both = {*root.formats, *other.formats}
    sources, theirs = ({one.sources[0] for one in each.seen if not one.whole} for each in (root, other))
    places, there = (_source_places(each) for each in (root, other))
    # Between one format and itself there is often nothing to show.
    return bool(sources and theirs) and sources - both == theirs - both and bool(places & there or places == there)


def _source_places(root: RootCause) -> set[str]:
    found = (one.finding.get("source_pointer") for one in root.seen)
    return {re.sub(r"/\d+", "/*", pointer) for pointer in found if pointer is not None}


def _same_cases(root: RootCause, other: RootCause) -> bool:
    one, two = ({item.case for item in each.items} for each in (root, other))
    return len(one & two) >= _SAME_CASES * len(one | two)
