"""Judges a body that was translated into another format and back into its own."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.judge.comparisons import compare
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.texts import search_sources, spread_texts
from toolcall_conformance.judge.wrong_format import no_object
from toolcall_conformance.library import Corpus


def judge_round_trip(corpus: Corpus, source: Any, output: Any, *, own: str, through: str, direction: str) -> Judgement:
    """Compare a body with what is left of it after a round trip; see ``Judge.round_trip``."""
    before, after = (formats.read(own, direction, body) for body in (source, output))
    sides = Sides(corpus, before, after, through=through)
    if not isinstance(output, dict):
        findings = [no_object(sides, output)]
    else:
        sides, unsourced = search_sources.remove_search_sources(spread_texts.join_spread_texts(sides))
        findings = [*unsourced, *compare(align_sides(sides), direction)]
    return Judgement(tuple(finding for finding in findings if finding.is_must))
