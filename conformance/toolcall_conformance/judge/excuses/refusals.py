"""A refusal that names a possible loss is judged no worse than the silent loss itself.

The user learns more from a refusal: it names the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.comparisons import REQUEST, compare
from toolcall_conformance.judge.context import AnyRoute
from toolcall_conformance.judge.excuses.nameable_parts import NameablePart, find_nameable_parts
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.library import Corpus

REFUSAL_NAMES_LOSS: Final = "refusal-names-a-loss"
"""The circumstance of a refusal that names a part which may be lost with a warning."""


@dataclass(frozen=True, slots=True)
class NamedLoss:
    """The parts that a refusal names, all of which may be lost: ``parts`` are their pointers in the request.

    ``findings`` are those of the request with these parts dropped.
    """

    parts: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def weighs_nothing(self) -> bool:
        """Whether the loss would cause not even a warning."""
        return all(finding.is_note for finding in self.findings)


def named_loss(corpus: Corpus, route: AnyRoute, request: Any, refusal_text: str) -> NamedLoss | None:
    """The parts of a client's ``request`` that a refusal names, if all may be lost, and no loss is a MUST.

    None for a refusal that names no part of the request, or one that the target can express as well.
    """
    if not {route.client, route.upstream} <= set(formats.names()):
        return None
    source = formats.read(route.client, "request", request)
    pair = _untranslated_pair(corpus, source, source, route)
    named = [part for part in find_nameable_parts(pair) if part.is_named_in(refusal_text)]
    if not named or any(part.demand == "must" for part in named):
        return None
    findings = _findings_without(corpus, pair, named, route)
    if any(finding.is_must for finding in findings):
        return None
    return NamedLoss(tuple(dict.fromkeys(part.pointer for part in named)), findings)


def _findings_without(
    corpus: Corpus, pair: Pair, named: Iterable[NameablePart], route: AnyRoute
) -> tuple[Finding, ...]:
    """The findings of a translation that has all of the source except the ``named`` parts.

    The source's own reading serves as the translation, so that nothing else differs. Findings that even the complete
    reading has are about the format, not the loss, unless they are about a dropped part.
    """
    left = pair.source
    for part in named:
        left = part.drop(left)
    places = {part.pointer for part in named if part.is_whole}
    known_keys = {_finding_key(finding) for finding in compare(pair, REQUEST)}
    return tuple(
        finding
        for finding in compare(_untranslated_pair(corpus, pair.source, left, route), REQUEST)
        if finding.source_pointer in places or _finding_key(finding) not in known_keys
    )


def _finding_key(finding: Finding) -> tuple[str, str | None, str]:
    return finding.rule, finding.source_pointer, finding.subject


def _untranslated_pair(corpus: Corpus, source: Reading, output: Reading, route: AnyRoute) -> Pair:
    """A pair of the source and an ``output`` reading, taken as if in the upstream's format."""
    return align_sides(Sides(corpus, source, replace(output, format=route.upstream), model=route.upstream_model))
