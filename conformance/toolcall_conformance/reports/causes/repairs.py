"""Joins root causes that one repair mends, by the table of repairs in ``harm.json``."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any

from toolcall_conformance.reports.causes.harm import Harm, Repair
from toolcall_conformance.reports.causes.occurrence import Occurrence
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.causes.sources import source_place


def join_repairs(roots: Iterable[RootCause], harm: Harm) -> list[RootCause]:
    """Join roots that share what a row of the table demands; the gravest and most frequent keeps its place and rule."""
    ordered = sorted(roots, key=lambda root: (root.is_known, root.level_number, -len(root.items)))
    sure_keys = {key for root in ordered for key in _repair_keys(root, harm, sure=True)}
    root_causes: list[RootCause] = []
    first: dict[Hashable, RootCause] = {}
    for root in ordered:
        key = next((key for key in _repair_keys(root, harm, sure=False) if key in sure_keys), None)
        other = first.setdefault(key, root) if key is not None else root
        if other is root:
            root_causes.append(root)
        else:
            other.occurrences += root.occurrences
            other.absorb(root)
    return root_causes


def _repair_keys(root: RootCause, harm: Harm, *, sure: bool) -> Iterator[Hashable]:
    """Yield a key for each row that fits a root: roots of one key share one repair.

    In a whole conversation it is unknown whether something was ``copied`` from the source; a root that occurs only
    there has no ``sure`` key.
    """
    for number, row in enumerate(harm.repairs):
        if not row.applies_to(root.rule, root.element):
            continue
        fitting = [_matches_row(occurrence, row) for occurrence in root.occurrences]
        not_known = [
            row.copied and occurrence.is_conversation and _is_own(occurrence) for occurrence in root.occurrences
        ]
        if all(map(operator.or_, fitting, not_known)) and (any(fitting) or not sure):
            shared = tuple(_SHARED_VALUES[name](root) for name in row.same)
            if None not in shared:
                yield number, root.is_known, *shared


def _is_own(occurrence: Occurrence) -> bool:
    """Whether its rule is one of the wrong body's own format."""
    return bool(occurrence.rule.partition("/")[0] == occurrence.finding["format"])


def _matches_row(occurrence: Occurrence, row: Repair) -> bool:
    if row.copied and not (_is_own(occurrence) and occurrence.finding.get("source_pointer") is not None):
        return False
    if row.want and not (isinstance(occurrence.want, str) and occurrence.want in row.want):
        return False
    if row.source_formats and occurrence.source not in row.source_formats:
        return False
    if (row.feature and occurrence.feature != row.feature) or (row.checks and occurrence.item.check not in row.checks):
        return False
    return bool((_is_own(occurrence) or not row.own) and row.inside in occurrence.place)


def _wrong_word(root: RootCause) -> str | None:
    """Return the wrong word or text that all findings of a root have; None if it is not one."""
    words = {
        occurrence.difference.partition("≠")[2] or (occurrence.got if isinstance(occurrence.got, str) else None)
        for occurrence in root.occurrences
    }
    return next(iter(words)) if len(words) == 1 else None


def _source_place(root: RootCause) -> str | None:
    """Return the kind of place in the source that all findings of a root have; None if there is not one."""
    places = {source_place(occurrence) for occurrence in root.occurrences}
    return next(iter(places)) or None if len(places) == 1 else None


_SHARED_VALUES: Mapping[str, Callable[[RootCause], Any]] = {
    "rule": lambda root: root.rule,
    "element": lambda root: root.element,
    "format": lambda root: tuple(root.formats),
    "route": lambda root: tuple(sorted({(item.client, item.upstream) for item in root.items})),
    "checks": lambda root: tuple(sorted({item.check for item in root.items})),
    "place": lambda root: root.occurrences[0].place,
    "from": lambda root: tuple(sorted({occurrence.reader for occurrence in root.occurrences})),
    "source": _source_place,
    "got": _wrong_word,
    "feature": lambda root: (
        next(iter(features)) if len(features := {occurrence.feature for occurrence in root.occurrences}) == 1 else None
    ),
}
