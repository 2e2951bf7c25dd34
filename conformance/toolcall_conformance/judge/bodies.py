"""Judges a body by its source: a request or a reply, a round trip, and a body by a golden one of its format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.differences import ValueDifference, find_differences
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.comparisons import compare
from toolcall_conformance.judge.consequences import suppress
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, AnyRoute, Ends, Requests
from toolcall_conformance.judge.excuses.accepted import accepted_differences
from toolcall_conformance.judge.excuses.copied_parts import add_schema_origins, merge_untranslated
from toolcall_conformance.judge.excuses.inherited import excuse_inherited
from toolcall_conformance.judge.excuses.thinking_state import THINKING_NOT_ASKED, may_think
from toolcall_conformance.judge.excuses.unread_notations import mention_spellings
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.same_format import is_unchanged, report_differences
from toolcall_conformance.judge.translation import losses
from toolcall_conformance.judge.translation.calls import client_searches, schema_reversal
from toolcall_conformance.judge.translation.calls.call_arguments import with_unreadable_arguments
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.outcome.echo import compare_echo
from toolcall_conformance.judge.translation.pair import Groups, Sides
from toolcall_conformance.judge.translation.settings.stream_settings import counts_flag_pointer, is_uncounted_stream
from toolcall_conformance.judge.translation.state import state, stored_conversations
from toolcall_conformance.judge.translation.texts import search_sources, spread_texts
from toolcall_conformance.judge.translation.tools.tool_kinds import compare_call_form
from toolcall_conformance.judge.translation.tools.tool_pairs import pair_tool_names, pair_tools
from toolcall_conformance.judge.wrong_format import report_no_object, report_other_format
from toolcall_conformance.library import Corpus


def judge_body(
    corpus: Corpus,
    source: Any,
    output: Any,
    route: AnyRoute,
    direction: str,
    *,
    requests: Requests = UNKNOWN_REQUESTS,
    vendor: bool = False,
    declared: Collection[str] = (),
    captured: bool = False,
    tolerated: bool = False,
    raw_arguments: Mapping[int, str] | None = None,
    source_raw_arguments: Mapping[int, str] | None = None,
    streamed: bool = False,
) -> Judgement:
    """Judge a body by its own format's rules and by its source; see ``Judge.request`` and ``.response``.

    ``raw_arguments`` are the unparsed arguments of the output's calls, if it was streamed, by the calls' ordinals;
    ``source_raw_arguments`` are those of the source's. ``streamed``: the reply was a stream, whether or not the request
    is known.
    """
    is_reply = direction != "request"
    source_format, output_format = (route.upstream, route.client) if is_reply else (route.client, route.upstream)
    source_model, output_model = (
        (route.upstream_model, route.client_model) if is_reply else (route.client_model, route.upstream_model)
    )
    same = source_format == output_format
    request = (
        formats.read(route.client, "request", requests.client) if is_reply and requests.client is not None else None
    )
    sides = Sides(
        corpus,
        with_unreadable_arguments(formats.read(source_format, direction, source), source_raw_arguments or {}),
        formats.read(output_format, direction, output),
        is_choice_forced=_is_function_forced(request),
        circumstances=(
            *((state.CAPTURED_BODIES,) if captured else ()),
            *(() if is_reply else state.model_circumstances(corpus, route.upstream, route.upstream_model)),
            *(() if requests.seen else ("request-unseen",)),
            *(_usage_circumstances(corpus, route.client, requests.client, streamed=streamed) if is_reply else ()),
            *(() if not is_reply or may_think(corpus, route.upstream, requests.upstream) else (THINKING_NOT_ASKED,)),
        ),
        model=None if is_reply else output_model,
        declared=frozenset(declared),
        raw_arguments=raw_arguments or {},
        client_tools=() if request is None else request.tools,
        accepted=[] if tolerated or same else None,
    )
    if not isinstance(output, dict):
        return Judgement((report_no_object(sides, output),))
    names, conversions, groups = _read_declarations(corpus, route, request, requests) if is_reply else (None, None, {})
    sides = schema_reversal.undo_schema_changes(replace(sides, conversions=conversions, groups=groups))
    if same and not sides.arguments_as_sent and is_unchanged(sides, source, output, exactly=vendor):
        return Judgement()
    output_findings = check_body(corpus, output_format, direction, output, model=output_model, reading=sides.output)
    wrong = report_other_format(sides, source, output, output_findings)
    if wrong is not None:
        return Judgement((wrong,))
    sides, unsourced = search_sources.remove_search_sources(
        spread_texts.join_spread_texts(client_searches.normalize_client_searches(sides))
    )
    settled = stored_conversations.remove_stored_part(sides)
    pair = align_sides(settled.sides, names)
    if any(not finding.is_note for finding in output_findings):
        source_findings = check_body(corpus, source_format, direction, source, model=source_model, reading=sides.source)
        output_findings = excuse_inherited(corpus, output_findings, source_findings, pair, source, output)
    output_findings = merge_untranslated(
        sides, source, output, add_schema_origins(output_findings, pair, source, output)
    )
    translation_findings = [
        finding
        for finding in [*unsourced, *settled.findings, *compare(pair, direction)]
        if finding.rule not in settled.excused
    ]
    if is_reply:
        translation_findings += [*compare_call_form(sides, request), *compare_echo(sides, requests.client)]
    output_findings, translation_findings = (
        suppress(corpus, output_findings, translation_findings),
        mention_spellings(source_format, translation_findings),
    )
    findings = (*output_findings, *translation_findings, *state.find_foreign_keys(pair, output_findings))
    accepted = accepted_differences(pair, findings)
    if same and not vendor:
        findings = (*findings, *report_differences(sides, source, output, findings, accepted))
    return Judgement(findings, losses.find_losses(pair, declared), accepted if tolerated else ())


def _read_declarations(
    corpus: Corpus, route: AnyRoute, before: Reading | None, requests: Requests
) -> tuple[Mapping[str, str], schema_reversal.Conversions | None, Groups]:
    """Compare the declared tools of the client's request (``before``) and of the upstream request.

    Returns the client's tool names by those upstream names that differ, the conversions of arguments on their way to
    the client, and the namespaces of the client's tools by the upstream's namespaces and names.
    """
    if before is None or requests.upstream is None:
        return {}, None, {}
    after = formats.read(route.upstream, "request", requests.upstream)
    sides = Sides(corpus, before, after)
    twins = pair_tools(sides)
    back = {upstream: client for client, upstream in pair_tool_names(sides, twins) if upstream != client}
    groups = {(twin.namespace, twin.name): tool.namespace for tool, twin in twins} if requests.seen else {}
    return back if requests.seen else {}, schema_reversal.conversions_down(sides, twins), groups


def _usage_circumstances(corpus: Corpus, client: str, request: Any, *, streamed: bool) -> Iterator[str]:
    """The circumstances of a reply's token counts, in formats whose streams count only if the request asks for it."""
    if counts_flag_pointer(corpus, client) is None:
        return
    if request is None:
        yield from ["counts-unknown"] if streamed else []
    elif is_uncounted_stream(corpus, client, request):
        yield "counts-unasked"


def _is_function_forced(request: Reading | None) -> bool | None:
    """Whether the request forces one function; None if the request is unknown."""
    if request is None:
        return None
    setting = request.settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and bool(setting.value.get("names"))


def judge_round_trip(corpus: Corpus, source: Any, output: Any, *, own: str, through: str, direction: str) -> Judgement:
    """Compare a body with the result of its round trip; see ``Judge.round_trip``."""
    before, after = (formats.read(own, direction, body) for body in (source, output))
    sides = Sides(corpus, before, after, through=through)
    if not isinstance(output, dict):
        findings = [report_no_object(sides, output)]
    else:
        sides, unsourced = search_sources.remove_search_sources(spread_texts.join_spread_texts(sides))
        findings = [*unsourced, *compare(align_sides(sides), direction)]
    return Judgement(tuple(finding for finding in findings if finding.is_must))


def find_golden_differences(
    corpus: Corpus, format_name: str, direction: str, golden: Any, output: Any
) -> list[ValueDifference]:
    """The differences from a golden body, except generated ids and times and what equivalences allow."""
    format_facts = corpus.format(format_name)
    new = {f"/{key}" for key in (*format_facts.get("generated_keys", ()), *format_facts.get("time_keys", ()))}
    accepted = judge_body(
        corpus, golden, output, Ends(format_name, format_name), direction, captured=True, tolerated=True
    ).tolerated
    places = {place for tolerance in accepted for place in (tolerance.pointer, tolerance.source_pointer) if place}
    return [
        difference
        for difference in find_differences(golden, output)
        if difference.pointer not in new and not any(_overlap(difference.pointer, place) for place in places)
    ]


def _overlap(pointer: str, other: str) -> bool:
    """Whether two pointers are equal, or one is inside the other."""
    return pointer == other or pointer.startswith(f"{other}/") or other.startswith(f"{pointer}/")
