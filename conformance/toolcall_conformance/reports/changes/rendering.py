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
from toolcall_conformance.reports.changes.sections import (
    cause_outline,
    count_text,
    headline,
    reason_text,
    sections,
    subject_lines,
)
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import WIDTH, cause_block
from toolcall_conformance.reports.text.markdown import cause_details, code, prose

_CAUSES_SHOWN = 10


def text_lines(difference: ReportDifference, rules: Mapping[str, Rule], *, everything: bool = False) -> Iterator[str]:
    """Yield the difference as lines of text; ``everything``: all causes of each section, not only the first ten."""
    yield from map(visible, subject_lines(difference))
    yield from ("", headline(difference))
    for section in sections(difference):
        items = {nodeid for change in section.changes for nodeid in (*change.gained, *change.lost)}
        counted = [pluralize(len(section.changes), "cause"), *([pluralize(len(items), "item")] if items else [])]
        yield from ("", f"{section.title}: {', '.join(counted)}")
        yield from map(
            visible, [f"  {section.text}"] * bool(section.text) + [f"    {command}" for command in section.commands]
        )
        changes = section.changes if everything else section.changes[:_CAUSES_SHOWN]
        for change in changes:
            yield from _block_lines(change, difference, rules) if section.is_full else [_heading_line(change, "  ")]
        if len(changes) < len(section.changes):
            yield from (
                *([""] if section.is_full else []),
                f"  and {len(section.changes) - len(changes)} more; --all shows them",
            )


def _heading_line(change: CauseChange, indent: str = "") -> str:
    head = f"{indent}{change.root.level:<6}  {change.root.rule}"
    return f"{head}{count_text(change):>{max(2, WIDTH - len(head))}}"


def _block_lines(change: CauseChange, difference: ReportDifference, rules: Mapping[str, Rule]) -> Iterator[str]:
    run = difference.sides.new.run
    yield from ("", _heading_line(change), f"  why   {reason_text(change)}")
    for pieces in cause_block(change.reported_root, rules, run.rerun_command, run.items)[1:]:
        yield visible("".join(piece.text for piece in pieces))


MAX_LINES = 100
_FULL_SHOWN = 5
_SHORT_SHOWN = 6


def markdown_text(difference: ReportDifference, rules: Mapping[str, Rule]) -> str:
    """Return the difference as Markdown of at most ``MAX_LINES`` lines; causes that do not fit are counted."""
    lines = [
        "## Tool call conformance: what changed",
        "",
        *(f"- {code(line)}" for line in subject_lines(difference)),
        "",
    ]
    lines += [f"**{headline(difference)[:1].upper()}{headline(difference)[1:]}.**"]
    chosen = list(sections(difference))
    # The following sections need room for a title, a cause and the number of causes left out.
    room = MAX_LINES - len(lines)
    for number, section in enumerate(chosen):
        limit = room - 6 * (len(chosen) - number - 1)
        entries = [
            _full_entry(change, difference, rules) if section.is_full else [_short_line(change)]
            for change in section.changes
        ]
        part = ["", f"### {section.title}", ""]
        if section.text:
            part += [prose(section.text), "", *(f"- {code(command)}" for command in section.commands), ""]
        count = 0
        for entry in entries[: _FULL_SHOWN if section.is_full else _SHORT_SHOWN]:
            if count and len(part) + len(entry) + 2 > limit:
                break
            part += entry
            count += 1
        left = len(entries) - count
        part += ["", f"and {left} more"] if left else []
        room -= len(part)
        lines += part
    return "\n".join(lines) + "\n"


def _short_line(change: CauseChange) -> str:
    return f"- **{change.root.level}** {code(change.root.rule)} · {count_text(change)}"


def _full_entry(change: CauseChange, difference: ReportDifference, rules: Mapping[str, Rule]) -> list[str]:
    root_outline = cause_outline(change, difference, rules)
    return [
        f"{_short_line(change)} · {prose(root_outline.consequence)} ({prose(reason_text(change))})",
        *cause_details(root_outline, "  "),
    ]


FORMAT = "1"
SCHEMA_PATH = Path(__file__).with_name("diff.schema.json")


def json_document(difference: ReportDifference) -> dict[str, Any]:
    """Return the difference as JSON, with all node ids."""
    old, new = difference.sides.old, difference.sides.new
    both = len(old.items.keys() & new.items.keys())
    return {
        "format": FORMAT,
        "old": _side_json(old.run),
        "new": _side_json(new.run),
        "items": {"both": both, "only_old": len(old.items) - both, "only_new": len(new.items) - both},
        "fixed": len(difference.fixed),
        "newly_visible": len(difference.newly_visible),
        "new_failures": len(difference.failures),
        "causes": [_change_json(change) for change in difference.changes],
    }


def _side_json(run: RunRecord) -> dict[str, Any]:
    named: Mapping[str, Any] = run.header
    suite = {key: digest for key, digest in named.get("suite", {}).items() if isinstance(digest, str)}
    identity = {key: named[key] for key in ("tool", "corpus", "translator", "strict")}
    return {"complete": run.is_complete, **identity, "suite": suite or None}


def _change_json(change: CauseChange) -> dict[str, Any]:
    root = change.reported_root
    return {
        "change": change.kind.value,
        "rule": change.root.rule,
        "level": change.root.level,
        "why": change.origin.value if change.origin is not None else None,
        "example": root.example.item.nodeid,
        "gained": list(change.gained),
        "lost": list(change.lost),
        "new_failures": {nodeid: [reason.origin.value, reason.text] for nodeid, reason in change.reasons.items()},
    }
