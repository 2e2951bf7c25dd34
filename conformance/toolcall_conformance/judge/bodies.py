"""A request or a reply, and its translation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.comparisons import compare
from toolcall_conformance.judge.consequences import suppress
from toolcall_conformance.judge.excuses import untranslated
from toolcall_conformance.judge.excuses.accepted import accepted_in
from toolcall_conformance.judge.excuses.asked_thinking import NOT_ASKED, may_think
from toolcall_conformance.judge.excuses.copied_schemas import with_origins
from toolcall_conformance.judge.excuses.inherited import excused
from toolcall_conformance.judge.excuses.unread_notations import with_spellings
from toolcall_conformance.judge.given import UNKNOWN, AnyRoute, Requests
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.same_format import came_back, differences
from toolcall_conformance.judge.translation import losses
from toolcall_conformance.judge.translation.calls import client_searches
from toolcall_conformance.judge.translation.calls import schema_reversal as undoing
from toolcall_conformance.judge.translation.calls.call_arguments import with_unreadable_arguments
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.outcome.echo import compare_echo
from toolcall_conformance.judge.translation.pair import Groups, Sides
from toolcall_conformance.judge.translation.settings.counts_asked import must_ask, streams_uncounted
from toolcall_conformance.judge.translation.state import state, stored
from toolcall_conformance.judge.translation.texts import search_sources, spread_texts
from toolcall_conformance.judge.translation.tools.tool_kinds import compare_call_form
from toolcall_conformance.judge.translation.tools.tool_twins import map_tools, name_pairs
from toolcall_conformance.judge.wrong_format import no_object, other_format
from toolcall_conformance.library import Corpus


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
    raw_arguments: Mapping[int, str] | None = None,
    source_raw_arguments: Mapping[int, str] | None = None,
    streamed: bool = False,
) -> Judgement:
    """Judge a body by its own format's rules and by its source; see ``Judge.request`` and ``.response``.

    ``raw_arguments`` are the arguments of the output's calls as a stream spelt them, by the ordinals of the calls;
    ``source_raw_arguments`` are those of the source's.
    ``streamed``: the reply was a stream, whether or not the request is known.
    """
    down = direction != "request"
    source_format, output_format = (route.upstream, route.client) if down else (route.client, route.upstream)
    source_model, output_model = (
        (route.upstream_model, route.client_model) if down else (route.client_model, route.upstream_model)
    )
    same = source_format == output_format
    request = formats.read(route.client, "request", requests.client) if down and requests.client is not None else None
    sides = Sides(
        corpus,
        with_unreadable_arguments(formats.read(source_format, direction, source), source_raw_arguments or {}),
        formats.read(output_format, direction, output),
        is_choice_forced=_forced(request),
        circumstances=(
            *((state.CAPTURED,) if captured else ()),
            *(() if down else state.model_circumstances(corpus, route.upstream, route.upstream_model)),
            *(() if requests.seen else ("request-unseen",)),
            *(_counting(corpus, route.client, requests.client, streamed=streamed) if down else ()),
            *(() if not down or may_think(corpus, route.upstream, requests.upstream) else (NOT_ASKED,)),
        ),
        model=None if down else output_model,
        declared=frozenset(declared),
        raw_arguments=raw_arguments or {},
        client_tools=() if request is None else request.tools,
        accepted=[] if tolerated or same else None,
    )
    if not isinstance(output, dict):
        return Judgement((no_object(sides, output),))
    names, conversions, groups = _declared(corpus, route, request, requests) if down else (None, None, {})
    sides = undoing.undo_schema_changes(replace(sides, conversions=conversions, groups=groups))
    if same and not sides.arguments_as_sent and came_back(sides, source, output, exactly=vendor):
        return Judgement()
    own = check_body(corpus, output_format, direction, output, model=output_model, reading=sides.output)
    wrong = other_format(sides, source, output, own)
    if wrong is not None:
        return Judgement((wrong,))
    sides, unsourced = search_sources.remove_search_sources(
        spread_texts.join_spread_texts(client_searches.normalize_client_searches(sides))
    )
    settled = stored.settle(sides)
    pair = align_sides(settled.sides, names)
    if any(not finding.is_note for finding in own):
        broken = check_body(corpus, source_format, direction, source, model=source_model, reading=sides.source)
        own = with_origins(excused(corpus, own, broken, pair, source, output), pair, source, output)
        own = untranslated.as_one(sides, source, output, own)
    translation_findings = [
        finding
        for finding in [*unsourced, *settled.findings, *compare(pair, direction)]
        if finding.rule not in settled.excused
    ]
    translation_findings += (*compare_call_form(sides, request), *compare_echo(sides, requests.client)) if down else ()
    own, translation_findings = (
        suppress(corpus, own, translation_findings),
        with_spellings(source_format, translation_findings),
    )
    findings = (*own, *translation_findings, *state.find_foreign_keys(pair, own))
    accepted = accepted_in(pair, findings)
    if same and not vendor:
        findings = (*findings, *differences(sides, source, output, findings, accepted))
    return Judgement(findings, losses.find_losses(pair, declared), accepted if tolerated else ())


def _declared(
    corpus: Corpus, route: AnyRoute, before: Reading | None, requests: Requests
) -> tuple[Mapping[str, str], undoing.Conversions | None, Groups]:
    """The client's tool names by their upstream names, where the two differ, and how arguments go back to the client.

    Last the namespaces of the client's tools, by the upstream's namespaces and names. ``before`` is the client's
    request.
    """
    if before is None or requests.upstream is None:
        return {}, None, {}
    after = formats.read(route.upstream, "request", requests.upstream)
    sides = Sides(corpus, before, after)
    twins = map_tools(sides)
    back = {upstream: client for client, upstream in name_pairs(sides, twins) if upstream != client}
    groups = {(twin.namespace, twin.name): tool.namespace for tool, twin in twins} if requests.seen else {}
    return back if requests.seen else {}, undoing.conversions_down(sides, twins), groups


def _counting(corpus: Corpus, client: str, request: Any, *, streamed: bool) -> Iterator[str]:
    """What holds of the token counts of a reply, where streams have them only if the request asks for them."""
    if must_ask(corpus, client) is None:
        return
    if request is None:
        yield from ["counts-unknown"] if streamed else []
    elif streams_uncounted(corpus, client, request):
        yield "counts-unasked"


def _forced(request: Reading | None) -> bool | None:
    """Whether the request forced one function; None when the request is unknown."""
    if request is None:
        return None
    setting = request.settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and bool(setting.value.get("names"))
