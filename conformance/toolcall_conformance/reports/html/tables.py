"""The page's tables: how many items have which verdict, routes against checks, and what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from toolcall_conformance.reports.html.vocabulary import WORDS
from toolcall_conformance.reports.model import RunRecord
from toolcall_conformance.reports.seen import in_order
from toolcall_conformance.reports.summary import COUNTS, LossRow, count_of, losses, matrix

_VERDICTS = WORDS["verdicts"]
# The shades of a cell: the more is wrong, the darker.
_SHADES = 5


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict that came, and how often."""

    name: str
    sign: str
    word: str
    meaning: str
    count: int


class Cell(NamedTuple):
    """One check on one route: ``good`` of ``total`` items passed. ``share`` is the shade, ``words`` say all counts."""

    client: str
    upstream: str
    check: str
    good: int
    total: int
    sign: str
    words: str
    share: int


class Matrix(NamedTuple):
    """A row for each route, a cell for each check; None where there is nothing to play."""

    checks: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell | None]]]


@dataclass(frozen=True, slots=True)
class LossGroup:
    """What went of one element for one reason."""

    kind: str
    meaning: str
    element: str
    count: int
    rows: Sequence[LossRow]


def verdicts(run: RunRecord) -> list[Verdict]:
    """The verdicts that came, each with its number of items."""
    counts = Counter(count_of(item) for item in run.items)
    counts["not_applicable"] += len(run.not_applicable)
    return [Verdict(name, **_VERDICTS[name], count=counts[name]) for name in COUNTS if counts[name]]


def route_table(run: RunRecord) -> Matrix:
    """Routes against checks."""
    found = matrix(run)
    checks = in_order(found)
    routes = sorted({(client, up) for rows in found.values() for client, row in rows.items() for up in row})
    return Matrix(
        checks,
        [
            (f"{client} → {up}", [_cell(client, up, check, found[check].get(client, {}).get(up)) for check in checks])
            for client, up in routes
        ],
    )


def _cell(client: str, upstream: str, check: str, counts: Mapping[str, int] | None) -> Cell | None:
    if counts is None:
        return None
    total = sum(counts.values()) - counts["not_applicable"]
    good = counts["passed"] + counts["warned"]
    words = ", ".join(f"{count} {_VERDICTS[name]['word']}" for name, count in counts.items() if count)
    bad = total - good
    share = min(_SHADES, 1 + _SHADES * bad // total) if bad else 0
    return Cell(client, upstream, check, good, total, _VERDICTS[_worst(counts, bad)]["sign"], words, share)


def _worst(counts: Mapping[str, int], bad: int) -> str:
    """The verdict that a cell has the sign of."""
    if counts["failed"] + counts["refused"] + counts["error"]:
        return "failed"
    return "known" if bad else "passed"


def loss_table(run: RunRecord) -> list[LossGroup]:
    """What went because a format cannot say it: by kind and element, with the routes of each check."""
    kinds = WORDS["losses"]
    rows = sorted(losses(run.items), key=lambda row: (list(kinds).index(row.kind), row.element, row.check))
    return [
        LossGroup(kind, kinds[kind], element, sum(row.items for row in group), group)
        for (kind, element), found in groupby(rows, key=lambda row: (row.kind, row.element))
        for group in [list(found)]
    ]
