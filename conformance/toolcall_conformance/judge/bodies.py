"""A request or a reply, and its translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding, Judgement, Tolerated
from toolcall_conformance.judge.comparisons import compare
from toolcall_conformance.judge.given import UNKNOWN, AnyRoute, Requests
from toolcall_conformance.judge.same_format import came_back, differences
from toolcall_conformance.judge.wrong_format import no_object, other_format
from toolcall_conformance.levels import weighed
from toolcall_conformance.library import Corpus
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import losses, state, stored, tolerances
from toolcall_conformance.translation.aligned import aligned
from toolcall_conformance.translation.pair import Pair, Sides
from toolcall_conformance.translation.tools import map_tools, names_of


def judge_body(
    corpus: Corpus,
    source: Any,
    output: Any,
    route: AnyRoute,
    direction: str,
    *,
    requests: Requests = UNKNOWN,
    vendor: bool = False,
    declared: Collection[str] = (),
    captured: bool = False,
    tolerated: bool = False,
) -> Judgement:
    """Judge a body by its own format's rules and by its source; see ``Judge.request`` and ``.response``."""
    down = direction != "request"
    source_format, output_format = (route.upstream, route.client) if down else (route.client, route.upstream)
    source_model, output_model = (
        (route.upstream_model, route.client_model) if down else (route.client_model, route.upstream_model)
    )
    strict = source_format == output_format and not vendor
    sides = Sides(
        corpus,
        formats.read(source_format, direction, source),
        formats.read(output_format, direction, output),
        forced=_forced(route.client, requests.client),
        circumstances=(state.CAPTURED,) if captured else (),
        model=None if down or strict else output_model,
    )
    if not isinstance(output, dict):
        return Judgement((no_object(sides, output),))
    if source_format == output_format and came_back(sides, source, output, exactly=vendor):
        return Judgement()
    own = check_body(corpus, output_format, direction, output, model=output_model, reading=sides.output)
    wrong = other_format(sides, source, output, own)
    if wrong is not None:
        return Judgement((wrong,))
    names = _names(corpus, route, requests) if down else None
    if strict:
        pair = aligned(sides, names)
        findings = (*own, *differences(sides, source, output, compare(pair, direction)))
        return Judgement(findings, (), _tolerated(pair, source, output, findings) if tolerated else ())
    if any(not finding.is_note for finding in own):
        broken = check_body(corpus, source_format, direction, source, model=source_model, reading=sides.source)
        own = excused(corpus, own, broken)
    settled = stored.settle(sides)
    pair = aligned(settled.sides, names)
    found = [one for one in [*settled.findings, *compare(pair, direction)] if one.rule not in settled.excused]
    findings = (*own, *found, *state.find_foreign_keys(pair, own))
    accepted = _tolerated(pair, source, output, findings) if tolerated else ()
    return Judgement(findings, losses.find_losses(pair, declared), accepted)


def excused(corpus: Corpus, own: list[Finding], source: list[Finding]) -> list[Finding]:
    """Make a note of each finding whose element the source breaks, too, in its own format, as often as it does."""
    broken = Counter(finding.element for finding in source if finding.is_must)
    found = []
    for finding in own:
        if finding.is_must and broken[finding.element]:
            broken[finding.element] -= 1
            finding = weighed(corpus, finding, ["source-breaks-it"])
        found.append(finding)
    return found


def _tolerated(pair: Pair, source: Any, output: Any, findings: tuple[Finding, ...]) -> tuple[Tolerated, ...]:
    return tuple(tolerances.tolerated(pair, source, output, findings))


def _names(corpus: Corpus, route: AnyRoute, requests: Requests) -> Mapping[str, str]:
    """The client's tool names by their upstream names, where the two differ."""
    if requests.client is None or requests.upstream is None:
        return {}
    before = formats.read(route.client, "request", requests.client)
    after = formats.read(route.upstream, "request", requests.upstream)
    names = names_of(map_tools(Sides(corpus, before, after)))
    return {upstream: client for client, upstream in names.items() if upstream != client}


def _forced(client: str, request: Any) -> bool | None:
    """Whether the request forced one function; None when the request is unknown."""
    if request is None:
        return None
    setting = formats.read(client, "request", request).settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and bool(setting.value.get("names"))
