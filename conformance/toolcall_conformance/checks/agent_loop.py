"""The check ``agent_loop``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, PlayedBodies, Tally, answer, produced
from toolcall_conformance.checks.captions import golden_with_captions
from toolcall_conformance.checks.client import Habit, UncontinuableError, continue_from_reply, request_to_send
from toolcall_conformance.checks.golden_replies import rename_calls
from toolcall_conformance.checks.streamed import reply_alone, reply_streamed
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Opened, Outcome, Produced, RefusedOutcome, SessionDriver
from toolcall_conformance.findings import Finding
from toolcall_conformance.judge.provider_memory import ProviderMemory, memory_after
from toolcall_conformance.levels import finding, weighed
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.reading import Call


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to play a conversation.

    ``fresh``: every exchange in a session of its own, as by another replica. ``streamed``: replies come as streams.
    """

    habit: Habit = field(default_factory=Habit)
    fresh: bool = False
    interleaved: bool = False
    streamed: bool = False


VARIANTS = {
    "": Variant(),
    "stripping": Variant(Habit(echo=False)),
    "swapped": Variant(Habit(swap=True)),
    "fresh": Variant(fresh=True),
    "interleaved": Variant(interleaved=True),
    "stored": Variant(Habit(stored=True)),
    "streamed": Variant(streamed=True),
    "streamed-stored": Variant(Habit(stored=True), streamed=True),
}


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Plays the whole conversation as an agent does: builds each request from the replies that it received."""
    tally = Tally.of(harness, case, "agent_loop")
    way = VARIANTS[variant]
    route = replace(route, stream=way.streamed)
    main = _play(case, route, open_session, harness, way, tally)
    side = (
        _play(other, route, open_session, None, way, Tally.of(harness, other, "agent_loop"))
        if other is not None
        else iter(())
    )
    for _ in main:  # one step is one exchange; with a second conversation they take turns
        next(side, None)
    if way.fresh:
        tally.findings = [weighed(harness.corpus, one, ["fresh-session"]) for one in tally.findings]
    return tally.result()


def _play(
    case: Case, route: Route, open_session: OpenSession, harness: Harness | None, way: Variant, tally: Tally
) -> Iterator[None]:
    """Play a conversation, an exchange a step; what is judged goes into ``tally``."""
    session: SessionDriver | None = None
    clients, upstreams = case.exchanges(route.client), case.exchanges(route.upstream)
    request = known = clients[0].request  # what the client sends, and all that it would say
    memory: ProviderMemory = {}
    unnamed = _gives_no_ids(case, route.upstream)
    wanted = (
        harness.corpus.transports[route.client]["stream"].get("body", {})
        if harness is not None and way.streamed
        else {}
    )
    for number, (client, upstream) in enumerate(zip(clients, upstreams, strict=True)):
        if session is not None and way.fresh and session.own_history:
            tally.allowed = "a session with a history of its own continues no other session's conversation"
            return
        if session is None or way.fresh:
            opened = open_session(route)
            if not isinstance(opened, Opened):
                tally.block("open", opened, "session")
                return
            session = opened.session
        name = client.request_path.stem
        request = {**request, **wanted}
        sent = session.request(request)
        if isinstance(sent, Produced) and upstream.error is not None and "error" in session.operations:
            # The provider fails; the client receives the error and sends the same request again.
            failed = session.error(upstream.error)
            if not isinstance(failed, Produced):
                tally.block("error", failed, name)
                return
            sent = session.request(request)
        tally.played.append(PlayedBodies(name, request, produced(sent), upstream.request))
        if not isinstance(sent, Produced):
            if way.habit.stored and number and isinstance(sent, RefusedOutcome):
                tally.allowed = f"refused, as a translator may that keeps no conversations: {sent.reason}"
            else:
                _failed(tally, number, "request", sent, name)
            return
        if harness is not None and number:
            found = harness.judge.history(
                upstream.request,
                sent.value,
                route,
                request=golden_with_captions(case, route.client, client.request, known),
                held=memory,
                stored=way.habit.stored,
            )
            tally.lose(found)
            tally.findings += _placed(
                harness.corpus, _without_ids(found.findings) if unnamed else found.findings, name, way, route
            )
        if number + 1 == len(clients):
            session.finish_exchange(answer(upstream))
            return
        yield
        names: Mapping[str, str] = {}
        if harness is not None:
            names = harness.judge.declared_names(upstream.request, sent.value, route.upstream)
        given = rename_calls(route.upstream, upstream.response, names)
        memory = memory_after(route.upstream, sent.value, given, memory)
        back = reply_streamed(session, upstream, route, names, harness) if way.streamed else session.response(given)
        reply = upstream.response_path.stem
        if not isinstance(back, Produced):
            operation = "stream" if way.streamed else "response"
            if harness is not None and way.streamed and number:
                # The check `stream` reports it, unless only a session fails that has streamed before.
                alone = None if session.own_history else reply_alone(client, upstream, route, open_session, harness)
                if alone is None or isinstance(alone, Produced):
                    tally.fail(operation, back, reply)
                    return
            _failed(tally, number, operation, back, reply)
            return
        try:
            whole = continue_from_reply(route.client, known, back.value, clients[number + 1], way.habit)
            request = request_to_send(route.client, known, back.value, whole, way.habit)
            known = whole
        except UncontinuableError as broken:
            tally.played.append(PlayedBodies(reply, given, back.value, client.response))
            tally.findings.append(
                finding(
                    tally.corpus,
                    "translation/loop-broken",
                    "",
                    str(broken),
                    want=broken.want,
                    got=broken.got,
                    element="call" if isinstance(broken.want, int) else "body",
                    body=reply,
                )
            )
            return
        if harness is not None:
            misnamed = list(_misnamed(harness.corpus, route.client, client.response, back.value, reply))
            if misnamed:
                tally.played.append(PlayedBodies(reply, given, back.value, client.response))
                tally.findings += misnamed
        yield


def _misnamed(corpus: Corpus, client: str, golden: Any, reply: Any, body: str) -> Iterator[Finding]:
    """The calls of a reply to tools that the client did not declare and cannot run."""
    missing = [call.name for call in formats.read(client, "response", golden).calls]
    strange: list[Call] = []
    for call in formats.read(client, "response", reply).calls:
        if call.name in missing:
            missing.remove(call.name)
        else:
            strange.append(call)
    for call, name in zip(strange, missing, strict=False):
        yield finding(
            corpus,
            "translation/call-name",
            call.name_pointer or call.pointer,
            "the reply calls a tool by a name that the client did not declare",
            want=name,
            got=call.name,
            element="name",
            body=body,
        )


def _gives_no_ids(case: Case, upstream: str) -> bool:
    """Whether the provider is a compatible vendor that omits ids which its format has."""
    replies = (exchange.response for exchange in case.exchanges(upstream)) if upstream in case.dialects else ()
    return any(not call.id for reply in replies for call in formats.read(upstream, "response", reply).calls)


def _without_ids(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """A provider that gave no ids accepts any."""
    return tuple(finding for finding in findings if finding.rule != "translation/ids-returned")


def _failed(tally: Tally, number: int, operation: str, outcome: Outcome, body: str) -> None:
    """Report a call that returned nothing: on goldens its own check reports it, on a body of the loop only this one."""
    assert not isinstance(outcome, Produced)
    if number == 0 or operation in ("response", "stream"):
        tally.block(operation, outcome, body)
    else:
        tally.fail(operation, outcome, body)


def _placed(corpus: Corpus, findings: tuple[Finding, ...], body: str, way: Variant, route: Route) -> list[Finding]:
    """Findings with the body they are about."""
    drops = not way.habit.echo and route.client != route.upstream
    under = ["client-drops-unknown-keys"] if drops else []
    return [weighed(corpus, replace(one, body=body), under) for one in findings]


def variants(corpus: Corpus, case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The variants that a case has on a route.

    None without a second exchange, or for a format whose ideal client we do not have; those that try a translator's
    memory only where it needs one; swapped results only where ids link them; stored conversations
    only where the client's API has them; streamed ones only where each reply that is gone on from has its stream.
    """
    if client not in formats.names() or len(case.exchanges(client)) < 2:
        return ()
    ids = case.scenario["ids"].get(client, {}).values()
    linked = not corpus.format(client)["positional_pairing"] or all(ids)  # an empty id is none
    stored = "stored-state" in case.features and formats.get(client).stored is not None
    streams = (
        formats.get(client).stream is not None
        and case.streams(client, upstream)
        and all(exchange.stream_path is not None for exchange in case.exchanges(upstream)[:-1])
    )
    needs_memory = not case.features.isdisjoint(corpus.needing_memory)
    fitting = {
        "stripping": needs_memory,
        "fresh": needs_memory,
        "interleaved": needs_memory,
        "swapped": "parallel-calls" in case.features and linked,
        "stored": stored,
        "streamed": streams and not case.features.isdisjoint(corpus.streamed),
        "streamed-stored": streams and stored,
    }
    return tuple(name for name in VARIANTS if fitting.get(name, True))
