"""What a run showed: the matrix of faults, and what nobody saw, in groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.trust.mutation import OUTCOMES, Mutation
from toolcall_conformance.trust.table import Pattern, Table

MADE = "made"
HEAD = (MADE, *OUTCOMES)

Key = Callable[[Any], tuple[str, ...]]
Rows = dict[tuple[str, ...], Counter[str]]


@dataclass(frozen=True, slots=True)
class Group:
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


def counted(made: Iterable[Any], key: Key) -> Rows:
    """How many faults, or other things with an ``outcome``, were made, and what became of them, by a key."""
    found: Rows = defaultdict(Counter)
    for one in made:
        found[key(one)].update((MADE, one.outcome))
    return dict(sorted(found.items()))


def cell(one: Any) -> tuple[str, ...]:
    """The cell of the matrix that a fault or a variant is in."""
    return one.direction, one.format, one.element, one.operator


def lines(rows: Rows, head: Sequence[str]) -> Iterator[str]:
    """A table: the counts in columns, and what they are of."""
    yield " ".join(f"{name:>10}" for name in head)
    for key, counts in rows.items():
        yield " ".join(f"{counts[name]:10,}" for name in head) + "  " + " ".join(key)


def survivors(made: Sequence[Mutation], table: Table) -> list[Group]:
    """The survivors in groups, the greatest first."""
    found: dict[tuple[str, ...], list[Mutation]] = defaultdict(list)
    for one in made:
        if one.outcome in ("survived", "raised"):
            kind = (one.operator, one.element, one.direction, one.format, one.pattern)
            found[*kind, reason(one, table), hole(one, table)].append(one)
    groups = [
        Group(operator, element, direction, name, pattern, len(group), group[0].name, why, gap)
        for (operator, element, direction, name, pattern, why, gap), group in found.items()
    ]
    return sorted(groups, key=lambda group: (-group.count, group.example))


def reason(one: Mutation, table: Table) -> str:
    """Why the reviewed list says that nobody need see a fault; empty where it does not name it, or as a hole."""
    return _named(one, table.reviewed) if one.outcome == "survived" else ""


def hole(one: Mutation, table: Table) -> str:
    """What the list of open holes says of a fault; empty where it does not name it."""
    return _named(one, table.open) if one.outcome == "survived" else ""


def _named(one: Mutation, listed: Sequence[tuple[Pattern, Mapping[str, Any]]]) -> str:
    direction, pointer = one.within
    entries = (
        entry
        for pattern, entry in listed
        if pattern.is_for(direction, one.format, one.operator, one.element)
        and pattern.is_at(pointer)
        and pattern.is_of(one.place)
    )
    return next((str(entry["reason"]) for entry in entries), "")
