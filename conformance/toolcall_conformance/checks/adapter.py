"""The check ``adapter``: tool calls extracted from replies, and results put back, within one format."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve, to_json
from toolcall_conformance.basics.reading import Media, Result, Text
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced_body
from toolcall_conformance.checks.conversation.client import start_of_tail
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced, SessionDriver
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.judge.translation.media.media_identity import standard_base64
from toolcall_conformance.library import Case, Corpus, Exchange

VARIANTS = ("", "swapped")
"""The results as the corpus has them, and in the reverse order."""


def variants(case: Case, format_name: str) -> tuple[str, ...]:
    """The variants of a case in a format: none without a call; with its results swapped if it has several."""
    if format_name not in formats.names() or not any(True for _ in call_rounds(case, format_name)):
        return ()  # calls are found only in formats that code reads
    several = any(
        len(new_results(format_name, following.request)) > 1 for _, following in call_rounds(case, format_name)
    )
    return VARIANTS if several else ("",)


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Takes the calls out of each reply and puts their results after it, as an agent's own layer does."""
    del other
    tally = Tally.of(harness, case, "adapter", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.fail("open", opened, "")
        return tally.result()
    for exchange, following in call_rounds(case, route.client):
        if not _play(opened.session, exchange, following, tally, harness, swapped=variant == "swapped"):
            break
    return tally.result()


def _play(
    session: SessionDriver, exchange: Exchange, following: Exchange, tally: Tally, harness: Harness, *, swapped: bool
) -> bool:
    """Judge one reply and the results after it; return whether the conversation can go on."""
    format_name, body_label = tally.route.client, exchange.request_path.stem.replace("request", "response")
    outcome = session.call("tool_calls", exchange.response)
    tally.played.append(PlayedBodies(body_label, exchange.response, produced_body(outcome), None))
    if not isinstance(outcome, Produced):
        tally.fail("tool_calls", outcome, body_label)
        return False
    tally.add_side_effects("tool_calls", outcome, body_label)
    tally.add_judgement(harness.judge.tool_calls(format_name, exchange.response, outcome.value), body_label)
    if not _can_be_answered(outcome.value, len(new_results(format_name, following.request))):
        return False  # what followed would follow from this
    results = list(neutral_results(harness.corpus, format_name, following.request, outcome.value))
    if swapped:
        results.reverse()
    body_label = following.request_path.stem
    results_outcome = session.call("tool_results", outcome.value, results)
    tally.played.append(PlayedBodies(body_label, results, produced_body(results_outcome), following.request))
    if not isinstance(results_outcome, Produced):
        tally.fail("tool_results", results_outcome, body_label)
        return False
    tally.add_side_effects("tool_results", results_outcome, body_label)
    sent = put_entries(
        format_name,
        following.request,
        results_outcome.value,
        _generated_ids(format_name, exchange, following.request, outcome.value),
    )
    tally.add_judgement(
        harness.judge.tool_results(format_name, following.request, sent, model=tally.route.client_model), body_label
    )
    return True


def _can_be_answered(calls: list[Any], results: int) -> bool:
    """Whether each of the results has a call of its own that it can name."""
    ids = [
        call["id"]
        for call in calls
        if isinstance(call, dict) and isinstance(call.get("id"), str) and call["id"].strip()
    ]
    return len(calls) == len(ids) == len(set(ids)) == results


def call_rounds(case: Case, format_name: str) -> Iterator[tuple[Exchange, Exchange]]:
    """Each exchange whose reply has calls of the client's tools, with the exchange that has all their results."""
    exchanges = whole_exchanges(format_name, case.exchanges(format_name))
    for exchange, following in itertools.pairwise(exchanges):
        if exchange.response is None:
            continue
        calls = formats.read(format_name, "response", exchange.response).calls
        if calls and len(calls) == len(new_results(format_name, following.request)):
            yield exchange, following


def new_results(format_name: str, request: dict[str, Any]) -> list[Result]:
    """The results that a golden request adds after the provider's last reply."""
    reading = formats.read(format_name, "request", request)
    container = formats.get(format_name).client.CONTAINER
    start = start_of_tail(reading, container)
    return [result for result in reading.results if int(result.pointer.split("/")[2]) >= start]


def neutral_results(
    corpus: Corpus, format_name: str, request: dict[str, Any], calls: list[Any]
) -> Iterator[dict[str, Any]]:
    """A golden request's new results in the neutral form, for the session's ``calls``, in the order of the calls."""
    results = new_results(format_name, request)
    wrappers = corpus.format(format_name)["result_wrappers"]
    ordinals = sorted(result.call for result in results if result.call is not None)
    for result in results:
        if result.call is None or ordinals.index(result.call) >= len(calls):
            continue
        call = calls[ordinals.index(result.call)]
        if isinstance(call, dict):
            yield {
                "tool_call_id": call.get("id"),
                "name": call.get("name"),
                **_result_content(result, wrappers),
                "is_error": result.error is True,
            }


def _result_content(result: Result, wrappers: Collection[str]) -> dict[str, Any]:
    has_media = any(isinstance(part, Media) for part in result.parts)
    # Gemini demands an object in addition to media, even an empty one.
    parts = [_neutral_part(part, wrappers) for part in result.parts if not (has_media and _is_blank(part))]
    objects = [part["value"] for part in parts if part["type"] == "object"]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    value = objects[0] if objects and not texts else "\n".join(texts)
    return (
        {"result": value}
        if len(objects) + len(texts) == len(parts) <= 1
        else {"result": value, "multimodal_parts": parts}
    )


def _is_blank(part: Any) -> bool:
    return not isinstance(part, (Text, Media)) and part.value == {}


def _neutral_part(part: Any, wrappers: Collection[str]) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if isinstance(part, Media):
        data = None if part.data is None else standard_base64(part.data)
        members = {"mime_type": part.mime, "data": data, "url": part.url, "file_id": part.file_id}
        return {
            "type": "media",
            "kind": part.kind,
            **{key: value for key, value in members.items() if value is not None},
        }
    value = _unwrap(part.value, wrappers)
    if isinstance(value, dict):
        return {"type": "object", "value": deep_copy(value)}
    return {"type": "text", "text": value if isinstance(value, str) else to_json(value)}


def _unwrap(value: Any, wrappers: Collection[str]) -> Any:
    """The text of a result that its format wraps into an object with one key; any other value as it is."""
    if isinstance(value, dict) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if key in wrappers and isinstance(inner, str):
            return inner
    return value


def _generated_ids(format_name: str, exchange: Exchange, request: dict[str, Any], calls: list[Any]) -> dict[str, str]:
    """The ids that the session generated for calls without one, each with the id of the call in the golden history."""
    history = {call.ordinal: call.id for call in formats.read(format_name, "request", request).calls}
    ordinals = sorted(result.call for result in new_results(format_name, request) if result.call is not None)
    ids = [call.id for call in formats.read(format_name, "response", exchange.response).calls]
    golden_ids = {}
    for call, ordinal, own in zip(calls, ordinals, ids, strict=False):
        call_id, golden = call.get("id") if isinstance(call, dict) else None, history.get(ordinal)
        if isinstance(call_id, str) and golden and not own:
            golden_ids[call_id] = golden
    return golden_ids


def put_entries(format_name: str, request: dict[str, Any], entries: list[Any], ids: dict[str, str]) -> dict[str, Any]:
    """The golden request with the session's entries in the place of its new results.

    ``ids`` replaces the session's generated ids by those of the golden history.
    """
    client = formats.get(format_name).client
    body: dict[str, Any] = deep_copy(request)
    start = start_of_tail(formats.read(format_name, "request", request), client.CONTAINER)
    body[client.CONTAINER] = [*deep_copy(client.entries(request)[:start]), *deep_copy(entries)]
    for result in formats.read(format_name, "request", body).results if ids else ():
        if result.id in ids and result.id_pointer is not None and int(result.pointer.split("/")[2]) >= start:
            holder, _, key = result.id_pointer.rpartition("/")
            resolve(body, holder)[key] = ids[result.id]
    return body
