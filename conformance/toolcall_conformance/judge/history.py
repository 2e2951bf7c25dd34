"""Judges a request in a running conversation: the provider must receive its own replies and the client's results."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement, Words
from toolcall_conformance.basics.jsonvalue import pack
from toolcall_conformance.basics.memoize import MAX_MEMOIZED_BYTES
from toolcall_conformance.basics.reading import Call, Reading, Result, Turn
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.comparisons import HISTORY, compare
from toolcall_conformance.judge.consequences import suppress
from toolcall_conformance.judge.context import AnyRoute
from toolcall_conformance.judge.excuses.accepted import accepted_differences
from toolcall_conformance.judge.excuses.inherited import excuse_inherited
from toolcall_conformance.judge.excuses.provider_memory import ProviderMemory, whole_request
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation import losses, nearest
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.calls.schema_reversal import conversions_up
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.state.compactions import KIND as PACKED
from toolcall_conformance.judge.translation.state.compactions import UnreadState, find_unread_compactions
from toolcall_conformance.judge.translation.state.state import model_circumstances
from toolcall_conformance.judge.translation.state.stored_conversations import lacks_turns
from toolcall_conformance.judge.translation.texts import search_sources, spread_texts
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.judge.translation.tools.tool_pairs import map_tool_names, pair_tools
from toolcall_conformance.judge.wrong_format import report_no_object
from toolcall_conformance.library import Corpus


def judge_history(
    corpus: Corpus,
    golden: Any,
    output: Any,
    route: AnyRoute,
    *,
    request: Any,
    provider_memory: ProviderMemory,
    stored: bool,
    tolerated: bool = False,
) -> Judgement:
    """Judge an upstream request by the ``golden`` one of the same conversation; see ``Judge.history``."""
    before = formats.read(route.upstream, "request", golden)
    called: dict[str, int] = {}
    client_reading = None
    if request is not None:
        client_reading = formats.read(route.client, "request", request)
        called = {call.id: call.ordinal for call in client_reading.calls if call.id}
        before = _put_client_results(before, client_reading)
    before = _rename_members(before, declared_names(corpus, golden, output, route.upstream))
    resolved_output = whole_request(route.upstream, output, provider_memory)
    after = formats.read(route.upstream, "request", resolved_output.body)
    sides = Sides(
        corpus,
        before,
        after,
        through=route.client,
        results_format=route.client,
        extra_call_ids=called,
        circumstances=model_circumstances(corpus, route.upstream, route.upstream_model),
        accepted=[] if tolerated else None,
    )
    if not isinstance(output, dict):
        return Judgement((report_no_object(sides, output),))
    output_findings = check_body(corpus, route.upstream, "request", output, model=route.upstream_model)
    if resolved_output.unknown_id is not None:
        expected = Words("the id of a reply that the provider gave")
        unknown = sides.finding(
            "translation/stored-reply-known",
            resolved_output.pointer or "",
            want=expected,
            got=resolved_output.unknown_id,
        )
        return Judgement((*output_findings, unknown))
    if stored and lacks_turns(before, after):
        return Judgement(
            (*output_findings, _report_half(sides, request, _turns_in_words(before), _turns_in_words(after)))
        )
    unread = (
        UnreadState()
        if client_reading is None
        else find_unread_compactions(_add_client_compactions(sides, client_reading))
    )
    sides, unsourced = search_sources.remove_search_sources(spread_texts.join_spread_texts(sides))
    pair = align_sides(sides)
    if not resolved_output.added_entries and any(not finding.is_note for finding in output_findings):
        source_findings = check_body(corpus, route.upstream, "request", golden, model=route.upstream_model)
        output_findings = excuse_inherited(corpus, output_findings, source_findings, pair, golden, output)
    container = formats.get(route.upstream).client.CONTAINER
    # Here only the provider's own ids count (ids-returned); `request` judges the ids of each request by itself.
    let = {"translation/ids-kept", *unread.excused}
    translation_findings = [
        *unread.findings,
        *(finding for finding in compare(pair, HISTORY) if finding.rule not in let),
    ]
    if not resolved_output.added_entries:  # else pointers into the two differ
        output_findings = suppress(corpus, output_findings, translation_findings)
    findings = (
        *output_findings,
        *(resolved_output.move_to_sent(finding, container) for finding in (*unsourced, *translation_findings)),
    )
    accepted = tuple(
        resolved_output.move_to_sent(tolerance, container) for tolerance in accepted_differences(pair, findings)
    )
    return Judgement(findings, losses.find_losses(pair, history=True), accepted)


def declared_names(corpus: Corpus, golden: Any, output: Any, upstream: str) -> DeclaredNames:
    """The names under which the ``output`` declares the tools of the ``golden`` request, by the golden names."""
    if upstream not in formats.names():
        return DeclaredNames({}, ())  # an unknown format: its declared tools cannot be read
    try:
        packed_bodies = pack(golden), pack(output)
    except ValueError:  # readers take anything
        return _match_declarations(corpus, *(formats.read(upstream, "request", body) for body in (golden, output)))
    if sum(map(len, packed_bodies)) > MAX_MEMOIZED_BYTES:
        return _match_declarations(corpus, *(formats.read_packed(upstream, "request", body) for body in packed_bodies))
    return _cached_names(corpus, upstream, *packed_bodies)


@lru_cache(maxsize=128)
def _cached_names(corpus: Corpus, upstream: str, golden: bytes, output: bytes) -> DeclaredNames:
    """The declared names, from packed bodies: each variant of a conversation begins with the same request."""
    return _match_declarations(corpus, *(formats.read_packed(upstream, "request", body) for body in (golden, output)))


def _match_declarations(corpus: Corpus, golden: Reading, output: Reading) -> DeclaredNames:
    sides = Sides(corpus, golden, output)
    twins = pair_tools(sides)
    return DeclaredNames(map_tool_names(sides, twins), twins, conversions_up(sides, twins))


def _rename_members(golden: Reading, names: DeclaredNames) -> Reading:
    """The golden reading, with the one member of each free-text call renamed as the translator declared it."""
    if not names.members:
        return golden

    def renamed(item: Item) -> Item:
        if isinstance(item, Call) and isinstance(item.arguments, dict) and len(item.arguments) == 1:
            return replace(
                item, arguments={names.members.get(key, key): value for key, value in item.arguments.items()}
            )
        return item

    turns = [replace(turn, items=[renamed(item) for item in turn.items]) for turn in golden.turns]
    return replace(golden, turns=turns)


def _add_client_compactions(sides: Sides, client_reading: Reading) -> Sides:
    """The golden request, with the client's own compactions, which only its provider can read."""
    packed = [stored for stored in client_reading.stored if stored.kind == PACKED]
    return replace(sides, source=replace(sides.source, stored=packed, compacts=client_reading.compacts))


def _report_half(sides: Sides, request: Any, want: str, got: str) -> Finding:
    """The finding for a request without the turns that the client's request leaves to its provider's memory."""
    named = formats.read(sides.through or "", "request", request).stored[:1] if request is not None else []
    sentences = [
        f"the client sent {reference.pointer[1:]} for the earlier conversation, which must be here again"
        for reference in named
    ]
    return sides.finding(
        "translation/stored-history",
        nearest.conversation_pointer(sides),
        "".join(sentences),
        want=Words(want),
        got=Words(got),
        source=named[0].pointer if named else "",
    )


def _turns_in_words(reading: Reading) -> str:
    count = sum(turn.side == "assistant" for turn in reading.turns)
    return f"{count} turn{'s' if count != 1 else ''} of the assistant"


def _put_client_results(golden: Reading, client_reading: Reading) -> Reading:
    """The golden reading with the client's own turns: its results with their wrappers, media where it puts them.

    Results keep the upstream's ids and names. The provider's replies between them are not changed.
    """
    golden = replace(golden, system=client_reading.system)
    mine = {result.call: result for result in golden.results if result.call is not None}
    client_runs, ours = _group_turns(client_reading), _group_turns(golden)
    if [
        run[0].side == "assistant" for run in client_runs
    ] != [  # pragma: no cover - a case's goldens have the same turns
        run[0].side == "assistant" for run in ours
    ]:
        return golden
    turns: list[Turn] = []
    for theirs, own in zip(client_runs, ours, strict=True):
        if own[0].side == "assistant":
            turns += own
            continue
        for turn in theirs:
            items = [_relink(item, mine) if isinstance(item, Result) else item for item in turn.items]
            turns.append(replace(turn, items=items))
    return replace(golden, turns=turns)


def _group_turns(reading: Reading) -> list[list[Turn]]:
    """The turns in groups: the assistant's, then the client's, and so on."""
    grouped = groupby(reading.turns, key=lambda turn: turn.side == "assistant")
    return [list(turns) for _, turns in grouped]


def _relink(result: Result, mine: dict[int, Result]) -> Result:
    own = mine.get(result.call) if result.call is not None else None
    return result if own is None else replace(own, parts=result.parts, error=result.error)
