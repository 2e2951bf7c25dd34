"""Rules of one item that only follow from others, or say the same: what its text need not explain again."""

from __future__ import annotations

from collections.abc import Sequence

from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.repeated import without_repetitions
from toolcall_conformance.reports.causes.seen import Seen
from toolcall_conformance.reports.model import ItemRecord


def companions(
    findings: Sequence[Finding], corpus: Corpus, *, check: str, client: str, upstream: str
) -> dict[str, str]:
    """By rule the one that it goes with, for each rule of which no finding of the item stands by itself."""
    item = ItemRecord.of(
        nodeid="",
        case="",
        check=check,
        client=client,
        upstream=upstream,
        verdict=Verdict.FAIL,
        outcome="failed",
        findings=findings,
        facts=lambda finding: {"signature": str(cause_of(corpus, finding))},
    )
    entries = list(without_repetitions([Seen(item, finding) for finding in item.findings], Harm.of(corpus)))
    alone = {occurrence.rule for occurrence, _ in entries}
    return {rule: occurrence.rule for occurrence, others in reversed(entries) for rule in others if rule not in alone}
