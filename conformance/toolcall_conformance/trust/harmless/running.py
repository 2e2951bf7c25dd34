"""Runs shelves of variants, in one process or in several, and sorts the alarms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from toolcall_conformance.trust.harmless.trying import Shelf, TriedVariant, VariantTrier
from toolcall_conformance.trust.running import OutputSource, Progress, in_parts
from toolcall_conformance.trust.sampling import Sampler

_TRIERS: dict[int, VariantTrier] = {}


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """Variants of one kind that one rule, or an exception of the judge, is told of."""

    rule: str
    spelling: str
    direction: str
    format: str
    count: int
    example: str


def run(source: OutputSource, shelves: Sequence[Shelf], jobs: int, progress: Progress) -> list[TriedVariant]:
    """The variants of all shelves, judged. ``progress`` is told shelves done and shelves in all."""
    groups: dict[tuple[str, str, str], list[Shelf]] = {}
    for shelf in shelves:  # by route and direction: a body is made once, and serves both sides
        groups.setdefault((shelf.direction, shelf.client, shelf.upstream), []).append(shelf)
    return in_parts(_tried, source, list(groups.values()), jobs, progress)


def _tried(sampler: Sampler, shelf: Shelf) -> list[TriedVariant]:
    trier = _TRIERS.setdefault(id(sampler), VariantTrier(sampler))
    return list(trier.tried(shelf))


def grouped(tried: Sequence[TriedVariant], outcomes: Sequence[str]) -> list[VariantGroup]:
    """The variants with one of these outcomes by rule, spelling, direction and format, the greatest groups first."""
    trials_by_key: dict[tuple[str, str, str, str], list[TriedVariant]] = defaultdict(list)
    for attempt in tried:
        if attempt.outcome in outcomes:
            for rule in attempt.rules:
                trials_by_key[rule, attempt.spelling, attempt.direction, attempt.format].append(attempt)
    groups = [VariantGroup(*key, len(some), some[0].name) for key, some in trials_by_key.items()]
    return sorted(groups, key=lambda group: (-group.count, group.example))
