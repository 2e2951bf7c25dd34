"""What a judge accepted between two bodies: the comparisons record it where they grant it, the notation is added."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.findings import Finding, Tolerated
from toolcall_conformance.translation.notation import record_notation
from toolcall_conformance.translation.pair import Pair


def accepted_in(pair: Pair, found: Iterable[Finding]) -> tuple[Tolerated, ...]:
    """The accepted differences, each once; none where nobody asked for them.

    What ``found`` reports as a MUST at a place was not accepted there.
    """
    if pair.accepted is None:
        return ()
    record_notation(pair)
    refused = {(side, place) for one in found if one.is_must for side, place in _sides(one) if place}
    known = {(one.name, one.pointer, one.source_pointer): one for one in reversed(pair.accepted)}
    return tuple(one for one in reversed(known.values()) if refused.isdisjoint(_sides(one)))


def _sides(one: Finding | Tolerated) -> tuple[tuple[str, str | None], ...]:
    return (("output", one.pointer), ("source", one.source_pointer))
