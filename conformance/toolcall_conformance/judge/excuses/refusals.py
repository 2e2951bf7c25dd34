"""A refusal that names what the target cannot say, or may lose, weighs what losing that without a word would weigh.

A refusal is the louder of the two: who is refused learns why. So it is never the graver.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.comparisons import REQUEST, compare
from toolcall_conformance.judge.excuses.nameable import Nameable, nameables
from toolcall_conformance.judge.given import AnyRoute
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.library import Corpus

NAMES_A_LOSS: Final = "refusal-names-a-loss"
"""The circumstance of a refusal for what may be lost with a warning."""


@dataclass(frozen=True, slots=True)
class NamedLoss:
    """What a refusal names, all of which may be lost: the ``parts`` by their places in the request.

    ``findings`` are those of a request that is the same without these parts, as if they had been dropped.
    """

    parts: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def weighs_nothing(self) -> bool:
        """Whether not even a warning would follow from the loss."""
        return all(finding.is_note for finding in self.findings)


def named_loss(corpus: Corpus, route: AnyRoute, request: Any, words: str) -> NamedLoss | None:
    """What of a client's ``request`` the ``words`` of a refusal name, if that may be lost, and no loss is a MUST.

    None for a refusal that names nothing of the request, or something that the target can say as well.
    """
    if not {route.client, route.upstream} <= set(formats.names()):
        return None
    source = formats.read(route.client, "request", request)
    pair = _pair(corpus, source, source, route)
    named = [part for part in nameables(pair) if part.is_named_in(words)]
    if not named or any(part.demand == "must" for part in named):
        return None
    findings = _findings_without(corpus, pair, named, route)
    if any(finding.is_must for finding in findings):
        return None
    return NamedLoss(tuple(dict.fromkeys(part.pointer for part in named)), findings)


def _findings_without(corpus: Corpus, pair: Pair, named: Iterable[Nameable], route: AnyRoute) -> tuple[Finding, ...]:
    """What is wrong with a translation that says all of the source but what is ``named``.

    The source's own reading is taken for the translation, so that nothing else differs. What the comparisons say even
    of the whole of it is about the format, not the loss, unless it is about what is gone.
    """
    left = pair.source
    for part in named:
        left = part.drop(left)
    places = {part.pointer for part in named if part.is_whole}
    usual = {_about(finding) for finding in compare(pair, REQUEST)}
    return tuple(
        finding
        for finding in compare(_pair(corpus, pair.source, left, route), REQUEST)
        if finding.source_pointer in places or _about(finding) not in usual
    )


def _about(finding: Finding) -> tuple[str, str | None, str]:
    return finding.rule, finding.source_pointer, finding.subject


def _pair(corpus: Corpus, source: Reading, output: Reading, route: AnyRoute) -> Pair:
    """The source beside what is said of it, as if it were said in the upstream's format."""
    return align_sides(Sides(corpus, source, replace(output, format=route.upstream), model=route.upstream_model))
