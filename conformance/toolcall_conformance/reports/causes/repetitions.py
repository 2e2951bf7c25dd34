"""Findings that only repeat others or follow from them: in one body, in one item, or in the loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.occurrence import LEVELS, CauseKey, LeadingOccurrence, Occurrence, gravity
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord


def drop_repetitions(occurrences: list[Occurrence], harm: Harm) -> Iterator[LeadingOccurrence]:
    """Yield the findings that neither repeat nor follow from another of their item, each with the rules it leads."""
    items: defaultdict[str, defaultdict[tuple[str, str], list[Occurrence]]] = defaultdict(lambda: defaultdict(list))
    for occurrence in occurrences:
        items[occurrence.item.nodeid][occurrence.body_key].append(occurrence)
    for bodies in items.values():
        yield from drop_followers([each for same in bodies.values() for each in _drop_synonyms(same, harm)])


def _drop_synonyms(body_findings: list[Occurrence], harm: Harm) -> Iterator[LeadingOccurrence]:
    """Yield the findings on one body without synonyms, which ``harm.json`` lists in groups."""
    exact = min(
        ((occurrence.is_known, occurrence.level) for occurrence in body_findings if occurrence.rule not in harm.echoes),
        default=(True, len(LEVELS)),
    )
    plain = [
        occurrence
        for occurrence in body_findings
        if occurrence.rule not in harm.echoes or (occurrence.is_known, occurrence.level) < exact
    ]
    groups: defaultdict[Any, list[Occurrence]] = defaultdict(list)
    for number, occurrence in enumerate(plain):
        group = harm.group(occurrence.rule, occurrence.element)
        # Each finding of one rule is a fault; only other rules repeat it.
        groups[("alone", number) if group is None else group].append(occurrence)
    for alike in groups.values():
        rules = {occurrence.rule for occurrence in alike}
        first = min(
            alike,
            key=lambda occurrence: (occurrence.is_known, _follows_from(occurrence, rules), *gravity(occurrence, harm)),
        ).rule
        others = {occurrence.rule: occurrence.element for occurrence in alike if occurrence.rule != first}
        yield from ((occurrence, dict(others)) for occurrence in alike if occurrence.rule == first)


def _follows_from(occurrence: Occurrence, rules: Collection[str]) -> bool:
    """Whether a finding is the consequence of one of these rules in the same body."""
    because = occurrence.finding.get("because")
    return because is not None and not because.get("in_source") and because["rule"] in rules


def fold_loops(groups: dict[CauseKey, RootCause], entries: list[LeadingOccurrence], harm: Harm) -> None:
    """Move findings of the loop and of round trips to the root that a single request, reply or stream shows."""
    direct_keys: defaultdict[tuple[Any, ...], list[tuple[CauseKey, int]]] = defaultdict(list)
    for occurrence, others in entries:
        if not occurrence.is_conversation:
            for key in [
                key
                for rule in {occurrence.rule: occurrence.element, **others}.items()
                for key in _match_keys(*rule, harm)
            ]:
                direct_keys[*key, occurrence.item.case, occurrence.item.client, occurrence.item.upstream].append(
                    (cause_key(occurrence, others, harm), occurrence.level)
                )
    for root in groups.values():
        rest = []
        for occurrence in root.occurrences:
            if not occurrence.is_conversation:  # else tens of thousands in one body would be compared with each other
                rest.append(occurrence)
                continue
            item = occurrence.item
            same = [key for key in _match_keys(occurrence.rule, occurrence.element, harm) if key[1] is not None]
            before = [(rule, None) for rule, _ in harm.consequences.causes_of(occurrence.rule, way_back=False)]
            ends = [(item.client, item.upstream), (item.upstream, item.client)]
            there = [
                other
                for key in [*same, *before]
                for pair in (ends if item.check == "round_trip" else ends[:1])
                for other, level in direct_keys.get((*key, item.case, *pair), ())
                if (other[0], level) <= (occurrence.is_known, occurrence.level)
            ]
            if there:
                alone = occurrence.key._replace(is_way_back=False)
                groups[alone if alone in there else there[0]].echoes.append(occurrence)
            else:
                rest.append(occurrence)
        root.occurrences = rest


def cause_key(occurrence: Occurrence, others: Collection[str], harm: Harm) -> CauseKey:
    """Return the key of a finding that leads these other rules."""
    return occurrence.key._replace(companions=harm.companions(occurrence.rule, occurrence.element, others))


def _match_keys(rule: str, element: str, harm: Harm) -> list[tuple[str, Any]]:
    """Return the keys by which a finding of the loop matches another: rule and element, the rule, or the group."""
    group = harm.group(rule, element)
    return [(rule, element), (rule, None), *([("", group)] if group is not None else [])]


def drop_followers(entries: list[LeadingOccurrence]) -> list[LeadingOccurrence]:
    """Return the findings of one item without those that follow from others, whose rules are added to these.

    The judge names the cause of each finding. A cause that is a known failure does not lead a new finding.
    """
    at_place: dict[tuple[str, str, str, str], int] = {}
    of_rule: dict[tuple[str, str, str], int] = {}
    for number, (finding, others) in enumerate(entries):
        at_place.setdefault((*finding.body_key, finding.rule, finding.pointer), number)
        for rule in (finding.rule, *others):
            of_rule.setdefault((*finding.body_key, rule), number)
    leaders: dict[int, int] = {}
    for number, (finding, _) in enumerate(entries):
        cause = _named_cause(finding)
        first = at_place.get(cause, of_rule.get(cause[:3])) if cause is not None else None
        if first is not None and first != number and _severity(entries[first][0]) <= _severity(finding):
            leaders[number] = first
    for number in leaders:
        first = number
        while first in leaders:  # no finding follows from itself
            first = leaders[first]
        finding, others = entries[number]
        entries[first][1].update({finding.rule: finding.element, **others})
    return [each for number, each in enumerate(entries) if number not in leaders]


def _named_cause(occurrence: Occurrence) -> tuple[str, str, str, str] | None:
    because = occurrence.finding.get("because")
    if because is None or because.get("in_source"):
        return None
    node, _ = occurrence.body_key
    return node, because.get("body", "").partition(",")[0], because["rule"], because.get("pointer", "")


def _severity(occurrence: Occurrence) -> tuple[bool, int]:
    return occurrence.is_known, occurrence.level


def leading_rules(
    findings: Sequence[Finding], corpus: Corpus, *, check: str, client: str, upstream: str
) -> dict[str, str]:
    """Return, for each rule whose findings all follow from or repeat others, the rule that leads it."""
    item = ItemRecord.of(
        nodeid="",
        case="",
        check=check,
        client=client,
        upstream=upstream,
        verdict=Verdict.FAIL,
        outcome="failed",
        findings=findings,
        facts=lambda finding: {"signature": str(cause_of(corpus, finding))},
    )
    entries = list(drop_repetitions([Occurrence(item, finding) for finding in item.findings], Harm.of(corpus)))
    alone = {occurrence.rule for occurrence, _ in entries}
    return {rule: occurrence.rule for occurrence, others in reversed(entries) for rule in others if rule not in alone}
