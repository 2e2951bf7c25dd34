"""Writes the reports of a run that the watcher ends, or that died, and the lines to print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.visible_text import pluralize, visible, visible_lines
from toolcall_conformance.drivers.python.tracebacks import reorder_dump
from toolcall_conformance.engine.items.plan import PlannedItem
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reports import files, timing
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord

JsonObject = Mapping[str, Any]

# A dead process may have any exit code, 0 too, and nobody can change it.
_EXIT_CODE_NOTE = "; its exit code is no verdict"


def report_plan(
    header: JsonObject,
    reports: Iterable[Path],
    corpora: Iterable[Path],
    expected: int,
    not_applicable: Iterable[NotApplicable] = (),
) -> dict[str, Any]:
    """The content of the reports that is known before the first item, for ``conclude``."""
    return {
        "header": header,
        "report": [str(path) for path in reports],
        "corpus": [str(folder) for folder in corpora],
        "not_applicable": [astuple(entry) for entry in not_applicable],
        "expected": expected,
    }


def conclude(
    plan: JsonObject | None,
    item: JsonObject | None,
    records: Sequence[tuple[str, float]],
    *,
    timeout_text: str,
    stack_text: str,
    in_call: bool,
    isolation_command: str,
    run_name: str,
) -> str:
    """Write the reports of ``plan`` with ``records``, and return the lines to print.

    ``timeout_text`` says how long the call of ``item`` that hangs may take; empty if the process died instead.
    ``in_call`` tells whether it died in a call of the translator. ``stack_text`` is the stack of the hung call, from
    ``faulthandler``. ``isolation_command`` runs the same with the translator isolated. ``run_name`` is what ends: "the
    run", a worker of it, or a command.
    """
    if not in_call:
        return _conclude_outside_call(plan, item, records, isolation_command, run_name)
    name = visible(str(item["nodeid"])) if item is not None else "loading the translator and reading its routes"
    why = (
        f"a call did not return within {timeout_text}, and cannot be stopped"
        if timeout_text
        else "the process died in a call"
    )
    lines = [f"\ntoolcall: {name}: {why}; {visible(run_name)} ends here{'' if timeout_text else _EXIT_CODE_NOTE}"]
    lines += [f"  {line}" for line in visible_lines(reorder_dump(stack_text)).splitlines()]
    if plan is not None:
        lines += _write_reports(
            plan, item, records, "translation/timed-out" if timeout_text else "translation/crashed", why
        )
    return "\n".join(
        [*lines, f"toolcall: in a process of its own it would end only this item: {visible(isolation_command)}", ""]
    )


def _conclude_outside_call(
    plan: JsonObject | None,
    item: JsonObject | None,
    records: Sequence[tuple[str, float]],
    isolation_command: str,
    run_name: str,
) -> str:
    """Conclude a run that died outside of a call: killed, or ended by a thread that the translator left."""
    last = f", after {visible(str(item['nodeid']))} had begun" if item is not None else ""
    lines = [f"\ntoolcall: the process ended before {visible(run_name)} did{last}{_EXIT_CODE_NOTE}"]
    if plan is not None:
        lines += _write_reports(plan, None, records, "", "")
    advised = f"toolcall: if the translator ended it, isolation shows which item it was: {visible(isolation_command)}"
    return "\n".join([*lines, advised, ""])


def _write_reports(
    plan: JsonObject, item: JsonObject | None, records: Sequence[tuple[str, float]], rule: str, why: str
) -> list[str]:
    """Write the reports, and return a line for each."""
    try:
        corpus = load_corpus(extra=[Path(folder) for folder in plan["corpus"]])
        items = [ItemRecord.loads(text).with_duration(duration) for text, duration in records]
        if item is not None:
            items = [record for record in items if record.nodeid != item["nodeid"]]
            items.append(ended_item_record(corpus, item, rule, why))
        run = RunRecord(
            header=timing.finish(plan["header"]),
            items=items,
            not_applicable=[NotApplicable(*row) for row in plan["not_applicable"]],
            stale=[],
            expected=plan["expected"],
            roots=find_root_causes(items, Harm.of(corpus)),
        )
    except Exception as error:  # the run must end, whatever is wrong here
        return [f"toolcall: no report could be written: {type(error).__name__}: {visible(str(error))}"]
    return [_write_report(run, Path(path), corpus, len(items)) for path in plan["report"]]


def _write_report(run: RunRecord, path: Path, corpus: Corpus, count: int) -> str:
    try:
        files.write(run, path, corpus)
    except Exception as error:
        return f"toolcall: {visible(str(error))}"
    return f"toolcall: the report {visible(path.name)} has the {pluralize(count, 'item')} until now"


def item_facts(item: PlannedItem) -> dict[str, Any]:
    """The keys of a record that identify an item."""
    return {
        "nodeid": item.nodeid,
        "case": item.case.id,
        "check": item.check,
        "client": item.route.client,
        "upstream": item.route.upstream,
        "variant": item.variant or None,
    }


def ended_item_record(corpus: Corpus, item: JsonObject, rule: str, message: str) -> ItemRecord:
    """The record of an item whose process died or was killed before its verdict."""
    failure = make_finding(corpus, rule, "", message, element="body")
    return ItemRecord.of(
        **item,
        verdict=Verdict.FAIL,
        outcome="failed",
        findings=[failure],
        facts=lambda item_finding: {"signature": str(cause_of(corpus, item_finding)), "standing": "new"},
    )
