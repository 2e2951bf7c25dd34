"""What an upstream sent, judged alone: a reply, a stream or an error, by its own format's rules.

A compatible vendor's own API may have other forms than the format that it is compatible with. A translator must take
them; so they are notes here, and only here: in what a translator makes they are faults.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.judge.given import Ends
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.whole import judge_stream
from toolcall_conformance.library import Corpus


def judge_sent(corpus: Corpus, name: str, direction: str, body: Any, *, model: str | None = None) -> Judgement:
    """Judge a body of the format ``name`` that an upstream sent; see ``Judge.sent``.

    Of a stream the reply that it assembles to is judged, too.
    """
    if direction == "stream":
        own = judge_stream(corpus, None, body, Ends(name, name, model, model)).findings
    else:
        own = tuple(check_body(corpus, name, direction, body, model=model))
    return Judgement(tuple(_of_an_upstream(corpus, finding) for finding in own))


def _of_an_upstream(corpus: Corpus, finding: Finding) -> Finding:
    return apply_circumstances(corpus, finding, ["vendors-own-form"])
