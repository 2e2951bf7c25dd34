"""Reports in Markdown, for a pull request or the summary of a CI job: 100 lines at most, the gravest first.

Texts of translators and bodies are code, so nothing in them is a link, a mention, HTML or a table's border, and no line
begins with them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Corpus, Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import item_title, new_roots
from toolcall_conformance.reports.text.headline import first_example, headline, mend_first
from toolcall_conformance.reports.text.markdown import cause_details, code, link, prose
from toolcall_conformance.reports.text.outline import Outline, outlines
from toolcall_conformance.reports.text.route_table import Cell, route_table
from toolcall_conformance.reports.text.summary import made_up_text, not_applicable_text, run_in_words
from toolcall_conformance.reports.vocabulary import FIELDS, WORDS
from toolcall_conformance.reports.writers import Writer

MAX_LINES = 100
_ROUTES_SHOWN = 20
_CAUSES_SHOWN = 10
_MORE_RULES_SHOWN = 12
_WARNINGS_SHOWN = 6
_REASONS_SHOWN = 3
_KNOWN_SHOWN = 3
# The lines for the number of list entries that were left out.
_MORE_LINES = 2

Lines = list[str]


def text(run: RunRecord, corpus: Corpus) -> str:
    """Return the report as Markdown."""
    new = new_roots(run.roots)
    failing = [root for root in new if root.fails]
    head = [*_headline_lines(run, corpus.rules), *_table_lines(run)]
    tail = [
        *_warning_lines([root for root in new if not root.fails], run, corpus.rules),
        *_unjudged_lines(run),
        *_known_lines(run),
        *_made_up_lines(run),
    ]
    causes = _cause_lines(failing, run, corpus.rules, MAX_LINES - len(head) - len(tail))
    return "\n".join([*head, *causes, *tail]) + "\n"


def _headline_lines(run: RunRecord, rules: Mapping[str, Rule]) -> Lines:
    """Return what was judged, and the result."""
    failed = any(item.outcome == "failed" for item in run.items)
    outcome = "failed" if failed else "nothing was judged" if not run.is_judged else "passed"
    were = f"{pluralize(run.expected, 'item')} {'was' if run.expected == 1 else 'were'} to run"
    stopped = [] if run.is_complete else ["", f"**The run was stopped**: {were}."]
    first = mend_first(run, rules)
    mend = ["", f"**Mend first**: {prose(first)} ({code(first_example(run))})."] if first else []
    counted = f"**{headline(run)}**: {run_in_words(run)}."
    return [f"## Tool call conformance: {outcome}", "", *_subject_lines(run.header), "", counted, *mend, *stopped]


def _subject_lines(header: Mapping[str, object]) -> Lines:
    """Return the translator, the suite, and the settings that affect verdicts."""
    parts = []
    for name in ("translator", "tool", "corpus"):
        entry = header.get(name)
        if isinstance(entry, Mapping):
            called = code(str(entry["name"])) if name == "translator" else {"tool": "suite"}.get(name, name)
            parts.append(" ".join([called, *([code(str(entry["version"]))] if entry.get("version") else [])]))
    parts += ["with a policy"] if "policy" in header else []
    parts += ["strict"] if header.get("strict") else []
    translator = header.get("translator")
    mode = translator.get("mode") if isinstance(translator, Mapping) else None
    return [" · ".join(parts), *(["", f"It runs {code(mode)}"] if mode else [])]


def _table_lines(run: RunRecord) -> Lines:
    """Return the table with a row per route and a column per check."""
    table = route_table(run)
    if not table.rows:
        return []
    lines = [
        "",
        f"| {WORDS['table']['corner']} | {' | '.join(map(code, table.checks))} |",
        f"|---|{'--:|' * len(table.checks)}",
    ]
    routes = list(table.rows.items())
    for (client, upstream), cells in routes[:_ROUTES_SHOWN]:
        lines.append(f"| {code(f'{client} → {upstream}', cell=True)} | {' | '.join(map(_cell_text, cells))} |")
    left = len(routes) - _ROUTES_SHOWN
    return [*lines, *(["", f"and {pluralize(left, 'more route')}"] if left > 0 else [])]


def _cell_text(cell: Cell) -> str:
    return f"**{cell.text}**" if cell.kind == "bad" else cell.text


def _cause_lines(failing: Sequence[RootCause], run: RunRecord, rules: Mapping[str, Rule], room: int) -> Lines:
    """Return the causes of failures in at most ``room`` lines."""
    if not failing:
        return []
    lines = ["", "### What failed, by cause", ""]
    count = 0
    for outline in outlines(failing[:_CAUSES_SHOWN], run, rules):
        cause_lines = _cause_entry(count + 1, outline)
        if count and len(lines) + len(cause_lines) + _MORE_LINES > room:
            break
        lines += cause_lines
        count += 1
    return [*lines, *_more_lines(failing[count:], "more cause")]


def _cause_entry(number: int, outline: Outline) -> Lines:
    heading = f"{number}. **{outline.level}** {code(outline.rule)} · {outline.count} · {prose(outline.consequence)}"
    heading += _evidence_link(outline)
    return [heading, *cause_details(outline, " " * len(f"{number}. "))]


def _evidence_link(outline: Outline) -> str:
    return f" {link('evidence', outline.evidence_url)}" if outline.evidence_url else ""


def _more_lines(roots: Sequence[RootCause], noun: str) -> Lines:
    """Return a line about the causes that are left out: their number, and their rules."""
    if not roots:
        return []
    rules = Counter[str]()
    for root in roots:
        rules[root.rule] += len(root.items)
    named = ", ".join(f"{code(rule)} ({count})" for rule, count in rules.most_common(_MORE_RULES_SHOWN))
    others = len(rules) - _MORE_RULES_SHOWN
    return ["", f"and {pluralize(len(roots), noun)}: {named}{f' and {others} other rules' if others > 0 else ''}"]


def _warning_lines(roots: Sequence[RootCause], run: RunRecord, rules: Mapping[str, Rule]) -> Lines:
    """Return a line for each cause that fails nothing."""
    if not roots:
        return []
    entries = [
        f"- **{outline.level}** {code(outline.rule)} · {outline.count} · {prose(outline.consequence)} {FIELDS['item']} "
        f"{code(outline.item)}"
        for outline in outlines(roots[:_WARNINGS_SHOWN], run, rules)
    ]
    return ["", "### What warned", "", *entries, *_more_lines(roots[_WARNINGS_SHOWN:], "more warning")]


def _unjudged_lines(run: RunRecord) -> Lines:
    """Return the most frequent reasons of items that were refused or not judged."""
    lines: Lines = []
    for verdict, says in (
        ("refused", "refused, though it must be taken"),
        ("blocked", "blocked: a call before it failed"),
        ("not applicable", "not judged"),
        ("error", "broken by a fault of this suite: please report it"),
    ):
        items = [item for item in run.items if item.verdict == verdict]
        if items:
            lines.append(f"- {pluralize(len(items), 'item')} {says}. {_reasons_text(items)}")
    skipped = len(run.not_applicable)
    lines += [f"- {not_applicable_text(run)}"] if skipped else []
    return ["", "### What was refused or not judged", "", *lines] if lines else []


def _reasons_text(items: Sequence[ItemRecord]) -> str:
    reasons = Counter(item.reason or "; ".join(str(finding["message"]) for finding in item.findings) for item in items)
    named = [f"{count} × {code(reason)}" for reason, count in reasons.most_common(_REASONS_SHOWN)]
    more = len(reasons) - len(named)
    first = f"The first is {code(item_title(items[0]))}."
    return "; ".join([*named, *([f"{more} other reasons"] if more else [])]) + f". {first}"


def _known_lines(run: RunRecord) -> Lines:
    """Return lines about known failures, unstable items and stale entries."""
    known_count = sum(item.outcome == "known" for item in run.items)
    unstable = [item.nodeid for item in run.items if item.outcome == "unstable"]
    lines = [f"- {pluralize(known_count, 'item')} failed as the file of known failures expects"] if known_count else []
    lines += _list_lines(unstable, lambda count: f"{pluralize(count, 'item')} unstable: another try ended otherwise")
    lines += _list_lines(
        run.stale, lambda count: f"{pluralize(count, 'known failure')} stale: delete what no longer fails"
    )
    return ["", "### Known failures", "", *lines] if lines else []


def _made_up_lines(run: RunRecord) -> Lines:
    """Return a line about findings on what the adapter made up itself."""
    sentence = made_up_text(run.items)
    return ["", f"{sentence}."] if sentence else []


def _list_lines(texts: Iterable[str], says: Callable[[int], str]) -> Lines:
    names = list(texts)
    listing = ", ".join(map(code, names[:_KNOWN_SHOWN]))
    return [f"- {says(len(names))}: {listing}{', …' if len(names) > _KNOWN_SHOWN else ''}"] if names else []


WRITER = Writer(".md", text)
