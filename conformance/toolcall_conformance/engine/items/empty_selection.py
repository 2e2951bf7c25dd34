"""Explains why a run judged nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import pytest

from toolcall_conformance.engine.items.plan import PlannedItem
from toolcall_conformance.engine.run import Run
from toolcall_conformance.recording.cassettes.cases import RecordedCase
from toolcall_conformance.recording.cassettes.replay.checks import ALONE
from toolcall_conformance.reports.item_record import ItemRecord

_MAX_SHOWN = 3


def explain_selection(run: Run) -> str:
    """Why the arguments select no item that can run."""
    if run.not_applicable:
        return unsupported_text(run, run.not_applicable)
    if not run.driver.carries and run.pairs is not None:
        return (
            "without a translator there are only the golden files; "
            "select toolcall::pairs, or give --toolcall-translator"
        )
    if not run.driver.carries:
        return (
            f"without a translator there are only the checks {_join_names(ALONE)} of recordings; "
            "give --toolcall-translator, or select one of them"
        )
    return _missing_items_text(run, [*run.plan_cases(run.selection.selects_case)])


def explain_collection(config: pytest.Config) -> str:
    """Why the run ended before it had collected: under xdist, all workers may have died at their start."""
    if not config.pluginmanager.hasplugin("dsession"):
        return "the run ended before the items were collected"
    advice = "run without `-n`, or with --toolcall-isolated"
    return f"no worker of `-n` lived until it had collected the items; {advice}"


def explain_outcomes(outcomes: Mapping[str, int]) -> str:
    """Why no item was played: hooks or marks of the user's ended them, with these outcomes and counts."""
    outcomes_text = _join_names([f"{count} {outcome}" for outcome, count in sorted(outcomes.items())])
    return f"no item was played: {outcomes_text} in the setup, by a hook or a mark of your own project"


def explain_reasons(records: Iterable[ItemRecord]) -> str:
    """Why no item that ran has a verdict: the most frequent reasons."""
    reasons = Counter(record.reason for record in records if record.reason)
    lines = [f"{count} × {reason}" for reason, count in reasons.most_common(_MAX_SHOWN)]
    return "; ".join(["no item reached a verdict", *lines, *_remainder(len(reasons), "reason")])


def unsupported_text(run: Run, items: Sequence[PlannedItem]) -> str:
    """Say that the translator supports none of some items, with its reasons or missing operations by route."""
    return f"{run.driver.name} supports none of the selected items: {_unsupported_reasons(run, items)}"


def _unsupported_reasons(run: Run, items: Sequence[PlannedItem]) -> str:
    routes: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for item in items:
        client, upstream = item.route.client, item.route.upstream
        done = run.support.operations.get((client, upstream))
        lacking = f"no {_join_names(sorted(run.support.missing_operations(item)))}"
        why = lacking if done else run.support.reasons.get((client, upstream)) or "the route is not done"
        routes[why][f"{client} → {upstream}"] = None
    return "; ".join(f"{why} ({_join_some([*names])})" for why, names in sorted(routes.items()))


def _missing_items_text(run: Run, items: Sequence[PlannedItem]) -> str:
    """Say which selected check or route the selected cases do not have."""
    cases = dict.fromkeys(item.case.id for item in items)
    checks = dict.fromkeys(item.check for item in items)
    selected = [item for item in items if run.selection.selects(item.case.id, item.check)]
    case = items[0].case
    subject = case.id if len(cases) == 1 else f"none of the {len(cases)} cases"
    about = f": it is {_recording_kind(case)};" if len(cases) == 1 and isinstance(case, RecordedCase) else ";"
    verb = "has no items" if len(cases) == 1 else "has items"
    if not selected:
        listing = _join_names(run.selection.checks, "or")
        whose = "its" if len(cases) == 1 else "their"
        return f"{subject} {verb} of the check {listing}{about} {whose} checks are {_join_names([*checks])}"
    check = selected[0].check
    names = dict.fromkeys(item.name for item in selected if item.check == check)
    listing = _join_names(run.selection.routes, "or")
    return f"{subject} {verb} of {check} on {listing}{about} {check} has {_join_some([*names])}"


def _recording_kind(case: RecordedCase) -> str:
    recorded = case.recorded
    kind = "an error" if recorded.error is not None else "a stream" if recorded.stream is not None else "a whole reply"
    return f"{kind} of {recorded.format}"


def _join_some(names: Sequence[str]) -> str:
    more = _remainder(len(names), "route")
    return " and ".join([", ".join(names[:_MAX_SHOWN]), *more])


def _remainder(count: int, name: str) -> list[str]:
    left = count - _MAX_SHOWN
    return [f"{left} more {name}{'s' if left > 1 else ''}"] if left > 0 else []


def _join_names(names: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
