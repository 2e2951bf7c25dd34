"""Judges the error that a client receives. Of the headers only the time to wait is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.excuses.accepted import accepted_in
from toolcall_conformance.judge.excuses.inherited import excused
from toolcall_conformance.judge.given import AnyRoute
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.same_format import differences
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.outcome.upstream_errors import WAITS, compare_errors, compare_wait
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.wrong_format import faulty, no_object, other_envelope
from toolcall_conformance.library import Corpus

_HEADERS: Final = frozenset({"headers"})


def judge_error(corpus: Corpus, source: Any, output: Any, route: AnyRoute, *, tolerated: bool) -> Judgement:
    """Judge the envelope that the client receives, then its content; see ``Judge.error``."""
    before, after = formats.read(route.upstream, "error", source), formats.read(route.client, "error", output)
    same = route.client == route.upstream
    sides = Sides(corpus, before, after, accepted=[] if tolerated or same else None)
    if not isinstance(output, dict):
        return Judgement((no_object(sides, output),))
    own = check_body(corpus, route.client, "error", output, model=route.client_model, reading=sides.output)
    if same and equal(identity.without_keys(source, _HEADERS), identity.without_keys(output, _HEADERS)):
        return Judgement(tuple(compare_wait(sides)))
    wrong = other_envelope(sides, output, own)
    if wrong is not None:
        return Judgement((wrong,))
    if faulty(own):
        broken = check_body(corpus, route.upstream, "error", source, reading=sides.source)
        own = excused(corpus, own, broken, align_sides(sides), source, output)
    findings = (*own, *(finding for finding in compare_errors(sides) if not _told(own, finding)))
    accepted = accepted_in(align_sides(sides), findings)
    if same:
        findings = (*findings, *differences(sides, source, output, findings, accepted))
    return Judgement(findings, tolerated=accepted if tolerated else ())


def _told(own: Sequence[Finding], finding: Finding) -> bool:
    """Whether the format's own rules say already that no legible time to wait stands there."""
    place = f"{finding.pointer}/"
    return finding.rule in WAITS and place != "/" and any(f"{finding.pointer}/".startswith(place) for finding in own)
