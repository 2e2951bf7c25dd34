"""Many judgements in one summary: a table of routes, then the causes, as at the end of a run of pytest."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding, Judgement, Verdict, failing_findings, verdict_of
from toolcall_conformance.cli.console import say, say_json
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.surroundings import surrounding_text
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A judgement with its bodies. ``name`` is that of the pair, ``check`` its column in the table."""

    name: str
    check: str
    client: str
    upstream: str
    source: Any
    output: Any
    judgement: Judgement

    @property
    def nodeid(self) -> str:
        return f"toolcall::{self.name}::{self.check}::{Route(self.client, self.upstream, '', '', stream=False)}"


def run_record(corpus: Corpus, pairs: Sequence[JudgedPair], header: Mapping[str, Any], *, strict: bool) -> RunRecord:
    """The record of a run that judged these pairs; ``header`` adds to the header of the report."""
    items = [_record(corpus, pair, strict=strict) for pair in pairs]
    run_header = {
        "tool": {"name": "toolcall-conformance", "version": metadata.version("toolcall-conformance")},
        "corpus": {"version": corpus.version, "private": []},
        "translator": {"spec": "", "name": "golden files", "version": None},
        "strict": strict,
        "python": "",
        "pytest": "",
        **header,
    }
    return RunRecord(run_header, items, [], [], len(items), find_root_causes(items, Harm.of(corpus)))


def print_summary(
    record: RunRecord, corpus: Corpus, *, verbose: bool, as_json: bool, again: Callable[..., str] | None = None
) -> int:
    """Print the summary, or the report in JSON; 1 if a pair fails. ``again`` makes the command for node ids."""
    if as_json:
        from toolcall_conformance.reports.writers import json_report

        say_json(json.dumps(json_report.document(record), indent=1))
    else:
        from toolcall_conformance.reports.text.terminal import Detail, conclusion_lines, summary_lines

        detail = Detail.ALL if verbose else Detail.USUAL
        paragraphs = summary_lines(record, corpus.rules, again or record.rerun_command, detail=detail)
        for pieces in (*paragraphs, *conclusion_lines(record, corpus.rules)):
            say(*((piece.text, piece.kind) for piece in pieces))
    return int(any(item.outcome == "failed" for item in record.items))


def _record(corpus: Corpus, pair: JudgedPair, *, strict: bool) -> ItemRecord:
    findings = pair.judgement.findings
    failed = failing_findings(findings, strict=strict)

    def facts(finding: Finding) -> Mapping[str, Any]:
        around = (
            surrounding_text(pair.output, finding.pointer) if finding.pointer and pair.output is not MISSING else ""
        )
        details = {"signature": str(cause_of(corpus, finding)), **({"near": around} if around else {})}
        return details | ({"standing": "new"} if finding in failed else {})

    verdict = verdict_of(findings, strict=strict)
    return ItemRecord.of(
        nodeid=pair.nodeid,
        case=pair.name,
        check=pair.check,
        client=pair.client,
        upstream=pair.upstream,
        verdict=verdict,
        outcome="failed" if verdict is Verdict.FAIL else "passed",
        findings=[finding if finding.body else _with_body(finding, pair.check) for finding in findings],
        facts=facts,
        size=0 if pair.source is MISSING else len(json.dumps(pair.source, default=str)),
        losses=pair.judgement.losses,
    )


def _with_body(finding: Finding, check: str) -> Finding:
    from dataclasses import replace

    return replace(finding, body=check)
