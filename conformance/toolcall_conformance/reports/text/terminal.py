"""The summary at the end of a run, as lines: a table of routes, the root causes, and last the headline.

A user sees the end first.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import WIDTH, cause_blocks, heading, new_roots, one_line
from toolcall_conformance.reports.text.failure import Line
from toolcall_conformance.reports.text.headline import causes_in_words, first_example, headline, mend_first
from toolcall_conformance.reports.text.route_table import route_table
from toolcall_conformance.reports.text.summary import LossRow, loss_rows, made_up_text
from toolcall_conformance.reports.vocabulary import WORDS

MAX_BLOCKS = 6
# The number of causes after the blocks, each in a line.
MAX_LINES = 20
_ROUTE_WIDTH = 33
_KINDS = tuple((kind, WORDS["losses"][kind]["word"]) for kind in ("cannot", "may", "undue"))

Lines = list[list[Line]]


_UNSTABLE_SHOWN = 3


class Detail(Enum):
    """The detail of a summary: headings only, some blocks, or all blocks."""

    SHORT = -1
    USUAL = 0
    ALL = 1

    @classmethod
    def _missing_(cls, value: object) -> Detail:
        return cls.ALL if isinstance(value, int) and value > 0 else cls.SHORT


def summary_lines(
    run: RunRecord,
    rules: Mapping[str, Rule],
    rerun_command: Callable[..., str],
    *,
    detail: Detail,
    is_reported: bool = False,
    width: int = WIDTH,
) -> Lines:
    """Return the lines to print; a line is a list of pieces with a kind: head, good, bad, a level, or empty.

    ``rerun_command`` makes the command for node ids. ``detail`` follows pytest's verbosity. ``is_reported``: the only
    item has failed, and its text is printed above. ``width`` are the columns of the terminal.
    """
    page = _LineWrapper(width)
    new = [root for root in new_roots(run.roots) if not is_reported or not root.fails]
    everything = detail is Detail.ALL
    lines = [
        *page.mode_lines(run.header),
        *page.table_lines(run),
        *page.loss_lines(loss_rows(run.items), by_route=everything),
    ]
    if detail is Detail.SHORT:
        roots = new[:MAX_BLOCKS]
        lines += [[], *(heading(root, width) for root in roots)] if roots else []
    else:
        written = cause_blocks(new if everything else new[:MAX_BLOCKS], rules, rerun_command, run.items, width=width)
        roots = new[: len(written)]
        lines += [line for each in written for line in ([], *each)]
        short = new[len(roots) :][:MAX_LINES]
        lines += [[], *(one_line(root, rules, width) for root in short)] if short else []
        roots = [*roots, *short]
    lines += page.left_out_lines(new[len(roots) :])
    known_roots = [root for root in run.roots if root.is_known and root.level != "NOTE"]
    if known_roots:
        lines += [
            [],
            [
                Line(
                    f"{pluralize(len(known_roots), 'known cause')}, in {pluralize(_item_count(known_roots), 'item')}",
                    "NOTE",
                )
            ],
        ]
    lines += _unstable_lines(run)
    sentence = made_up_text(run.items)
    lines += [[], [Line(sentence, "NOTE")]] if sentence else []
    if roots:
        lines += [[], [Line("`toolcall-conformance explain RULE` gives reasons, evidence and examples")]]
    return lines


def conclusion_lines(
    run: RunRecord, rules: Mapping[str, Rule], *, is_reported: bool = False, width: int = WIDTH
) -> Lines:
    """Return the last lines: the headline, and what to mend first; ``is_reported`` as in :func:`summary_lines`."""
    page, roots = _LineWrapper(width), new_roots(run.roots)
    if not roots and not any(item.outcome in ("known", "error") for item in run.items):
        return []
    lines = [[Line(headline(run), "head")]]
    if is_reported or not roots:
        return lines
    sentence = f"mend first: {mend_first(run, rules)} ({first_example(run)})"
    return [*lines, *page.wrap(sentence, kind=roots[0].level)]


def _unstable_lines(run: RunRecord) -> Lines:
    """Return lines about the items whose tries differed: their number, and the first ones."""
    nodeids = [item.nodeid for item in run.items if item.outcome == "unstable"]
    if not nodeids:
        return []
    lines = [[Line(f"  {nodeid}")] for nodeid in nodeids[:_UNSTABLE_SHOWN]]
    more = [[Line(f"  and {len(nodeids) - len(lines)} more; the report has all")]] if len(nodeids) > len(lines) else []
    return [
        [],
        [Line(f"{pluralize(len(nodeids), 'unstable item')}: another try ended otherwise", "SHOULD")],
        *lines,
        *more,
    ]


def _item_count(roots: Sequence[RootCause]) -> int:
    """Return the number of items with any of these causes, also of whole conversations."""
    return len({occurrence.item.nodeid for root in roots for occurrence in (*root.occurrences, *root.echoes)})


@dataclass(frozen=True, slots=True)
class _LineWrapper:
    """Renders parts of the summary in lines of at most ``width`` columns."""

    width: int

    def mode_lines(self, header: Mapping[str, Any]) -> Lines:
        """Return a line about the mode in which a published translator ran."""
        translator = header.get("translator") or {}
        return self.wrap(f"{translator['name']} runs {translator['mode']}", kind="NOTE") if "mode" in translator else []

    def left_out_lines(self, roots: Sequence[RootCause]) -> Lines:
        """Return a line about the causes that are not shown."""
        if not roots:
            return []
        causes, items = causes_in_words(roots).replace("cause", "more cause", 1), pluralize(_item_count(roots), "item")
        summary_text = f"and {causes}, in {items}"
        return [[], *self.wrap(f"{summary_text}; -v and --toolcall-report show all")]

    def table_lines(self, run: RunRecord) -> Lines:
        """Return the table of routes and checks."""
        table = route_table(run)
        if not table.rows:
            return []
        label = WORDS["table"]["corner"]
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
            cell_lines = [Line(f" {cell.text:>{width}}", cell.kind) for cell, width in zip(cells, widths, strict=True)]
            lines.append([Line(route.ljust(first)), *cell_lines])
        return [*lines, *self.wrap(table.totals_text)]

    def loss_lines(self, rows: Sequence[LossRow], *, by_route: bool) -> Iterator[list[Line]]:
        """Yield the number of permitted losses; ``by_route`` lists them. Undue losses are always listed."""
        allowed = [row for row in rows if row.kind != "undue"]
        if allowed:
            elements, routes = {row.element for row in allowed}, {(row.client, row.upstream) for row in allowed}
            words = f"{pluralize(len(elements), 'element')}, on {pluralize(len(routes), 'route')}"
            more = "" if by_route else "; -v names them"
            yield from self.wrap(f"losses: {words}, that a format cannot express, or only by convention{more}")
        for kind, title in _KINDS:
            for (check, client, upstream), group in groupby(
                (row for row in rows if row.kind == kind and (by_route or kind == "undue")),
                key=lambda row: (row.check, row.client, row.upstream),
            ):
                names = ", ".join(f"{row.element} ({row.items})" for row in group)
                sentence = f"{title}: {check}, {client} → {upstream}: {names}"
                yield from self.wrap(sentence, indent="  ", kind="SHOULD" if kind == "undue" else "")

    def wrap(self, text: str, *, indent: str = "", kind: str = "") -> Lines:
        """Return a text in lines; the second and later ones are indented."""
        lines = textwrap.wrap(
            text, self.width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
        )
        return [[Line(line, kind)] for line in lines]
