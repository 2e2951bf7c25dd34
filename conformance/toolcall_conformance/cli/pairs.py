"""``toolcall-conformance judge --pairs``: judge the golden files of a project, as a file of pairs describes them."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.causes import cause_of
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.cli.console import say, say_json
from toolcall_conformance.cli.settings import Settings
from toolcall_conformance.findings import MISSING, Finding, Verdict, failing
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.model import ItemRecord, RunRecord, command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The option that takes the place of SOURCE and OUTPUT."""
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="judge the golden files that FILE.toml describes (`new-pairs` writes one), in place of SOURCE and OUTPUT",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="with --pairs: a block for each cause, not for the first ten"
    )


def run(parsed: argparse.Namespace, corpus: Corpus, settings: Settings) -> int:
    """Judge all pairs, and print a table and the causes of what fails; 1 if a pair fails."""
    from toolcall_conformance.pairs import PairsError, load_pairs

    given = [name for name in ("source", "output", "client", "upstream") if getattr(parsed, name) is not None]
    if given:
        shown = "--client and --upstream" if given[0] in ("client", "upstream") else "SOURCE and OUTPUT"
        raise UsageError(f"--pairs FILE names the files and their formats; leave out {shown}")
    try:
        pairs = load_pairs(corpus, Path(parsed.pairs))
    except PairsError as error:
        raise UsageError(str(error)) from None
    strict = bool(settings.holds("strict"))
    record = _record(corpus, pairs, parsed, strict=strict)
    failed = any(item.outcome == "failed" for item in record.items)
    if parsed.json:
        from toolcall_conformance.reports.writers import json_report

        say_json(json.dumps(json_report.document(record), indent=1))
        return int(failed)
    _print(record, corpus, verbose=parsed.verbose)
    say(f"{pairs.summary}")
    return int(failed)


def _record(corpus: Corpus, pairs: Any, parsed: argparse.Namespace, *, strict: bool) -> RunRecord:
    from toolcall_conformance.checks.base import Harness
    from toolcall_conformance.judge import CachingJudge
    from toolcall_conformance.reports.harm import Harm
    from toolcall_conformance.reports.roots import root_causes

    harness = Harness(CachingJudge(corpus))
    items = [_item(corpus, harness, case, strict=strict) for case in pairs.cases.values()]
    header = {
        "tool": {"name": "toolcall-conformance", "version": _version()},
        "corpus": {"version": corpus.version, "private": []},
        "translator": {"spec": "", "name": "golden files", "version": None},
        "pairs": pairs.to_json(),
        "strict": strict,
        "command": f"pytest --toolcall-pairs={shlex.quote(parsed.pairs)}",
        "python": "",
        "pytest": "",
    }
    return RunRecord(header, items, [], [], len(items), root_causes(items, Harm.of(corpus.harm)))


def _item(corpus: Corpus, harness: Any, case: Any, *, strict: bool) -> ItemRecord:
    from toolcall_conformance.engine.plan import Planned
    from toolcall_conformance.pairs import play_pair
    from toolcall_conformance.reports.near import near

    result = play_pair(case, case.route, None, harness)  # type: ignore[arg-type] - no translator is asked
    failed = failing(result.findings, strict=strict)

    def facts(finding: Finding) -> Mapping[str, Any]:
        around = near(case.output, finding.pointer) if finding.pointer and case.output is not MISSING else ""
        told = {"signature": str(cause_of(corpus, finding)), **({"near": around} if around else {})}
        return told | ({"standing": "new"} if finding in failed else {})

    planned = Planned(case, case.check, case.route)
    return ItemRecord.of(
        nodeid=planned.nodeid,
        case=case.id,
        check=case.check,
        client=case.route.client,
        upstream=case.route.upstream,
        verdict=result.verdict,
        outcome="failed" if failed else "skipped" if result.verdict is Verdict.NOT_APPLICABLE else "passed",
        reason=result.reason,
        findings=result.findings,
        facts=facts,
        size=len(json.dumps(case.source)),
        losses=result.losses,
    )


def _print(record: RunRecord, corpus: Corpus, *, verbose: bool) -> None:
    from toolcall_conformance.reports.terminal import Detail, summary

    def again(*nodeids: str) -> str:
        return command(str(record.header["command"]), *nodeids)

    for pieces in summary(record, corpus.rules, again, detail=Detail.ALL if verbose else Detail.USUAL):
        say(*((piece.text, piece.kind) for piece in pieces))


def _version() -> str:
    from importlib import metadata

    return metadata.version("toolcall-conformance")
