"""What ``judge --tolerated`` prints: the accepted differences, each with the name of its equivalence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.findings import MISSING, Tolerated
from toolcall_conformance.reports.failure import show

_LONGEST = 60


def tolerated_lines(tolerated: Iterable[Tolerated]) -> Iterator[str]:
    """The accepted differences, a line each, by name."""
    found = sorted(tolerated, key=lambda one: one.name)
    yield f"tolerated: {len(found) or 'nothing'}"
    width = max((len(one.name) for one in found), default=0)
    for one in found:
        source = "" if one.source_pointer is None else f"  (source {one.source_pointer or 'as a whole'})"
        yield f"    {one.name:<{width}}  {one.pointer or 'absent'}{source}{_values(one)}"
    if found:
        yield "    see   toolcall-conformance explain NAME"


def _values(one: Tolerated) -> str:
    if one.want is MISSING and one.got is MISSING:
        return ""
    return f": {_short(one.want)} → {_short(one.got)}"


def _short(value: Any) -> str:
    text = " ".join(show(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def tolerated_json(tolerated: Iterable[Tolerated]) -> list[dict[str, Any]]:
    """The accepted differences as JSON; values that are absent are left out."""
    return [
        {"name": one.name, "pointer": one.pointer, "source_pointer": one.source_pointer}
        | {key: value for key, value in (("want", one.want), ("got", one.got)) if value is not MISSING}
        for one in tolerated
    ]
