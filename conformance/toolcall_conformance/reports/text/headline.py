"""The headline of a run and what to mend first: the same sentences in the terminal, HTML and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import breach_text, item_title, new_roots


def headline(run: RunRecord) -> str:
    """Return ``155 of 366 items failed; 60 causes: 36 MUST, 24 SHOULD``, or with known ones ``0 new, 65 known …``."""
    outcomes = Counter(item.outcome for item in run.items)
    new, known_count = (f"{outcomes[name]:,}" for name in ("failed", "known"))
    if outcomes["known"]:
        errors = f", {pluralize(outcomes['error'], 'error')}" if outcomes["error"] else ""
        counts_text = f"{new} new, {known_count} known{errors}, of {pluralize(len(run.items), 'item')}"
    else:
        counts_text = f"{new} of {pluralize(len(run.items), 'item')} failed"
    causes = causes_in_words(new_roots(run.roots))
    return f"{counts_text}; {causes}" if causes else counts_text


def causes_in_words(roots: Sequence[RootCause]) -> str:
    """Return ``60 causes: 36 MUST, 24 SHOULD``; empty if there is none."""
    if not roots:
        return ""
    levels = Counter(root.level for root in roots)
    return f"{pluralize(len(roots), 'cause')}: {', '.join(f'{count} {level}' for level, count in levels.items())}"


def mend_first(run: RunRecord, rules: Mapping[str, Rule]) -> str:
    """Return ``translation/finish-reason, 43 items: the reason why the reply …``; empty if there is no cause."""
    roots = new_roots(run.roots)
    if not roots:
        return ""
    first = roots[0]
    count = pluralize(len(first.items), "item")
    return f"{first.rule}, {count}: {breach_text(first, rules)}"


def first_example(run: RunRecord) -> str:
    """Return the title of the item that shows the cause to mend first; empty if there is no cause."""
    roots = new_roots(run.roots)
    return item_title(roots[0].example.item) if roots else ""
