"""A difference in Markdown, for a pull request: 100 lines at most."""

from __future__ import annotations

from collections.abc import Mapping

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.difference import CauseChange, ReportDifference
from toolcall_conformance.reports.changes.told import counts, headline, outline, reasons, sections, subject
from toolcall_conformance.reports.text.cause_markdown import details
from toolcall_conformance.reports.text.escaping import code, words

MOST_LINES = 100
_FULL_SHOWN = 5
_SHORT_SHOWN = 6


def text(difference: ReportDifference, rules: Mapping[str, Rule]) -> str:
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
