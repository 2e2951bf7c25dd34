"""The page's tables: how many items have which verdict, routes against checks, and what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text import route_table
from toolcall_conformance.reports.text.summary import (
    COUNTS,
    LossRow,
    count_matrix,
    count_name,
    counts_in_words,
    loss_rows,
    not_applicable_text,
)
from toolcall_conformance.reports.vocabulary import WORDS

_VERDICTS = WORDS["verdicts"]
# The shades of a cell: the more is wrong, the darker.
_SHADES = 5


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A verdict and its number of items."""

    name: str
    sign: str
    word: str
    meaning: str
    count: int


class MatrixCell(NamedTuple):
    """A check on a route: ``text`` is ``12/14``, ``n/a`` or ``-``.

    If an item was played, ``sign`` is that of the worst verdict, ``share`` the shade, and ``words`` are all counts.
    """

    check: str
    text: str
    sign: str = ""
    words: str = ""
    share: int = 0


class MatrixRow(NamedTuple):
    """A route with its cells."""

    client: str
    upstream: str
    cells: Sequence[MatrixCell]


class Matrix(NamedTuple):
    """A row for each route that ran, a cell for each check; ``left_out`` is how many routes did not run."""

    checks: Sequence[str]
    rows: Sequence[MatrixRow]
    left_out: int


@dataclass(frozen=True, slots=True)
class LossGroup:
    """The losses of one element of one kind."""

    word: str
    kind: str
    meaning: str
    element: str
    count: int
    rows: Sequence[LossRow]


def verdict_counts(run: RunRecord) -> list[VerdictCount]:
    """Return the verdicts of a run, each with its number of items."""
    counts = Counter(count_name(item) for item in run.items)
    counts["not_applicable"] += len(run.not_applicable)
    words = {name: dict(_VERDICTS[name]) for name in COUNTS}
    words["not_applicable"]["meaning"] = not_applicable_text(run).partition(": ")[2]
    return [VerdictCount(name, **words[name], count=counts[name]) for name in COUNTS if counts[name]]


def route_matrix(run: RunRecord) -> Matrix:
    """Return the table of the terminal with a sign, a shade and all counts in each cell."""
    table, counts = route_table.route_table(run), count_matrix(run)
    rows = [
        MatrixRow(
            client,
            upstream,
            [
                _cell(check, cell.text, counts[check].get(client, {}).get(upstream, {}))
                for check, cell in zip(table.checks, cells, strict=True)
            ],
        )
        for (client, upstream), cells in table.rows.items()
    ]
    routes = {(client, up) for columns in counts.values() for client, row in columns.items() for up in row}
    return Matrix(table.checks, rows, len(routes) - len(rows))


def _cell(check: str, text: str, counts: Mapping[str, int]) -> MatrixCell:
    total = sum(count for name, count in counts.items() if name != "not_applicable")
    if not total:
        return MatrixCell(check, text)
    bad = total - counts["passed"] - counts["warned"]
    share = min(_SHADES, 1 + _SHADES * bad // total) if bad else 0
    return MatrixCell(check, text, _VERDICTS[_worst_verdict(counts, bad)]["sign"], counts_in_words(counts), share)


def _worst_verdict(counts: Mapping[str, int], bad: int) -> str:
    """Return the verdict whose sign a cell has."""
    if counts["failed"] + counts["refused"] + counts["error"]:
        return "failed"
    return "known" if bad else "passed"


def loss_table(run: RunRecord) -> list[LossGroup]:
    """Return the losses of a run by kind and element, with the routes of each check."""
    kinds = WORDS["losses"]
    rows = sorted(loss_rows(run.items), key=lambda row: (list(kinds).index(row.kind), row.element, row.check))
    return [
        LossGroup(kinds[kind]["word"], kind, kinds[kind]["meaning"], element, sum(row.items for row in group), group)
        for (kind, element), same in groupby(rows, key=lambda row: (row.kind, row.element))
        for group in [list(same)]
    ]
