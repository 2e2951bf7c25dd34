"""The check ``agent_loop``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding, is_json_value
from toolcall_conformance.basics.jsonvalue import JSONError, canonical, parse
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, answer, produced, refusal_of
from toolcall_conformance.checks.conversation.captions import golden_with_captions
from toolcall_conformance.checks.conversation.client import (
    ClientHabit,
    UncontinuableError,
    continue_from_reply,
    request_to_send,
)
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.conversation.left_out import shorter_requests, without
from toolcall_conformance.checks.conversation.twin import twin_of
from toolcall_conformance.checks.conversation.unasked import lighter_for_ungiven
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.checks.streams.exchange import reply_alone, reply_streamed
from toolcall_conformance.drivers import (
    Crashed,
    Opened,
    Outcome,
    Produced,
    SessionDriver,
    UnsupportedOutcome,
)
from toolcall_conformance.judge.excuses.provider_memory import ProviderMemory, extend_memory, whole_exchanges
from toolcall_conformance.judge.excuses.thinking_state import ungiven_state
from toolcall_conformance.judge.levels import apply_circumstances, make_finding
from toolcall_conformance.library import Case, Corpus, Exchange


@dataclass(frozen=True, slots=True)
class LoopVariant:
    """One way to play a conversation.

    ``fresh``: every exchange in a session of its own, as by another replica. ``streamed``: replies come as streams.
    """

    habit: ClientHabit = field(default_factory=ClientHabit)
    fresh: bool = False
    interleaved: bool = False
    streamed: bool = False


VARIANTS = {
    "": LoopVariant(),
    "stripping": LoopVariant(ClientHabit(echo=False)),
    "swapped": LoopVariant(ClientHabit(swap=True)),
    "fresh": LoopVariant(fresh=True),
    "interleaved": LoopVariant(interleaved=True),
    "stored": LoopVariant(ClientHabit(stored=True)),
    "streamed": LoopVariant(streamed=True),
    "streamed-interleaved": LoopVariant(interleaved=True, streamed=True),
    "streamed-stored": LoopVariant(ClientHabit(stored=True), streamed=True),
    "referring": LoopVariant(ClientHabit(referring=True)),
    "streamed-referring": LoopVariant(ClientHabit(referring=True), streamed=True),
}


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Plays the whole conversation as an agent does: builds each request from the replies that it received."""
    tally = Tally.of(harness, case, "agent_loop", route)
    way = VARIANTS[variant]
    route = replace(route, stream=way.streamed)
    main = _Agent(case, route, open_session, harness, way, tally)
    beside = [] if other is None else [main.unjudged(other)]
    if way.interleaved:
        # The twin shares ids with the case: once it spoke before, and once it always speaks after. The stranger speaks
        # last: what is kept under numbers of the translator's own is then his.
        twin = twin_of(harness.corpus, case)
        deque(main.unjudged(twin).play(), 0)
        beside.insert(0, main.unjudged(twin))
    others = [agent.play() for agent in beside]
    for _ in main.play():  # one step is half an exchange; conversations take turns
        for each in others:
            next(each, None)
    if way.fresh:
        tally.findings = [apply_circumstances(harness.corpus, entry, ["fresh-session"]) for entry in tally.findings]
    return tally.result()


class _Agent:
    """Plays a conversation as an agent; what is found goes into the tally."""

    def __init__(
        self,
        case: Case,
        route: Route,
        open_session: OpenSession,
        harness: Harness,
        way: LoopVariant,
        tally: Tally,
        *,
        judged: bool = True,
    ) -> None:
        self._case, self._tally, self._judged = case, tally, judged
        self._route, self._open, self._harness, self._way = route, open_session, harness, way
        self._clients = whole_exchanges(route.client, case.exchanges(route.client))
        self._upstreams = whole_exchanges(route.upstream, case.exchanges(route.upstream))
        self._session: SessionDriver | None = None
        self._request = self._known = self._clients[0].request  # what the client sends, and all that it would say
        self._left_out: tuple[str, ...] = ()
        self._replies: list[PlayedBodies] = []  # those before the request that comes
        self._memory: ProviderMemory = {}
        self._ungiven: frozenset[str] = frozenset()  # state that the provider would not have sent
        self._unnamed = _gives_no_ids(case, route.upstream)
        self._wanted = harness.corpus.transports[route.client]["stream"].get("body", {}) if way.streamed else {}

    def unjudged(self, case: Case) -> _Agent:
        """An agent that plays ``case`` as this one does, and is not judged."""
        tally = Tally.of(self._harness, case, "agent_loop", self._route)
        return _Agent(case, self._route, self._open, self._harness, self._way, tally, judged=False)

    def play(self) -> Iterator[None]:
        """An exchange a step; ends early where a call brings nothing."""
        for number, (client, upstream) in enumerate(zip(self._clients, self._upstreams, strict=True)):
            session = self._opened()
            sent = None if session is None else self._send(session, number, client, upstream)
            if session is None or sent is None:
                return
            self._judge_request(number, client, upstream, sent)
            if number + 1 == len(self._clients):
                session.finish_exchange(answer(upstream))
                return
            yield
            if self._tally.never_sent(upstream.response, self._request, sent.value):
                session.finish_exchange(answer(upstream))
                return
            provider_reply, names = self._provider_reply(upstream, sent)
            back = self._receive(session, number, sent, provider_reply, names)
            if back is None or not self._go_on(number, provider_reply, back):
                return
            golden = self._clients[number].response
            self._replies.append(PlayedBodies(upstream.response_path.stem, provider_reply, back.value, golden))
            yield

    def _opened(self) -> SessionDriver | None:
        """The session of the next exchange; None if there is none."""
        if self._session is not None and self._way.fresh and self._session.own_history:
            self._tally.allowed = "a session with a history of its own continues no other session's conversation"
            return None
        if self._session is None or self._way.fresh:
            opened = self._open(self._route)
            if not isinstance(opened, Opened):
                self._tally.block("open", opened, "session")
                return None
            self._session = opened.session
        return self._session

    def _send(self, session: SessionDriver, number: int, client: Exchange, upstream: Exchange) -> Produced | None:
        """The upstream's request for the client's; None if there is none."""
        name = client.request_path.stem
        self._request = without({**self._request, **self._wanted}, self._left_out)
        sent = self._ask(session, number, name)
        if isinstance(sent, Produced) and upstream.error is not None and "error" in session.operations:
            # The provider fails; the client receives the error and sends the same request again.
            failed = session.error(upstream.error)
            if not isinstance(failed, (Produced, UnsupportedOutcome)):
                self._tally.block("error", failed, name)
                return None
            sent = session.request(self._request)
        self._tally.played.append(PlayedBodies(name, self._request, produced(sent), upstream.request))
        if isinstance(sent, Produced):
            return sent
        needs_memory = bool(self._way.habit.rests_on_memory and number)
        bound = not needs_memory and self._harness.judge.may_refuse(self._route, self._request)
        reason = refusal_of(sent) if needs_memory or bound else None
        if reason is not None:
            may = "as it may here" if bound else "as a translator may that keeps no conversations"
            self._tally.allowed = f"refused, {may}: {reason}"
        else:
            self._fail_request(number, sent, name)
        return None

    def _fail_request(self, number: int, failed: Outcome, name: str) -> None:
        """Report a request of which nothing came; where it repeats a wrong reply, that reply."""
        if self._replies and isinstance(failed, Crashed) and not failed.died:
            reply = self._replies[-1]
            fault = next((entry for entry in self._faults_of(reply) if entry.is_must), None)
            if fault is not None:
                self._tally.break_loop(failed, fault, reply)
                return
        _failed(self._tally, number, "request", failed, name, self._request)

    def _faults_of(self, reply: PlayedBodies) -> tuple[Finding, ...]:
        return self._harness.judge.response(reply.source, reply.produced, self._route).findings

    def _lost_on_the_way_down(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings on a request; those say so that the client's own request has, because its reply had them."""
        if not any(entry.is_must for entry in findings):
            return findings
        names: dict[tuple[str, str], str] = {}
        for reply in self._replies:
            for entry in self._faults_of(reply):
                names.setdefault(_fault(entry), reply.name)
        return tuple(
            replace(entry, message=f"{entry.message} (on the way down, in {name}: the client's own request has it so)")
            if (name := names.get(_fault(entry)))
            else entry
            for entry in findings
        )

    def _ask(self, session: SessionDriver, number: int, name: str) -> Outcome:
        """The outcome of the request; of the first one, if it fails, that of a shorter one that does not."""
        sent = session.request(self._request)
        if isinstance(sent, Produced) or number:
            return sent
        for pointers, shorter in shorter_requests(self._harness.corpus, self._route.client, self._request, sent):
            again = session.request(shorter)
            if isinstance(again, Produced):
                full_request, self._request, self._left_out = self._request, shorter, pointers
                self._tally.go_on_without(pointers, sent, name, full_request)
                return again
        return sent

    def _judge_request(self, number: int, client: Exchange, upstream: Exchange, sent: Produced) -> None:
        """The first request is judged by the check ``request``."""
        harness, route, way = self._harness, self._route, self._way
        if not number or not self._judged:
            return
        judgement = harness.judge.history(
            upstream.request,
            sent.value,
            route,
            request=golden_with_captions(self._case, route.client, client.request, self._known),
            provider_memory=self._memory,
            stored=way.habit.rests_on_memory,
        )
        self._tally.lose(judgement)
        findings = self._lost_on_the_way_down(judgement.findings)
        findings = _without_ids(findings) if self._unnamed else findings
        findings = lighter_for_ungiven(harness.corpus, findings, upstream.request, self._ungiven)
        self._tally.findings += _placed(
            harness.corpus, findings, client.request_path.stem, way, route, unnamed=self._unnamed
        )

    def _provider_reply(self, upstream: Exchange, sent: Produced) -> tuple[Any, Mapping[str, str]]:
        """The golden reply by the names under which the request declares its tools, and these names."""
        name = self._route.upstream
        names = self._harness.judge.declared_names(upstream.request, sent.value, name)
        provider_reply = rename_calls(name, upstream.response, names)
        self._ungiven |= ungiven_state(self._harness.corpus, name, sent.value, provider_reply)
        self._memory = extend_memory(name, sent.value, provider_reply, self._memory)
        return provider_reply, names

    def _receive(
        self, session: SessionDriver, number: int, sent: Produced, provider_reply: Any, names: Mapping[str, str]
    ) -> Produced | None:
        """The client's reply for the provider's; None if there is none."""
        client, upstream = self._clients[number], self._upstreams[number]
        streamed = self._way.streamed
        back = (
            reply_streamed(session, upstream, sent.value, self._route, names, self._harness)
            if streamed
            else session.response(provider_reply)
        )
        if isinstance(back, Produced):
            return back
        operation, reply = "stream" if streamed else "response", upstream.response_path.stem
        if streamed and number:
            # The check `stream` reports it, unless only a session fails that has streamed before.
            alone = (
                None if session.own_history else reply_alone(client, upstream, self._route, self._open, self._harness)
            )
            if alone is None or isinstance(alone, Produced):
                self._tally.fail(operation, back, reply)
                return None
        _failed(self._tally, number, operation, back, reply)
        return None

    def _go_on(self, number: int, provider_reply: Any, back: Produced) -> bool:
        """Build the next request from a reply; whether the reply allows one."""
        client, tally, way = self._route.client, self._tally, self._way
        golden, reply = self._clients[number].response, self._upstreams[number].response_path.stem
        played = PlayedBodies(reply, provider_reply, back.value, golden)
        try:
            whole = continue_from_reply(client, self._known, back.value, self._clients[number + 1], way.habit)
            self._request = request_to_send(client, self._known, back.value, whole, way.habit)
            self._known = whole
        except UncontinuableError as broken:
            tally.played.append(played)
            tally.findings.append(
                make_finding(
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
            return False
        if not self._judged:
            return True
        misnamed = list(_misnamed(self._harness.corpus, client, golden, back.value, reply))
        if misnamed:
            tally.played.append(played)
            tally.findings += misnamed
        return True


def _fault(entry: Finding) -> tuple[str, str]:
    """What two findings have in common that are about one loss: the rule, and what is missing in either notation."""
    want = entry.want
    if not is_json_value(want):
        return entry.rule, repr(want)
    if isinstance(want, str):  # arguments are a text in one format and an object in the other
        with suppress(JSONError):
            want = parse(want)
    return entry.rule, canonical(want)


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
        yield make_finding(
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


def _failed(tally: Tally, number: int, operation: str, outcome: Outcome, body: str, request: Any = MISSING) -> None:
    """Report a call that returned nothing: on goldens its own check reports it, on a body of the loop only this one."""
    assert not isinstance(outcome, Produced)
    if number == 0 or operation in ("response", "stream"):
        tally.block(operation, outcome, body)
    else:
        tally.fail(operation, outcome, body, request=request)


def _placed(
    corpus: Corpus, findings: tuple[Finding, ...], body: str, way: LoopVariant, route: Route, *, unnamed: bool
) -> list[Finding]:
    """Findings with the body they are about. ``unnamed``: the provider gives its calls no ids."""
    drops = not way.habit.echo and route.client != route.upstream
    under = ["client-drops-unknown-keys"] if drops else []
    under += ["provider-gives-no-ids"] if unnamed else []
    return [apply_circumstances(corpus, replace(entry, body=body), under) for entry in findings]


def variants(corpus: Corpus, case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The variants that a case has on a route.

    None without a second exchange, or for a format whose ideal client we do not have; those that try a translator's
    memory only where it needs one; swapped results only where ids link them; stored conversations
    only where the client's API has them; streamed ones only where each reply that is gone on from has its stream.
    """
    if client not in formats.names() or len(case.exchanges(client)) < 2:
        return ()
    ids = case.scenario["ids"].get(client, {}).values()
    # An empty id is none; where the scenario says nothing of ids, nobody knows of any.
    linked = not corpus.format(client)["positional_pairing"] or (len(ids) > 0 and all(ids))
    keeper = formats.get(client).conversation_state
    keeps = keeper is not None and keeper.is_stored(case.exchanges(client)[0].request)
    stored, referring = (keeps and feature in case.features for feature in ("stored-state", "item-references"))
    streams = formats.get(client).stream is not None and streams_replies(case, client, upstream)
    streamed = streams and not case.features.isdisjoint(corpus.streamed)
    needs_memory = not case.features.isdisjoint(corpus.needing_memory)
    fitting = {
        "stripping": needs_memory,
        "fresh": needs_memory,
        "interleaved": needs_memory,
        "swapped": "parallel-calls" in case.features and linked,
        "stored": stored,
        "streamed": streamed,
        "streamed-interleaved": streamed and needs_memory,
        "streamed-stored": streams and stored,
        "referring": referring,
        "streamed-referring": streams and referring,
    }
    return tuple(name for name in VARIANTS if fitting.get(name, True))


def speaks_beside(case: Case, client: str, upstream: str, *, streamed: bool) -> bool:
    """Whether a case can be played beside another: of one without calls a translator would have nothing to mix up."""
    fits = {client, upstream} <= set(case.formats) and "no-call" not in case.features
    return fits and (not streamed or streams_replies(case, client, upstream))


def streams_replies(case: Case, client: str, upstream: str) -> bool:
    """Whether the corpus has the stream of each reply that a conversation goes on from."""
    return case.streams(client, upstream) and all(
        exchange.stream_path is not None for exchange in case.exchanges(upstream)[:-1]
    )
