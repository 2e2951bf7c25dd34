"""What a run showed: the matrix of faults, and what nobody saw, in groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.trust.mutation import OUTCOMES, Mutation
from toolcall_conformance.trust.table import MutationPattern, MutationTable

MADE = "made"
HEAD = (MADE, *OUTCOMES)

Key = Callable[[Any], tuple[str, ...]]
Rows = dict[tuple[str, ...], Counter[str]]


@dataclass(frozen=True, slots=True)
class SurvivorGroup:
    """Survivors of one kind. ``reason`` and ``hole`` are what the reviewed list and the open holes say; or empty."""

    operator: str
    element: str
    direction: str
    format: str
    pattern: str
    count: int
    example: str
    reason: str
    hole: str


def count_outcomes(items: Iterable[Any], key: Key) -> Rows:
    """How many faults, or other things with an ``outcome``, were made, and what became of them, by a key."""
    rows: Rows = defaultdict(Counter)
    for item in items:
        rows[key(item)].update((MADE, item.outcome))
    return dict(sorted(rows.items()))


def cell(item: Any) -> tuple[str, ...]:
    """The cell of the matrix that a fault or a variant is in."""
    return item.direction, item.format, item.element, item.operator


def lines(rows: Rows, head: Sequence[str]) -> Iterator[str]:
    """A table: the counts in columns, and what they are of."""
    yield " ".join(f"{name:>10}" for name in head)
    for key, counts in rows.items():
        yield " ".join(f"{counts[name]:10,}" for name in head) + "  " + " ".join(key)


def survivors(mutations: Sequence[Mutation], table: MutationTable) -> list[SurvivorGroup]:
    """The survivors in groups, the greatest first."""
    survivors_by_kind: dict[tuple[str, ...], list[Mutation]] = defaultdict(list)
    for mutation in mutations:
        if mutation.outcome in ("survived", "raised"):
            kind = (mutation.operator, mutation.element, mutation.direction, mutation.format, mutation.pattern)
            survivors_by_kind[*kind, reason(mutation, table), hole(mutation, table)].append(mutation)
    groups = [
        SurvivorGroup(operator, element, direction, name, pattern, len(group), group[0].name, why, gap)
        for (operator, element, direction, name, pattern, why, gap), group in survivors_by_kind.items()
    ]
    return sorted(groups, key=lambda group: (-group.count, group.example))


def reason(mutation: Mutation, table: MutationTable) -> str:
    """Why the reviewed list says that nobody need see a fault; empty where it does not name it, or as a hole."""
    return _listed_reason(mutation, table.reviewed) if mutation.outcome == "survived" else ""


def hole(mutation: Mutation, table: MutationTable) -> str:
    """What the list of open holes says of a fault; empty where it does not name it."""
    return _listed_reason(mutation, table.open) if mutation.outcome == "survived" else ""


def _listed_reason(mutation: Mutation, listed: Sequence[tuple[MutationPattern, Mapping[str, Any]]]) -> str:
    direction, pointer = mutation.within
    entries = (
        entry
        for pattern, entry in listed
        if pattern.is_for(direction, mutation.format, mutation.operator, mutation.element)
        and pattern.is_at(pointer)
        and pattern.is_of(mutation.place)
    )
    return next((str(entry["reason"]) for entry in entries), "")
