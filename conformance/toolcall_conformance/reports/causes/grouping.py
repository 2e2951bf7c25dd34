"""Groups the findings of a run into root causes.

Findings with one signature (``causes.Cause``) are one root, unless their ``features`` show that different repairs mend
them. Then roots are joined that are one fault seen twice:

- findings of the loop or a round trip that a request, reply or stream of the same case and route has, too;
- rules that are synonyms for one body, or of which one follows from the other, by ``translation/harm.json``;
- two rules that one wrong value breaks;
- findings of one format's bodies at one place toward all played formats (``sources``);
- findings at the same places of the same sources, in the bodies of several formats;
- losses from one place of a source, wherever the output lacks it;
- findings of one client with several providers in the loop that other clients do not have;
- findings that one repair mends, by ``translation/harm.json``;
- findings that share evidence: a place in the source, a copied part, a pattern of ids (``evidence``);
- findings of whole conversations that a fault of replies explains (``conversations``).

Between these, readers that fail in other cases each are parted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from toolcall_conformance.reports.causes.conversations import join_conversations
from toolcall_conformance.reports.causes.evidence import join_by_evidence
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.joins import join_clients, join_depths, join_formats, join_places
from toolcall_conformance.reports.causes.occurrence import CauseKey, Occurrence
from toolcall_conformance.reports.causes.repairs import join_repairs
from toolcall_conformance.reports.causes.repetitions import cause_key, drop_repetitions, fold_loops
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.sources import (
    PlayedRoutes,
    join_readers,
    join_source_places,
    split_by_member,
    split_readers,
)
from toolcall_conformance.reports.item_record import ItemRecord


def find_root_causes(items: Iterable[ItemRecord], harm: Harm) -> list[RootCause]:
    """Group findings by cause: the gravest first, among these by harm times items; known ones last.

    A finding that occurs in some tries only, and so does not fail the run, has no cause.
    """
    groups: dict[CauseKey, RootCause] = {}
    items = list(items)
    played = PlayedRoutes(items)
    counted = [
        Occurrence(item, finding)
        for item in items
        for finding in item.findings
        if item.outcome == "failed" or "unstable" not in finding
    ]
    entries = list(drop_repetitions(counted, harm))
    for occurrence, others in entries:
        root = groups.setdefault(cause_key(occurrence, others, harm), RootCause([]))
        root.occurrences.append(occurrence)
        root.other_rules |= others
    fold_loops(groups, entries, harm)
    roots = join_depths(split_by_member(root for root in groups.values() if root.occurrences))
    roots = join_formats(join_readers(join_places(roots, harm), played, harm), played)
    roots = join_repairs(split_readers(join_clients(join_source_places(roots)), played), harm)
    roots = join_conversations(join_by_evidence(roots), harm)
    for root in roots:
        _lead_with_commonest_rule(root)
        root.other_rules.pop(root.rule, None)
        root.place = root.occurrences[0].place
        weight = max(harm.weight(*rule) for rule in [(root.rule, root.element), *root.other_rules.items()])
        root.harm = weight * len(
            {occurrence.item.nodeid for occurrence in root.occurrences if occurrence.level == root.level_number}
        )
    _set_directions(roots)
    _mark(roots)
    ordered = sorted(
        roots,
        key=lambda root: (root.is_known, root.level_number, _is_detail(root, harm), -root.harm, root.rule),
    )
    return _move_hiding_causes(ordered, harm)


def _lead_with_commonest_rule(root: RootCause) -> None:
    """Move the findings of the rule that most of the gravest findings break to the beginning."""
    grave = [occurrence.rule for occurrence in root.occurrences if occurrence.level == root.level_number]
    lead = max(dict.fromkeys(grave), key=grave.count)
    root.other_rules |= {root.rule: root.element}
    root.occurrences.sort(key=lambda occurrence: occurrence.rule != lead)


def _is_detail(root: RootCause, harm: Harm) -> bool:
    return all(harm.is_detail(*rule) for rule in [(root.rule, root.element), *root.other_rules.items()])


def _move_hiding_causes(roots: list[RootCause], harm: Harm) -> list[RootCause]:
    """Return the roots with those at the beginning that only hide others moved after the next one."""
    late = list(itertools.takewhile(lambda root: root.rule in harm.never_first, roots))
    rest = roots[len(late) :]
    if not rest or (rest[0].is_known, rest[0].level_number) != (roots[0].is_known, roots[0].level_number):
        return roots
    return [rest[0], *late, *rest[1:]]


def _set_directions(roots: list[RootCause]) -> None:
    """Set the direction of causes of one rule if some are in requests and others in replies."""
    ways: dict[str, set[frozenset[str]]] = {}
    for root in roots:
        ways.setdefault(root.rule, set()).add(root.directions)
    for root in roots:
        if len(ways[root.rule]) > 1 and len(root.directions) == 1:
            root.direction = next(iter(root.directions))


def _mark(roots: list[RootCause]) -> None:
    """Mark causes of one rule and way by the first of these that all differ in: formats, place, or both."""
    alike: dict[tuple[str, str], list[RootCause]] = {}
    for root in roots:
        alike.setdefault((root.rule, root.direction), []).append(root)
    for group in alike.values():
        if len(group) > 1:
            marks = [[", ".join(root.formats), root.place, f"{', '.join(root.formats)} {root.place}"] for root in group]
            differing = (column for column in zip(*marks, strict=True) if len(set(column)) == len(group))
            for root, mark in zip(group, next(differing, tuple(both for *_, both in marks)), strict=True):
                root.mark = mark.strip()
