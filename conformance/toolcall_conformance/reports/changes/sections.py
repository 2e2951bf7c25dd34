"""The sections of a difference: the same in text and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.changes.difference import CauseChange, ChangeKind, ReportDifference
from toolcall_conformance.reports.changes.reasons import Origin
from toolcall_conformance.reports.run_record import RunRecord, split_nodeid
from toolcall_conformance.reports.text.outline import Outline

_TITLES_BY_ORIGIN = {
    Origin.TRANSLATOR: "New, because the translator changed",
    Origin.UNCLEAR: "New, because the translator or the suite changed",
    Origin.SUITE: "New, because the suite changed",
    Origin.SETTINGS: "New, because the run has other settings or items",
    Origin.HIDDEN: "Newly visible, because what hid it is gone",
}
_MAX_CASES = 5
_OTHER_TITLES = {
    None: "New, but failing nothing",
    ChangeKind.CHANGED: "Seen in fewer items",
    ChangeKind.NOT_PLAYED: "Not played in the new report",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Changes under a title. ``is_full``: each is rendered with its example and command.

    If the origin of the changes is unclear, ``text`` says how to find it out, and ``commands`` are to be run for it.
    """

    title: str
    changes: Sequence[CauseChange]
    is_full: bool
    text: str = ""
    commands: Sequence[str] = ()


def sections(difference: ReportDifference) -> Iterator[Section]:
    """Yield the sections with changes, in the order of their importance."""
    fixed = [
        change
        for change in difference.changes
        if change.origin is None and not change.gained and change.kind is ChangeKind.FIXED
    ]
    if fixed:
        yield Section("Fixed", fixed, is_full=False)
    for why, title in _TITLES_BY_ORIGIN.items():
        failing = [change for change in difference.changes if change.origin is why]
        if failing and why is Origin.UNCLEAR:
            yield Section(title, failing, True, *_attribution_steps(failing, difference.sides.old.run))
        elif failing:
            yield Section(title, failing, is_full=True)
    rest = [change for change in difference.changes if change.origin is None]
    for kind, title in _OTHER_TITLES.items():
        chosen = [change for change in rest if (None if change.gained else change.kind) is kind]
        if chosen:
            yield Section(title, chosen, is_full=False)


def _attribution_steps(changes: Sequence[CauseChange], old: RunRecord) -> tuple[str, list[str]]:
    """Return how to tell the translator's changes from the suite's: a text, and the commands to run."""
    nodeids = {
        nodeid for change in changes for nodeid, reason in change.reasons.items() if reason.origin is Origin.UNCLEAR
    }
    cases = sorted({f"toolcall::{split_nodeid(nodeid)[0]}" for nodeid in nodeids})
    patterns = cases if len(cases) <= _MAX_CASES else ["toolcall::"]
    translator = " ".join(str(part) for part in (old.header["translator"][key] for key in ("name", "version")) if part)
    return (
        (
            f"To find out which, run the old translator ({translator}) with this suite, and compare the new report "
            "with that:"
        ),
        [
            f"{old.rerun_command(*patterns)} --toolcall-report=again.json",
            "toolcall-conformance diff again.json NEW.json",
        ],
    )


def headline(difference: ReportDifference) -> str:
    """Return the headline: ``61 items fixed, 2 newly visible; 3 new failures, for 2 causes``."""
    fixed, visible = len(difference.fixed), len(difference.newly_visible)
    better = [
        *([f"{pluralize(fixed, 'item')} fixed"] if fixed else []),
        *([f"{visible:,} newly visible"] if visible else []),
    ]
    failing = [
        change for change in difference.changes if any(change.reasons.get(nodeid) for nodeid in difference.failures)
    ]
    new = (
        f"{pluralize(len(difference.failures), 'new failure')}, for {pluralize(len(failing), 'cause')}"
        if failing
        else ""
    )
    return "; ".join(filter(None, [", ".join(better), new or "nothing fails newly"]))


def subject_lines(difference: ReportDifference) -> list[str]:
    """Return a line about each report, and lines about what they have in common."""
    old, new = difference.sides.old, difference.sides.new
    lines = []
    for name, side in (("old", old), ("new", new)):
        header = side.run.header
        parts = [
            " ".join(str(header[key][part]) for part in parts if header[key].get(part))
            for key, parts in (("translator", ("name", "version")), ("tool", ("version",)), ("corpus", ("version",)))
        ]
        stopped = "" if side.run.is_complete else ", stopped before its end"
        lines.append(f"{name}: {parts[0]}, suite {parts[1]}, corpus {parts[2]}{stopped}")
    both = len(old.items.keys() & new.items.keys())
    only = [(len(old.items) - both, "old"), (len(new.items) - both, "new")]
    lines.append(
        ", ".join([f"{pluralize(both, 'item')} in both", *(f"{n} only in the {name}" for n, name in only if n)])
    )
    if old.run.header.get("policy") != new.run.header.get("policy"):
        lines.append("the policies differ")
    return [*lines, *difference.sides.suites.description()]


def count_text(change: CauseChange) -> str:
    """Return the number of gained and lost items, ``+3 −1 items``; of a new or fixed cause just the number."""
    gained, lost = len(change.gained), len(change.lost)
    if change.kind in (ChangeKind.NEW, ChangeKind.FIXED):
        return pluralize(gained or lost, "item")
    if change.kind is ChangeKind.NOT_PLAYED:
        return pluralize(len(change.root.items), "item")
    parts = [f"+{gained}"] if gained else []
    parts += [f"−{lost}"] if lost else []
    return f"{' '.join(parts)} {'item' if gained + lost == 1 else 'items'}"


def cause_outline(change: CauseChange, difference: ReportDifference, rules: Mapping[str, Rule]) -> Outline:
    """Return the outline of a cause by the report that has it."""
    gone = change.kind in (ChangeKind.FIXED, ChangeKind.NOT_PLAYED)
    return Outline.of(change.reported_root, (difference.sides.old if gone else difference.sides.new).run, rules)


def reason_text(change: CauseChange) -> str:
    """Return the reasons of a change, with the numbers of items if there are several."""
    counted_reasons = change.counted_reasons()
    return "; ".join(says if len(counted_reasons) == 1 else f"{says} ({count})" for says, count in counted_reasons)
