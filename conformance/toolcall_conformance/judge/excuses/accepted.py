"""The differences that a judge accepted between two bodies: the comparisons record them, other notations are added."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_conformance.basics.findings import Finding, Tolerated
from toolcall_conformance.judge.translation.notation import record_notation
from toolcall_conformance.judge.translation.pair import Pair


def accepted_differences(pair: Pair, findings: Iterable[Finding]) -> tuple[Tolerated, ...]:
    """The accepted differences, each once; empty if they were not asked for.

    A place where ``findings`` has a MUST has none.
    """
    if pair.accepted is None:
        return ()
    record_notation(pair)
    refused = {
        (side, place) for finding in findings if finding.is_must for side, place in _places_by_side(finding) if place
    }
    tolerances = {
        (tolerance.name, tolerance.pointer, tolerance.source_pointer): tolerance
        for tolerance in reversed(pair.accepted)
    }
    return tuple(
        tolerance for tolerance in reversed(tolerances.values()) if refused.isdisjoint(_places_by_side(tolerance))
    )


def _places_by_side(item: Finding | Tolerated) -> tuple[tuple[str, str | None], ...]:
    return (("output", item.pointer), ("source", item.source_pointer))
