"""The summary at the end of a run, as lines: how many items failed and why, a table of routes, then the root causes."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import groupby
from typing import Any

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.blocks import WIDTH, blocks, heading, many, most_frequent_first, new_roots
from toolcall_conformance.reports.failure import Line
from toolcall_conformance.reports.model import RunRecord
from toolcall_conformance.reports.root_cause import RootCause
from toolcall_conformance.reports.route_table import route_table
from toolcall_conformance.reports.summary import LossRow, losses, made_up

MOST_BLOCKS = 10
# A first red run should be read from its beginning: so many lines of blocks, however short the list then is.
_MOST_LINES = 78
_ROUTE_WIDTH = 33
_KINDS = (("cannot", "lost"), ("may", "lost by convention"), ("undue", "reported lost, but both formats have it"))

Lines = list[list[Line]]


_UNSTABLE_SHOWN = 3


class Detail(Enum):
    """How much a summary says of each root cause: its heading, or a block; and of how many."""

    SHORT = -1
    USUAL = 0
    ALL = 1

    @classmethod
    def _missing_(cls, value: object) -> Detail:
        return cls.ALL if isinstance(value, int) and value > 0 else cls.SHORT


def summary(
    run: RunRecord, rules: Mapping[str, Rule], again: Callable[..., str], *, detail: Detail, told: bool = False
) -> Lines:
    """The lines to print; each line is a list of pieces with a kind: head, good, bad, a level, or nothing.

    ``again`` makes the command for node ids. ``detail`` is made of pytest's verbosity. ``told``: the only item has
    failed, and its text with all that failed it stands above.
    """
    found = run.roots
    new = most_frequent_first(new_roots(found))
    everything = detail is Detail.ALL
    lines = [*_mode(run.header), *_overview(run, new, rules if not told else None), *_table(run)]
    new = [root for root in new if not told or not root.fails]
    lines += _losses(losses(run.items), each=everything)
    if detail is Detail.SHORT:
        shown = [[heading(root)] for root in new[:MOST_BLOCKS]]
        lines += [[], *(line for one in shown for line in one)] if shown else []
    else:
        written = blocks(new, rules, again, run.items)
        shown = written if everything else written[: _fitting(written)]
        lines += [line for one in shown for line in ([], *one)]
    lines += _left_out(new[len(shown) :])
    known = [root for root in found if root.known and root.level != "NOTE"]
    if known:
        lines += [[], [Line(f"{many(len(known), 'known cause')}, in {many(_items(known), 'item')}", "NOTE")]]
    lines += _unstable(run)
    said = made_up(run.items)
    lines += [[], [Line(said, "NOTE")]] if said else []
    if shown:
        lines += [[], [Line("`toolcall-conformance explain RULE` gives reasons, evidence and examples")]]
    return lines


def _mode(header: Mapping[str, Any]) -> Lines:
    """In which mode a published translator ran."""
    who = header.get("translator") or {}
    if "mode" not in who:
        return []
    said = textwrap.wrap(f"{who['name']} runs {who['mode']}", WIDTH, subsequent_indent="  ")
    return [[Line(line, "NOTE")] for line in said]


def _unstable(run: RunRecord) -> Lines:
    """The items whose tries differed: how many, and the first ones."""
    found = [item.nodeid for item in run.items if item.outcome == "unstable"]
    if not found:
        return []
    shown = [[Line(f"  {nodeid}")] for nodeid in found[:_UNSTABLE_SHOWN]]
    more = [[Line(f"  and {len(found) - len(shown)} more; the report has all")]] if len(found) > len(shown) else []
    return [[], [Line(f"{many(len(found), 'unstable item')}: another try ended otherwise", "SHOULD")], *shown, *more]


def _overview(run: RunRecord, roots: Sequence[RootCause], rules: Mapping[str, Rule] | None) -> Lines:
    """How much failed, and the most frequent cause of it; without ``rules`` only how much."""
    if not roots:
        return []
    failed = sum(item.outcome == "failed" for item in run.items)
    causes = ", ".join(f"{count} {level}" for level, count in Counter(root.level for root in roots).items())
    lines = [
        [Line(f"{failed} of {many(len(run.items), 'item')} failed; {many(len(roots), 'cause')}: {causes}", "head")]
    ]
    if rules is None:
        return [*lines, []]
    most = roots[0]
    texts = most.texts(rules)
    breach = texts.breach if texts is not None else most.example.finding["message"]
    lines.append([Line(f"most frequent: {most.rule}, {many(len(most.items), 'item')}", most.level)])
    lines.append([Line(f"  {breach}"[:WIDTH])])
    return [*lines, []]


def _items(roots: Sequence[RootCause]) -> int:
    """The number of items that show any of some causes, in whole conversations, too."""
    return len({one.item.nodeid for root in roots for one in (*root.seen, *root.echoed)})


def _fitting(told: Sequence[Lines]) -> int:
    """How many blocks to show: ten, or fewer if they are long, and at least one."""
    lines = 0
    for number, one in enumerate(told[:MOST_BLOCKS]):
        lines += len(one) + 1
        if lines > _MOST_LINES:
            return max(number, 1)
    return min(len(told), MOST_BLOCKS)


def _left_out(roots: Sequence[RootCause]) -> Lines:
    if not roots:
        return []
    levels = ", ".join(f"{count} {level}" for level, count in Counter(root.level for root in roots).items())
    said = f"and {many(len(roots), 'more cause')} ({levels}), in {many(_items(roots), 'item')}"
    return [[], *_wrapped(f"{said}; -v and --toolcall-report show all")]


def _table(run: RunRecord) -> Lines:
    """A row for each route with items, a column for each check: passed of all."""
    table = route_table(run)
    if not table.rows:
        return []
    label = "passed, of all"
    first = min(max(len(label), *(len(f"{client} → {upstream}") for client, upstream in table.rows)), _ROUTE_WIDTH)
    widths = [
        max(len(name), *(len(cells[number].text) for cells in table.rows.values()))
        for number, name in enumerate(table.checks)
    ]
    head = [Line(label.ljust(first), "head")]
    lines = [head + [Line(f" {name:>{width}}", "head") for name, width in zip(table.checks, widths, strict=True)]]
    for (client, upstream), cells in table.rows.items():
        route = f"{client} → {upstream}"
        if len(route) > first:
            lines.append([Line(route)])
            route = ""
        shown = [Line(f" {cell.text:>{width}}", cell.kind) for cell, width in zip(cells, widths, strict=True)]
        lines.append([Line(route.ljust(first)), *shown])
    return [*lines, *_wrapped(table.told_totals)]


def _losses(rows: Sequence[LossRow], *, each: bool) -> Iterator[list[Line]]:
    """Permitted losses, counted, or ``each`` by route. Undue losses are always named."""
    allowed = [row for row in rows if row.kind != "undue"]
    if allowed:
        elements, routes = {row.element for row in allowed}, {(row.client, row.upstream) for row in allowed}
        words = f"{many(len(elements), 'element')}, on {many(len(routes), 'route')}"
        more = "" if each else "; -v names them"
        yield from _wrapped(f"losses: {words}, that a format cannot express, or only by convention{more}")
    for kind, title in _KINDS:
        for (check, client, upstream), group in groupby(
            (row for row in rows if row.kind == kind and (each or kind == "undue")),
            key=lambda row: (row.check, row.client, row.upstream),
        ):
            names = ", ".join(f"{row.element} ({row.items})" for row in group)
            said = f"{title}: {check}, {client} → {upstream}: {names}"
            yield from _wrapped(said, indent="  ", kind="SHOULD" if kind == "undue" else "")


def _wrapped(text: str, *, indent: str = "", kind: str = "") -> Lines:
    lines = textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
    return [[Line(line, kind)] for line in lines]
