"""What a client's stream breaks because its source does: notes, which name the breach in the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Because, Finding
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.judge.excuses.inherited import passed_on
from toolcall_conformance.judge.given import AnyRoute
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.wrong_format import faulty
from toolcall_conformance.library import Corpus


def but_for_passed_on(
    corpus: Corpus, route: AnyRoute, findings: list[Finding], sent: Any, received: Assembled
) -> list[Finding]:
    """The breaches of a stream; as notes those of arguments that were as odd in the reply that was ``sent``."""
    if sent is None or received.body is None or not faulty(findings):
        return findings
    return passed_on(corpus, findings, raw_arguments_of(received), _aligned(corpus, route, sent, received.body))


def without_inherited(corpus: Corpus, findings: list[Finding], source: Any, route: AnyRoute) -> list[Finding]:
    """The breaches of the client's stream; as notes those that a stream of the same format brought along."""
    if not findings or route.client != route.upstream or not is_stream(source):
        return findings
    return _inherited_breaches(corpus, findings, check_body(corpus, route.upstream, "stream", source))


def _inherited_breaches(
    corpus: Corpus, output_breaches: Iterable[Finding], source_breaches: Iterable[Finding]
) -> list[Finding]:
    """The breaches of a stream; as notes those of rules that its source, of the same format, breaks as well."""
    places = {breach.rule: breach.pointer for breach in source_breaches}
    findings = []
    for breach in output_breaches:
        if breach.rule in places:
            because = Because(breach.rule, places[breach.rule], in_source=True)
            breach = apply_circumstances(corpus, replace(breach, because=because), ["source-breaks-it"])
        findings.append(breach)
    return findings


def _aligned(corpus: Corpus, route: AnyRoute, sent: Any, received: Any) -> Pair:
    """The two replies, put together, with their calls aligned."""
    before, after = formats.read(route.upstream, "response", sent), formats.read(route.client, "response", received)
    return align_sides(Sides(corpus, before, after))


def raw_arguments_of(received: Assembled) -> dict[int, str]:
    """The arguments of the calls of a stream as it spelt them, by the calls' ordinals."""
    return {ordinal: call.text for ordinal, call in enumerate(received.calls)}


def is_stream(source: Any) -> bool:
    """Whether it is what ``parse`` makes of a stream's bytes, and not a unary reply."""
    return isinstance(source, dict) and "events" in source
