"""Judges the error that a client receives. Of the headers only the time to wait is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding, Judgement
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.judge.bodies import excused
from toolcall_conformance.judge.given import AnyRoute
from toolcall_conformance.judge.wrong_format import faulty, no_object, other_envelope
from toolcall_conformance.library import Corpus
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import identity, tolerances
from toolcall_conformance.translation.aligned import aligned
from toolcall_conformance.translation.pair import Sides
from toolcall_conformance.translation.upstream_errors import compare_errors, compare_wait

_HEADERS: Final = frozenset({"headers"})


def judge_error(corpus: Corpus, source: Any, output: Any, route: AnyRoute, *, tolerated: bool) -> Judgement:
    """Judge the envelope that the client receives, then its content; see ``Judge.error``."""
    before, after = formats.read(route.upstream, "error", source), formats.read(route.client, "error", output)
    sides = Sides(corpus, before, after)
    if not isinstance(output, dict):
        return Judgement((no_object(sides, output),))
    own = check_body(corpus, route.client, "error", output, model=route.client_model, reading=sides.output)
    if route.client == route.upstream:
        return _judge_same(sides, source, output, own)
    wrong = other_envelope(sides, output, own)
    if wrong is not None:
        return Judgement((wrong,))
    if faulty(own):
        own = excused(corpus, own, check_body(corpus, route.upstream, "error", source, reading=sides.source))
    findings = (*own, *compare_errors(sides))
    if not tolerated:
        return Judgement(findings)
    return Judgement(findings, tolerated=tuple(tolerances.tolerated(aligned(sides), source, output, findings)))


def _judge_same(sides: Sides, source: Any, output: dict[str, Any], own: list[Finding]) -> Judgement:
    if equal(identity.without(source, _HEADERS), identity.without(output, _HEADERS)):
        return Judgement(tuple(compare_wait(sides)))
    found = list(compare_errors(sides))
    return Judgement((*own, *found, *_unexplained(sides, source, output, found)))


def _unexplained(sides: Sides, source: Any, output: dict[str, Any], found: list[Finding]) -> Iterator[Finding]:
    """The differences that no finding in ``found`` explains."""
    explained = {finding.pointer for finding in found if finding.is_must}
    left, right = identity.without(source, _HEADERS), identity.without(output, _HEADERS)
    for pointer, want, got in identity.differences(left, right):
        if pointer not in explained:
            yield sides.finding("translation/identity", pointer, want=want, got=got)
