"""Judges the error that a client receives. Of the headers only the time to wait is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.context import AnyRoute
from toolcall_conformance.judge.excuses.accepted import accepted_differences
from toolcall_conformance.judge.excuses.inherited import excuse_inherited
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.same_format import report_differences
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.outcome.upstream_errors import WAIT_RULES, compare_errors, compare_wait
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.wrong_format import has_faults, report_no_object, report_other_envelope
from toolcall_conformance.library import Corpus

_HEADERS_KEY: Final = frozenset({"headers"})


def judge_error(corpus: Corpus, source: Any, output: Any, route: AnyRoute, *, tolerated: bool) -> Judgement:
    """Judge the envelope that the client receives, then its content; see ``Judge.error``."""
    before, after = formats.read(route.upstream, "error", source), formats.read(route.client, "error", output)
    same = route.client == route.upstream
    sides = Sides(corpus, before, after, accepted=[] if tolerated or same else None)
    if not isinstance(output, dict):
        return Judgement((report_no_object(sides, output),))
    output_findings = check_body(corpus, route.client, "error", output, model=route.client_model, reading=sides.output)
    if same and equal(identity.without_keys(source, _HEADERS_KEY), identity.without_keys(output, _HEADERS_KEY)):
        return Judgement(tuple(compare_wait(sides)))
    wrong = report_other_envelope(sides, output, output_findings)
    if wrong is not None:
        return Judgement((wrong,))
    if has_faults(output_findings):
        source_findings = check_body(corpus, route.upstream, "error", source, reading=sides.source)
        output_findings = excuse_inherited(corpus, output_findings, source_findings, align_sides(sides), source, output)
    findings = (
        *output_findings,
        *(finding for finding in compare_errors(sides) if not _is_reported(output_findings, finding)),
    )
    accepted = accepted_differences(align_sides(sides), findings)
    if same:
        findings = (*findings, *report_differences(sides, source, output, findings, accepted))
    return Judgement(findings, tolerated=accepted if tolerated else ())


def _is_reported(output_findings: Sequence[Finding], finding: Finding) -> bool:
    """Whether a finding of the format's own rules reports the illegible time to wait already."""
    place = f"{finding.pointer}/"
    return (
        finding.rule in WAIT_RULES
        and place != "/"
        and any(f"{reported.pointer}/".startswith(place) for reported in output_findings)
    )
