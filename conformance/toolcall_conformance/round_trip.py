"""Judging what came back: a body translated into another format and back into its own."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Judgement
from toolcall_conformance.judge import compare
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.translation.pair import Pair


def judge_round_trip(
    source: Any,
    output: Any,
    *,
    own: str,
    through: str,
    direction: str = "request",
    corpus: Corpus | None = None,
) -> Judgement:
    """Compare a body of the format ``own`` with what is left of it after a way through another format and back.

    What ``through`` cannot say may be gone. Only what weighs is told (MUST): smaller differences add up over two
    translations, and each has told its own. Pointers are into ``output``.
    """
    corpus = corpus or load_corpus()
    before, after = (formats.read(own, direction, body) for body in (source, output))
    pair = Pair(corpus, before, after, through=through)
    if not isinstance(output, dict):
        pair.report("translation/target-format", "", got=output)
    else:
        compare(pair, None)
    pair.findings = [finding for finding in pair.findings if finding.is_must]
    return pair.judgement()
