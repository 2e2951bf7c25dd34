"""Judges what an upstream sent, a reply, a stream or an error, by its own format's rules alone.

A compatible vendor's own API may have other forms than the format that it is compatible with. A translator must accept
them, so they are notes here, and only here: in a translator's output they are faults.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.client_stream import judge_stream
from toolcall_conformance.library import Corpus


def judge_sent(corpus: Corpus, format_name: str, direction: str, body: Any, *, model: str | None = None) -> Judgement:
    """Judge a body that an upstream sent; see ``Judge.sent``. Of a stream the assembled reply is judged, too."""
    if direction == "stream":
        stream_findings = judge_stream(corpus, None, body, Ends(format_name, format_name, model, model)).findings
    else:
        stream_findings = tuple(check_body(corpus, format_name, direction, body, model=model))
    return Judgement(tuple(_weigh_vendor_form(corpus, finding) for finding in stream_findings))


def _weigh_vendor_form(corpus: Corpus, finding: Finding) -> Finding:
    return apply_circumstances(corpus, finding, ["vendors-own-form"])
