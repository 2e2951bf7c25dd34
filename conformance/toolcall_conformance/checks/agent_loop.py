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
from toolcall_conformance.checks.base import (
    Harness,
    ItemResult,
    OpenSession,
    Tally,
    produced_body,
    provider_answer,
    refusal_reason,
)
from toolcall_conformance.checks.conversation.captions import golden_with_captions
from toolcall_conformance.checks.conversation.client import (
    ClientHabit,
    UncontinuableError,
    continue_from_reply,
    request_to_send,
)
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.conversation.impossible_replies import excuse_ungiven_state
from toolcall_conformance.checks.conversation.shorter_requests import drop_members, shorter_requests
from toolcall_conformance.checks.conversation.twin import twin_of
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.checks.streams.exchange import play_reply, play_reply_alone
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
    loop_variant = VARIANTS[variant]
    route = replace(route, stream=loop_variant.streamed)
    main = _Agent(case, route, open_session, harness, loop_variant, tally)
    beside = [] if other is None else [main.unjudged_agent(other)]
    if loop_variant.interleaved:
        # The twin shares ids with the case: one is played before, and one a step after each step of the case. The other
        # case comes last: what a translator stores under numbers of its own is then that one's.
        twin = twin_of(harness.corpus, case)
        deque(main.unjudged_agent(twin).play(), 0)
        beside.insert(0, main.unjudged_agent(twin))
    others = [agent.play() for agent in beside]
    for _ in main.play():  # one step is half an exchange; conversations take turns
        for other_play in others:
            next(other_play, None)
    if loop_variant.fresh:
        tally.findings = [apply_circumstances(harness.corpus, entry, ["fresh-session"]) for entry in tally.findings]
    return tally.result()


class _Agent:
    """Plays a conversation as an agent; the findings go into the tally."""

    def __init__(
        self,
        case: Case,
        route: Route,
        open_session: OpenSession,
        harness: Harness,
        loop_variant: LoopVariant,
        tally: Tally,
        *,
        is_judged: bool = True,
    ) -> None:
        self._case, self._tally, self._is_judged = case, tally, is_judged
        self._route, self._open, self._harness, self._variant = route, open_session, harness, loop_variant
        self._clients = whole_exchanges(route.client, case.exchanges(route.client))
        self._upstreams = whole_exchanges(route.upstream, case.exchanges(route.upstream))
        self._session: SessionDriver | None = None
        # The request that the client sends, and the same without leaving anything to the provider's memory.
        self._request = self._whole_request = self._clients[0].request
        self._left_out: tuple[str, ...] = ()
        self._replies: list[PlayedBodies] = []  # those before the request that comes
        self._provider_memory: ProviderMemory = {}
        self._ungiven_state: frozenset[str] = frozenset()  # state that the provider would not have sent
        self._gives_no_ids = _gives_no_ids(case, route.upstream)
        transport = harness.corpus.transports[route.client]["stream"]
        self._stream_keys = transport.get("body", {}) if loop_variant.streamed else {}

    def unjudged_agent(self, case: Case) -> _Agent:
        """Another agent, which plays ``case`` as this one does, and is not judged."""
        tally = Tally.of(self._harness, case, "agent_loop", self._route)
        return _Agent(case, self._route, self._open, self._harness, self._variant, tally, is_judged=False)

    def play(self) -> Iterator[None]:
        """Play half an exchange a step; end early if a call returns nothing."""
        for number, (client, upstream) in enumerate(zip(self._clients, self._upstreams, strict=True)):
            session = self._next_session()
            sent = None if session is None else self._send(session, number, client, upstream)
            if session is None or sent is None:
                return
            self._judge_request(number, client, upstream, sent)
            if number + 1 == len(self._clients):
                session.finish_exchange(provider_answer(upstream))
                return
            yield
            if self._tally.skip_impossible_reply(upstream.response, self._request, sent.value):
                session.finish_exchange(provider_answer(upstream))
                return
            provider_reply, names = self._provider_reply(upstream, sent)
            client_reply = self._receive(session, number, sent, provider_reply, names)
            if client_reply is None or not self._build_next_request(number, provider_reply, client_reply):
                return
            golden = self._clients[number].response
            self._replies.append(PlayedBodies(upstream.response_path.stem, provider_reply, client_reply.value, golden))
            yield

    def _next_session(self) -> SessionDriver | None:
        """The session for the next exchange, a new one if the variant is ``fresh``; None if it cannot be opened."""
        if self._session is not None and self._variant.fresh and self._session.own_history:
            self._tally.allowed = "a session with a history of its own continues no other session's conversation"
            return None
        if self._session is None or self._variant.fresh:
            opened = self._open(self._route)
            if not isinstance(opened, Opened):
                self._tally.block("open", opened, "session")
                return None
            self._session = opened.session
        return self._session

    def _send(self, session: SessionDriver, number: int, client: Exchange, upstream: Exchange) -> Produced | None:
        """Send the client's request; return its translation, None if there is none."""
        body_label = client.request_path.stem
        self._request = drop_members({**self._request, **self._stream_keys}, self._left_out)
        sent = self._ask(session, number, body_label)
        if isinstance(sent, Produced) and upstream.error is not None and "error" in session.operations:
            # The provider fails; the client receives the error and sends the same request again.
            failure = session.error(upstream.error)
            if not isinstance(failure, (Produced, UnsupportedOutcome)):
                self._tally.block("error", failure, body_label)
                return None
            sent = session.request(self._request)
        self._tally.played.append(PlayedBodies(body_label, self._request, produced_body(sent), upstream.request))
        if isinstance(sent, Produced):
            return sent
        needs_memory = bool(self._variant.habit.rests_on_memory and number)
        bound = not needs_memory and self._harness.judge.may_refuse(self._route, self._request)
        reason = refusal_reason(sent) if needs_memory or bound else None
        if reason is not None:
            may = "as it may here" if bound else "as a translator may that keeps no conversations"
            self._tally.allowed = f"refused, {may}: {reason}"
        else:
            self._fail_request(number, sent, body_label)
        return None

    def _fail_request(self, number: int, failure: Outcome, body_label: str) -> None:
        """Report a failed request; if it repeats a wrong reply, report that reply."""
        if self._replies and isinstance(failure, Crashed) and not failure.died:
            reply = self._replies[-1]
            fault = next((entry for entry in self._reply_faults(reply) if entry.is_must), None)
            if fault is not None:
                self._tally.break_loop(failure, fault, reply)
                return
        _report_failure(self._tally, number, "request", failure, body_label, self._request)

    def _reply_faults(self, reply: PlayedBodies) -> tuple[Finding, ...]:
        return self._harness.judge.response(reply.source, reply.produced, self._route).findings

    def _mention_reply_faults(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings on a request; those that an earlier reply caused name it: the client's own request has them."""
        if not any(entry.is_must for entry in findings):
            return findings
        names: dict[tuple[str, str], str] = {}
        for reply in self._replies:
            for entry in self._reply_faults(reply):
                names.setdefault(_fault_key(entry), reply.name)
        return tuple(
            replace(entry, message=f"{entry.message} (on the way down, in {name}: the client's own request has it so)")
            if (name := names.get(_fault_key(entry)))
            else entry
            for entry in findings
        )

    def _ask(self, session: SessionDriver, number: int, body_label: str) -> Outcome:
        """Translate the request; if the first one fails, try shorter ones. Return the first outcome that succeeds."""
        sent = session.request(self._request)
        if isinstance(sent, Produced) or number:
            return sent
        for pointers, shorter in shorter_requests(self._harness.corpus, self._route.client, self._request, sent):
            again = session.request(shorter)
            if isinstance(again, Produced):
                full_request, self._request, self._left_out = self._request, shorter, pointers
                self._tally.go_on_without(pointers, sent, body_label, full_request)
                return again
        return sent

    def _judge_request(self, number: int, client: Exchange, upstream: Exchange, sent: Produced) -> None:
        """The first request is judged by the check ``request``."""
        harness, route, loop_variant = self._harness, self._route, self._variant
        if not number or not self._is_judged:
            return
        judgement = harness.judge.history(
            upstream.request,
            sent.value,
            route,
            request=golden_with_captions(self._case, route.client, client.request, self._whole_request),
            provider_memory=self._provider_memory,
            stored=loop_variant.habit.rests_on_memory,
        )
        self._tally.add_losses(judgement)
        findings = self._mention_reply_faults(judgement.findings)
        findings = _drop_id_findings(findings) if self._gives_no_ids else findings
        findings = excuse_ungiven_state(harness.corpus, findings, upstream.request, self._ungiven_state)
        self._tally.findings += _place_findings(
            harness.corpus, findings, client.request_path.stem, loop_variant, route, gives_no_ids=self._gives_no_ids
        )

    def _provider_reply(self, upstream: Exchange, sent: Produced) -> tuple[Any, Mapping[str, str]]:
        """The golden reply with the tool names that the request declares, and these names by the golden ones."""
        name = self._route.upstream
        names = self._harness.judge.declared_names(upstream.request, sent.value, name)
        provider_reply = rename_calls(name, upstream.response, names)
        self._ungiven_state |= ungiven_state(self._harness.corpus, name, sent.value, provider_reply)
        self._provider_memory = extend_memory(name, sent.value, provider_reply, self._provider_memory)
        return provider_reply, names

    def _receive(
        self, session: SessionDriver, number: int, sent: Produced, provider_reply: Any, names: Mapping[str, str]
    ) -> Produced | None:
        """Translate the provider's reply; return the client's, None if there is none."""
        client, upstream = self._clients[number], self._upstreams[number]
        streamed = self._variant.streamed
        client_reply = (
            play_reply(session, upstream, sent.value, self._route, names, self._harness)
            if streamed
            else session.response(provider_reply)
        )
        if isinstance(client_reply, Produced):
            return client_reply
        operation, reply = "stream" if streamed else "response", upstream.response_path.stem
        if streamed and number:
            # The check `stream` reports it, unless only a session fails that has streamed before.
            alone = (
                None
                if session.own_history
                else play_reply_alone(client, upstream, self._route, self._open, self._harness)
            )
            if alone is None or isinstance(alone, Produced):
                self._tally.fail(operation, client_reply, reply)
                return None
        _report_failure(self._tally, number, operation, client_reply, reply)
        return None

    def _build_next_request(self, number: int, provider_reply: Any, client_reply: Produced) -> bool:
        """Build the next request from a reply; return whether the reply allows one."""
        client, tally, loop_variant = self._route.client, self._tally, self._variant
        golden, reply = self._clients[number].response, self._upstreams[number].response_path.stem
        played = PlayedBodies(reply, provider_reply, client_reply.value, golden)
        try:
            whole = continue_from_reply(
                client, self._whole_request, client_reply.value, self._clients[number + 1], loop_variant.habit
            )
            self._request = request_to_send(client, self._whole_request, client_reply.value, whole, loop_variant.habit)
            self._whole_request = whole
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
        if not self._is_judged:
            return True
        misnamed = list(_find_misnamed_calls(self._harness.corpus, client, golden, client_reply.value, reply))
        if misnamed:
            tally.played.append(played)
            tally.findings += misnamed
        return True


def _fault_key(entry: Finding) -> tuple[str, str]:
    """A key that findings on one loss share: the rule, and the missing value in a neutral notation."""
    want = entry.want
    if not is_json_value(want):
        return entry.rule, repr(want)
    if isinstance(want, str):  # arguments are a text in one format and an object in the other
        with suppress(JSONError):
            want = parse(want)
    return entry.rule, canonical(want)


def _find_misnamed_calls(corpus: Corpus, client: str, golden: Any, reply: Any, body_label: str) -> Iterator[Finding]:
    """The findings on calls of a reply to tools that the client did not declare and cannot run."""
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
            body=body_label,
        )


def _gives_no_ids(case: Case, upstream: str) -> bool:
    """Whether the provider is a compatible vendor that omits ids which its format has."""
    replies = (exchange.response for exchange in case.exchanges(upstream)) if upstream in case.dialects else ()
    return any(not call.id for reply in replies for call in formats.read(upstream, "response", reply).calls)


def _drop_id_findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings without those on returned ids: a provider that gave no ids accepts any."""
    return tuple(finding for finding in findings if finding.rule != "translation/ids-returned")


def _report_failure(
    tally: Tally, number: int, operation: str, outcome: Outcome, body_label: str, request: Any = MISSING
) -> None:
    """Report a failed call: on a golden body it blocks, since another check reports it; on others it fails the item."""
    assert not isinstance(outcome, Produced)
    if number == 0 or operation in ("response", "stream"):
        tally.block(operation, outcome, body_label)
    else:
        tally.fail(operation, outcome, body_label, request=request)


def _place_findings(
    corpus: Corpus,
    findings: tuple[Finding, ...],
    body_label: str,
    loop_variant: LoopVariant,
    route: Route,
    *,
    gives_no_ids: bool,
) -> list[Finding]:
    """Findings with the body they are about. ``gives_no_ids``: the provider gives its calls no ids."""
    drops = not loop_variant.habit.echo and route.client != route.upstream
    under = ["client-drops-unknown-keys"] if drops else []
    under += ["provider-gives-no-ids"] if gives_no_ids else []
    return [apply_circumstances(corpus, replace(entry, body=body_label), under) for entry in findings]


def variants(corpus: Corpus, case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The variants that a case has on a route.

    Empty without a second exchange, or for a format without an ideal client here. Variants that try a translator's
    memory are only for cases that need one, swapped results only if ids link them, stored conversations only if the
    client's API has them, streamed ones only if each reply that the conversation continues from has its stream.
    """
    if client not in formats.names() or len(case.exchanges(client)) < 2:
        return ()
    ids = case.scenario["ids"].get(client, {}).values()
    # An empty id is none; if the scenario has no ids, none are known.
    linked = not corpus.format(client)["positional_pairing"] or (len(ids) > 0 and all(ids))
    keeper = formats.get(client).conversation_state
    keeps = keeper is not None and keeper.is_stored(case.exchanges(client)[0].request)
    stored, referring = (keeps and feature in case.features for feature in ("stored-state", "item-references"))
    streams = formats.get(client).stream is not None and has_reply_streams(case, client, upstream)
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


def can_play_beside(case: Case, client: str, upstream: str, *, streamed: bool) -> bool:
    """Whether a case can be played interleaved with another: without calls there would be nothing to mix up."""
    fits = {client, upstream} <= set(case.formats) and "no-call" not in case.features
    return fits and (not streamed or has_reply_streams(case, client, upstream))


def has_reply_streams(case: Case, client: str, upstream: str) -> bool:
    """Whether the corpus has the stream of each reply that the conversation continues from."""
    return case.streams(client, upstream) and all(
        exchange.stream_path is not None for exchange in case.exchanges(upstream)[:-1]
    )
