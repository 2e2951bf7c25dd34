"""A difference as plain text: what fails newly in blocks, as the summary of a run has them, the rest in a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.difference import CauseChange, ReportDifference
from toolcall_conformance.reports.changes.told import counts, headline, reasons, sections, subject
from toolcall_conformance.reports.text.blocks import WIDTH, block

_SHOWN = 10


def lines(difference: ReportDifference, rules: Mapping[str, Rule], *, everything: bool = False) -> Iterator[str]:
    """The lines; ``everything``: all causes of each section, not the first ten."""
    yield from map(visible, subject(difference))
    yield from ("", headline(difference))
    for section in sections(difference):
        items = {nodeid for change in section.changes for nodeid in (*change.gained, *change.lost)}
        counted = [pluralize(len(section.changes), "cause"), *([pluralize(len(items), "item")] if items else [])]
        yield from ("", f"{section.title}: {', '.join(counted)}")
        yield from map(
            visible, [f"  {section.says}"] * bool(section.says) + [f"    {command}" for command in section.commands]
        )
        changes = section.changes if everything else section.changes[:_SHOWN]
        for change in changes:
            yield from _in_full(change, difference, rules) if section.full else [_heading(change, "  ")]
        if len(changes) < len(section.changes):
            yield from (
                *([""] if section.full else []),
                f"  and {len(section.changes) - len(changes)} more; --all shows them",
            )


def _heading(change: CauseChange, indent: str = "") -> str:
    head = f"{indent}{change.root.level:<6}  {change.root.rule}"
    return f"{head}{counts(change):>{max(2, WIDTH - len(head))}}"


def _in_full(change: CauseChange, difference: ReportDifference, rules: Mapping[str, Rule]) -> Iterator[str]:
    run = difference.sides.new.run
    yield from ("", _heading(change), f"  why   {reasons(change)}")
    for pieces in block(change.shown, rules, run.again, run.items)[1:]:
        yield visible("".join(piece.text for piece in pieces))
