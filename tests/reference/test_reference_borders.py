"""The reference takes every legal body at the border of a rule, and what it makes of it is legal."""

from __future__ import annotations

from corpus_judge import judge
from doubles.border import BorderDouble, PairDouble
from doubles.catalogue import FORMATS, doubles
from doubles.places import default_model
from every import every
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level
from toolcall_reference import ReferenceTranslator, Refused

SAYS_NOTHING = "border-limits/one-empty-text/gemini"
"""Its only text is empty: nothing is left that other formats could say."""

AT = [
    double
    for double in doubles(BorderDouble, "harmless")
    if not isinstance(double, PairDouble) and double.direction != "stream" and double.name != SAYS_NOTHING
]


@every("double", AT, id=lambda double: double.name, by=lambda double: double.format)
def test_a_body_at_a_border_is_translated(double: BorderDouble) -> None:
    """To each format, or refused with a reason."""
    for other in FORMATS:
        asks = double.direction == "request"
        client, upstream = (double.format, other) if asks else (other, double.format)
        client_model, answered = (
            double.model if name == double.format else default_model(name) for name in (client, upstream)
        )
        session = ReferenceTranslator().open(Route(client, upstream, client_model, answered))
        body = double.body
        try:
            output = session.request(body) if asks else session.response(body)
        except Refused:
            continue
        findings = judge(
            body,
            output,
            client=client,
            upstream=upstream,
            direction=double.direction,
            client_model=client_model,
            upstream_model=answered,
            request=None if asks else {},
        ).findings
        assert [
            f"{other}: {finding.rule} {finding.pointer}" for finding in findings if finding.level is Level.MUST
        ] == []
