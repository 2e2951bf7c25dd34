"""What ``judge --tolerated`` prints: the accepted differences, each with the name of its equivalence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Tolerated
from toolcall_conformance.reports.text.failure import show

_LONGEST = 60


def tolerated_lines(tolerated: Iterable[Tolerated]) -> Iterator[str]:
    """The accepted differences, a line each, by name."""
    tolerances = sorted(tolerated, key=lambda tolerance: tolerance.name)
    yield f"tolerated: {len(tolerances) or 'nothing'}"
    width = max((len(tolerance.name) for tolerance in tolerances), default=0)
    for tolerance in tolerances:
        source = "" if tolerance.source_pointer is None else f"  (source {tolerance.source_pointer or 'as a whole'})"
        yield f"    {tolerance.name:<{width}}  {tolerance.pointer or 'absent'}{source}{_values(tolerance)}"
    if tolerances:
        yield "    see   toolcall-conformance explain NAME"


def _values(tolerance: Tolerated) -> str:
    if tolerance.want is MISSING and tolerance.got is MISSING:
        return ""
    return f": {_short(tolerance.want)} → {_short(tolerance.got)}"


def _short(value: Any) -> str:
    text = " ".join(show(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def tolerated_json(tolerated: Iterable[Tolerated]) -> list[dict[str, Any]]:
    """The accepted differences as JSON; values that are absent are left out."""
    return [
        {"name": tolerance.name, "pointer": tolerance.pointer, "source_pointer": tolerance.source_pointer}
        | {key: value for key, value in (("want", tolerance.want), ("got", tolerance.got)) if value is not MISSING}
        for tolerance in tolerated
    ]
