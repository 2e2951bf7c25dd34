"""Turns breaches that a client's stream inherited from its source into notes, which name the breach in the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Because, Finding
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.judge.context import AnyRoute
from toolcall_conformance.judge.excuses.inherited import excuse_inherited_arguments
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.wrong_format import has_faults
from toolcall_conformance.library import Corpus


def excuse_odd_arguments(
    corpus: Corpus, route: AnyRoute, findings: list[Finding], sent: Any, received: Assembled
) -> list[Finding]:
    """The breaches of a stream; those of arguments that are as odd in the ``sent`` reply are notes."""
    if sent is None or received.body is None or not has_faults(findings):
        return findings
    return excuse_inherited_arguments(
        corpus, findings, raw_arguments_of(received), _align_replies(corpus, route, sent, received.body)
    )


def excuse_inherited_breaches(corpus: Corpus, findings: list[Finding], source: Any, route: AnyRoute) -> list[Finding]:
    """The breaches of the client's stream; those inherited from a source stream of the same format are notes."""
    if not findings or route.client != route.upstream or not is_stream(source):
        return findings
    return _note_inherited(corpus, findings, check_body(corpus, route.upstream, "stream", source))


def _note_inherited(
    corpus: Corpus, output_breaches: Iterable[Finding], source_breaches: Iterable[Finding]
) -> list[Finding]:
    """The breaches of a stream; those of rules that its source breaks as well are notes."""
    places = {breach.rule: breach.pointer for breach in source_breaches}
    findings = []
    for breach in output_breaches:
        if breach.rule in places:
            because = Because(breach.rule, places[breach.rule], in_source=True)
            breach = apply_circumstances(corpus, replace(breach, because=because), ["source-breaks-it"])
        findings.append(breach)
    return findings


def _align_replies(corpus: Corpus, route: AnyRoute, sent: Any, received: Any) -> Pair:
    """A pair of the two assembled replies, with their calls aligned."""
    before, after = formats.read(route.upstream, "response", sent), formats.read(route.client, "response", received)
    return align_sides(Sides(corpus, before, after))


def raw_arguments_of(received: Assembled) -> dict[int, str]:
    """The unparsed arguments of the calls of a stream, by the calls' ordinals."""
    return {ordinal: call.text for ordinal, call in enumerate(received.calls)}


def is_stream(source: Any) -> bool:
    """Whether a source is a stream as ``parse`` returns it, not a unary reply."""
    return isinstance(source, dict) and "events" in source
