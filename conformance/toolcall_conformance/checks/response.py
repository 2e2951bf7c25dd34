"""The check ``response``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced_body, provider_answer
from toolcall_conformance.checks.conversation.golden_replies import rename_calls, requests_before
from toolcall_conformance.checks.conversation.shorter_requests import shorter_requests
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced, RaisedError, SessionDriver
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Case, Corpus, Exchange


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Translates each exchange's upstream reply or error, after its request, and judges it as the client's."""
    del variant, other  # this check has one way to be played
    tally = Tally.of(harness, case, "response", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.block("open", opened, "session")
        return tally.result()
    session = opened.session
    exchanges = list(zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True))
    source_ids: dict[str, str] = {}
    for client, upstream in exchanges[:1] if session.own_history else exchanges:
        if upstream.error is not None:
            if not _send_request(session, client, route, harness, tally) or not _judge_error(
                session, client, upstream, route, harness, tally
            ):
                break
            if upstream.response is None:
                continue
        sent = _send_request(session, client, route, harness, tally)
        if not sent:
            break
        if tally.skip_impossible_reply(upstream.response, sent.request, sent.upstream_request):
            session.finish_exchange(provider_answer(upstream))
            continue
        reply = upstream.response
        if sent.upstream_request is not None:
            declared = harness.judge.declared_names(upstream.request, sent.upstream_request, route.upstream)
            reply = rename_calls(route.upstream, upstream.response, declared)
        body_label = upstream.response_path.stem
        outcome = session.response(reply)
        tally.played.append(PlayedBodies(body_label, reply, produced_body(outcome), client.response))
        if not isinstance(outcome, Produced):
            may_fail = harness.judge.may_fail(route.upstream, reply)
            tally.fail_reply("response", outcome, body_label, may_fail=may_fail)
            break
        tally.add_side_effects("response", outcome, body_label)
        judgement = harness.judge.response(
            reply,
            outcome.value,
            route,
            requests=requests_before(sent.request, sent.upstream_request, upstream),
            vendor=route.upstream in case.dialects,
            declared=outcome.losses,
        )
        tally.add_judgement(judgement, body_label)
        _compare_ids(route, reply, outcome.value, source_ids, body_label, harness.corpus, tally)
    return tally.result()


def _compare_ids(
    route: Route, reply: Any, output: Any, source_ids: dict[str, str], body_label: str, corpus: Corpus, tally: Tally
) -> None:
    """Report a reply with the id of an earlier one, if the provider's two replies have two ids."""
    key, other = (corpus.format(name).get("reply_id", "") for name in (route.client, route.upstream))
    output_id, source = output.get(key), reply.get(other)
    if isinstance(output_id, str) and output_id:
        if output_id in source_ids and source not in (source_ids[output_id], None):
            duplicate = make_finding(
                corpus,
                "translation/reply-ids",
                f"/{key}",
                f"an earlier reply, whose id was {source_ids[output_id]!r}, has this id, too",
                want="an id of its own",
                got=output_id,
                source=f"/{other}",
                element="body",
                body=body_label,
            )
            tally.findings.append(duplicate)
        source_ids[output_id] = str(source)


@dataclass(frozen=True, slots=True)
class _SentRequest:
    """A client's ``request`` and its translation; ``upstream_request`` is None for a translator of replies alone."""

    request: Any
    upstream_request: Any = None


def _send_request(
    session: SessionDriver, client: Exchange, route: Route, harness: Harness, tally: Tally
) -> _SentRequest | None:
    """Send the request that comes before a reply; None if that failed, which blocks the reply."""
    request, body_label = client.request, client.request_path.stem
    if "request" not in session.operations:
        return _SentRequest(request)
    outcome = session.request(request)
    if isinstance(outcome, Produced):
        return _SentRequest(request, outcome.value)
    for pointers, shorter in shorter_requests(tally.corpus, route.client, request, outcome):
        again = session.request(shorter)
        if isinstance(again, Produced):
            tally.go_on_without(pointers, outcome, body_label, request)
            return _SentRequest(shorter, again.value)
    tally.block("request", outcome, body_label, may_refuse=harness.judge.may_refuse(route, request))
    return None


def _judge_error(
    session: SessionDriver, client: Exchange, upstream: Exchange, route: Route, harness: Harness, tally: Tally
) -> bool:
    """Translate the provider's error and judge the client's; False if there is none, though one must be."""
    body_label = upstream.error_path.stem if upstream.error_path is not None else ""
    outcome = session.error(upstream.error)
    if isinstance(outcome, RaisedError):
        tally.inapplicable = outcome.reason
        return True
    tally.played.append(PlayedBodies(body_label, upstream.error, produced_body(outcome), client.error))
    if not isinstance(outcome, Produced):
        tally.fail("error", outcome, body_label)
        return False
    tally.add_side_effects("error", outcome, body_label)
    tally.add_judgement(harness.judge.error(upstream.error, outcome.value, route), body_label)
    return True
