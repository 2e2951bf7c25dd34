"""The summary at the end of a run, as lines: a matrix for each check, the losses, then the root causes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.failure import Line
from toolcall_conformance.reports.model import RunRecord
from toolcall_conformance.reports.summary import LossRow, RootCause, losses, matrix, root_causes

_ROOTS_SHOWN = 30
_KINDS = (("cannot", "lost"), ("may", "lost by convention"), ("undue", "reported lost, but both formats have it"))


def summary(
    run: RunRecord, rules: Mapping[str, Rule], again: Callable[..., str], *, everything: bool
) -> list[list[Line]]:
    """The lines to print; each line is a list of pieces with a kind: head, good, bad, a level, or nothing.

    ``again`` makes the command for a node id. Without ``everything`` it shows only the most frequent root causes, and
    counts the losses.
    """
    lines: list[list[Line]] = []
    for check, rows in matrix(run).items():
        lines += _table(check, rows)
        lines.append([])
    lost = list(_losses(losses(run.items), each=everything))
    lines += [*lost, []] if lost else []
    found = [root for root in root_causes(run.items) if root.level != "NOTE"]
    shown = found if everything else found[:_ROOTS_SHOWN]
    for root in shown:
        lines += _root(root, rules, again)
    if len(found) > len(shown):
        lines.append([Line(f"and {len(found) - len(shown)} more root causes; -v and --toolcall-report show all")])
    return lines


def _table(check: str, rows: Mapping[str, Mapping[str, Mapping[str, int]]]) -> list[list[Line]]:
    upstreams = sorted({upstream for row in rows.values() for upstream in row})
    label = f"{check}: client \\ upstream"
    first = max(len(label), *(len(client) for client in rows))
    widths = [max(len(upstream), 9) for upstream in upstreams]
    lines = [
        [
            Line(label.ljust(first), "head"),
            *(_cell(name, width, "head") for name, width in zip(upstreams, widths, strict=True)),
        ]
    ]
    totals: dict[str, int] = {}
    for client, row in rows.items():
        pieces = [Line(client.ljust(first))]
        for upstream, width in zip(upstreams, widths, strict=True):
            counts = row.get(upstream, {})
            pieces.append(_cell(*_fraction(counts, width)))
            for name, count in counts.items():
                totals[name] = totals.get(name, 0) + count
        lines.append(pieces)
    parts = [f"{count} {name.replace('_', ' ')}" for name, count in totals.items() if count]
    lines.append([Line(", ".join(parts))])
    return lines


def _cell(text: str, width: int, kind: str) -> Line:
    return Line(f"  {text:>{width}}", kind)


def _fraction(counts: Mapping[str, int], width: int) -> tuple[str, int, str]:
    total = sum(count for name, count in counts.items() if name != "not_applicable")
    if not total:
        return ("n/a" if counts else "-"), width, ""
    passed = counts["passed"] + counts["warned"]
    kind = "bad" if counts["failed"] + counts["refused"] + counts["error"] else "good"
    return f"{passed}/{total}", width, kind if passed == total or kind == "bad" else ""


def _losses(rows: Sequence[LossRow], *, each: bool) -> Iterator[list[Line]]:
    """Permitted losses, counted, or ``each`` by route. Undue losses are always named."""
    allowed = [row for row in rows if row.kind != "undue"]
    if allowed:
        elements, routes = {row.element for row in allowed}, {(row.client, row.upstream) for row in allowed}
        words = f"{_many(len(elements), 'element')}, on {_many(len(routes), 'route')}"
        more = "" if each else "; -v names them"
        yield [Line("losses", "head"), Line(f": {words}, that a format cannot express, or only by convention{more}")]
    for kind, title in _KINDS:
        for (check, client, upstream), group in groupby(
            (row for row in rows if row.kind == kind and (each or kind == "undue")),
            key=lambda row: (row.check, row.client, row.upstream),
        ):
            arrow = f"{client} ← {upstream}" if check == "response" else f"{client} → {upstream}"
            names = ", ".join(f"{row.element} ({row.items})" for row in group)
            yield [Line(f"  {title}: {check}, {arrow}: {names}", "SHOULD" if kind == "undue" else "")]


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count != 1 else ''}"


def _root(root: RootCause, rules: Mapping[str, Rule], again: Callable[..., str]) -> list[list[Line]]:
    breach = rules[root.rule].breach if root.rule in rules else root.message
    arrow = (
        f"{_few(root.sources)} → {root.target}" if root.check == "request" else f"{root.target} ← {_few(root.sources)}"
    )
    cases = _many(root.cases, "case")
    level = f"{root.level}, known" if root.known else root.level
    return [
        [
            Line(f"{cases:>9}  "),
            Line(f"{root.rule}  {level}", "NOTE" if root.known else root.level),
            Line(f"  {breach}"),
        ],
        [Line(f"{'':>9}  {root.check}, {arrow}" + (f", {root.element}" if root.element else ""))],
        [Line(f"{'':>9}  {again(root.example)}")],
    ]


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names)
