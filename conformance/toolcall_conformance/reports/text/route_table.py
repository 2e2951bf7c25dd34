"""The table of a run: a row per route with items, a column per check, passed and all items in each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.reports.causes.occurrence import sort_checks
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.summary import count_matrix, run_in_words
from toolcall_conformance.reports.vocabulary import WORDS


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: ``12/14``, ``n/a`` if none applies, ``-`` if there are no items; ``kind`` is good, bad or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class RouteTable:
    """The names of the columns, and each route's cells in their order; ``totals_text`` are all counts in words."""

    checks: Sequence[str]
    rows: Mapping[tuple[str, str], Sequence[Cell]]
    totals_text: str


def route_table(run: RunRecord) -> RouteTable:
    """Return the table of a run; checks and routes without played items are left out."""
    rows_by_check = count_matrix(run)
    checks = [
        name for name in sort_checks(rows_by_check) if any(_total(cell) for cell in _cell_counts(rows_by_check[name]))
    ]
    routes = sorted(
        {
            (client, upstream)
            for name in checks
            for client, row in rows_by_check[name].items()
            for upstream, counts in row.items()
            if _total(counts)
        }
    )
    return RouteTable(
        checks,
        {
            (client, upstream): [_cell(rows_by_check[name].get(client, {}).get(upstream, {})) for name in checks]
            for client, upstream in routes
        },
        run_in_words(run),
    )


def _cell_counts(rows: Mapping[str, Mapping[str, Mapping[str, int]]]) -> list[Mapping[str, int]]:
    return [counts for row in rows.values() for counts in row.values()]


def _total(counts: Mapping[str, int]) -> int:
    return sum(count for name, count in counts.items() if name != "not_applicable")


def _cell(counts: Mapping[str, int]) -> Cell:
    total = _total(counts)
    if not total:
        return Cell(WORDS["table"]["unsupported" if counts else "empty"])
    passed = counts["passed"] + counts["warned"]
    kind = "bad" if counts["failed"] + counts["refused"] + counts["error"] else "good"
    return Cell(f"{passed}/{total}", kind if passed == total or kind == "bad" else "")
