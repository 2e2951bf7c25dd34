"""A difference in Markdown, for a pull request: 100 lines at most."""

from __future__ import annotations

from collections.abc import Mapping

from toolcall_conformance.library import Rule
from toolcall_conformance.reports.cause_markdown import details
from toolcall_conformance.reports.changes.difference import Change, Difference
from toolcall_conformance.reports.changes.told import counts, headline, outline, reasons, sections, subject
from toolcall_conformance.reports.escaping import code, words

MOST_LINES = 100
_FULL_SHOWN = 5
_SHORT_SHOWN = 6


def text(found: Difference, rules: Mapping[str, Rule]) -> str:
    """The page. What does not fit is counted."""
    lines = ["## Tool call conformance: what changed", "", *(f"- {code(line)}" for line in subject(found)), ""]
    lines += [f"**{headline(found)[:1].upper()}{headline(found)[1:]}.**"]
    chosen = list(sections(found))
    # The sections that follow need a title, a cause and the words of what is left out.
    room = MOST_LINES - len(lines)
    for number, section in enumerate(chosen):
        kept = room - 6 * (len(chosen) - number - 1)
        told = [_full(one, found, rules) if section.full else [_short(one)] for one in section.changes]
        part = ["", f"### {section.title}", ""]
        if section.says:
            part += [words(section.says), "", *(f"- {code(one)}" for one in section.commands), ""]
        shown = 0
        for one in told[: _FULL_SHOWN if section.full else _SHORT_SHOWN]:
            if shown and len(part) + len(one) + 2 > kept:
                break
            part += one
            shown += 1
        left = len(told) - shown
        part += ["", f"and {left} more"] if left else []
        room -= len(part)
        lines += part
    return "\n".join(lines) + "\n"


def _short(change: Change) -> str:
    return f"- **{change.root.level}** {code(change.root.rule)} · {counts(change)}"


def _full(change: Change, found: Difference, rules: Mapping[str, Rule]) -> list[str]:
    told = outline(change, found, rules)
    return [f"{_short(change)} · {words(told.says)} ({words(reasons(change))})", *details(told, "  ")]
