"""A difference of two reports as plain text, as Markdown for a pull request, and as JSON.

The schema of the JSON is ``reports/changes/diff.schema.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.difference import CauseChange, ReportDifference
from toolcall_conformance.reports.changes.sections import counts, headline, outline, reasons, sections, subject
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import WIDTH, block
from toolcall_conformance.reports.text.markdown import code, details, words

_SHOWN = 10


def text_lines(difference: ReportDifference, rules: Mapping[str, Rule], *, everything: bool = False) -> Iterator[str]:
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


MOST_LINES = 100
_FULL_SHOWN = 5
_SHORT_SHOWN = 6


def markdown_text(difference: ReportDifference, rules: Mapping[str, Rule]) -> str:
    """The page. What does not fit is counted."""
    lines = ["## Tool call conformance: what changed", "", *(f"- {code(line)}" for line in subject(difference)), ""]
    lines += [f"**{headline(difference)[:1].upper()}{headline(difference)[1:]}.**"]
    chosen = list(sections(difference))
    # The sections that follow need a title, a cause and the words of what is left out.
    room = MOST_LINES - len(lines)
    for number, section in enumerate(chosen):
        limit = room - 6 * (len(chosen) - number - 1)
        entries = [_full(change, difference, rules) if section.full else [_short(change)] for change in section.changes]
        part = ["", f"### {section.title}", ""]
        if section.says:
            part += [words(section.says), "", *(f"- {code(command)}" for command in section.commands), ""]
        count = 0
        for entry in entries[: _FULL_SHOWN if section.full else _SHORT_SHOWN]:
            if count and len(part) + len(entry) + 2 > limit:
                break
            part += entry
            count += 1
        left = len(entries) - count
        part += ["", f"and {left} more"] if left else []
        room -= len(part)
        lines += part
    return "\n".join(lines) + "\n"


def _short(change: CauseChange) -> str:
    return f"- **{change.root.level}** {code(change.root.rule)} · {counts(change)}"


def _full(change: CauseChange, difference: ReportDifference, rules: Mapping[str, Rule]) -> list[str]:
    cause_outline = outline(change, difference, rules)
    return [f"{_short(change)} · {words(cause_outline.says)} ({words(reasons(change))})", *details(cause_outline, "  ")]


FORMAT = "1"
SCHEMA_PATH = Path(__file__).with_name("diff.schema.json")


def json_document(difference: ReportDifference) -> dict[str, Any]:
    """Everything that changed, with all node ids."""
    old, new = difference.sides.old, difference.sides.new
    both = len(old.items.keys() & new.items.keys())
    return {
        "format": FORMAT,
        "old": _side(old.run),
        "new": _side(new.run),
        "items": {"both": both, "only_old": len(old.items) - both, "only_new": len(new.items) - both},
        "fixed": len(difference.fixed),
        "newly_visible": len(difference.visible),
        "new_failures": len(difference.failures),
        "causes": [_change(change) for change in difference.changes],
    }


def _side(run: RunRecord) -> dict[str, Any]:
    named: Mapping[str, Any] = run.header
    suite = {key: digest for key, digest in named.get("suite", {}).items() if isinstance(digest, str)}
    identity = {key: named[key] for key in ("tool", "corpus", "translator", "strict")}
    return {"complete": run.complete, **identity, "suite": suite or None}


def _change(change: CauseChange) -> dict[str, Any]:
    root = change.shown
    return {
        "change": change.kind.value,
        "rule": change.root.rule,
        "level": change.root.level,
        "why": change.why.value if change.why is not None else None,
        "example": root.example.item.nodeid,
        "gained": list(change.gained),
        "lost": list(change.lost),
        "new_failures": {nodeid: [reason.why.value, reason.says] for nodeid, reason in change.reasons.items()},
    }
