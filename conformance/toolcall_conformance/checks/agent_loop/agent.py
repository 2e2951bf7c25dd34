"""An agent: a client that builds each request of a conversation from the replies that it received."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.checks.agent_loop.loop_judge import LoopJudge, find_misnamed_calls
from toolcall_conformance.checks.agent_loop.variants import LoopVariant
from toolcall_conformance.checks.base import (
    Harness,
    OpenSession,
    Tally,
    produced_body,
    provider_answer,
    refusal_reason,
)
from toolcall_conformance.checks.conversation.client import UncontinuableError, continue_from_reply, request_to_send
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.conversation.shorter_requests import drop_members, shorter_requests
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.checks.streams.exchange import play_reply, play_reply_alone
from toolcall_conformance.drivers import (
    Crashed,
    FailedOutcome,
    Opened,
    Outcome,
    Produced,
    SessionDriver,
    UnsupportedOutcome,
)
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Case, Exchange


class Agent:
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
        self._tally, self._is_judged = tally, is_judged
        self._route, self._open, self._harness, self._variant = route, open_session, harness, loop_variant
        self._loop_judge = LoopJudge(case, route, harness, loop_variant)
        self._client_exchanges = whole_exchanges(route.client, case.exchanges(route.client))
        self._upstream_exchanges = whole_exchanges(route.upstream, case.exchanges(route.upstream))
        self._session: SessionDriver | None = None
        # The request that the client sends, and the same without leaving anything to the provider's memory.
        self._request = self._whole_request = self._client_exchanges[0].request
        self._left_out: tuple[str, ...] = ()
        transport = harness.corpus.transports[route.client]["stream"]
        self._stream_keys = transport.get("body", {}) if loop_variant.streamed else {}

    def unjudged_agent(self, case: Case) -> Agent:
        """Another agent, which plays ``case`` as this one does, and is not judged."""
        tally = Tally.of(self._harness, case, "agent_loop", self._route)
        return Agent(case, self._route, self._open, self._harness, self._variant, tally, is_judged=False)

    def play(self) -> Iterator[None]:
        """Play half an exchange a step; end early if a call returns nothing."""
        for number, (client, upstream) in enumerate(zip(self._client_exchanges, self._upstream_exchanges, strict=True)):
            session = self._next_session()
            sent = None if session is None else self._send(session, number, client, upstream)
            if session is None or sent is None:
                return
            if number and self._is_judged:  # the first request is judged by the check `request`
                judgement, findings = self._loop_judge.judge_request(client, upstream, self._whole_request, sent.value)
                self._tally.add_losses(judgement)
                self._tally.findings += findings
            if number + 1 == len(self._client_exchanges):
                session.finish_exchange(provider_answer(upstream))
                return
            yield
            if self._tally.skip_impossible_reply(upstream.response, self._request, sent.value):
                session.finish_exchange(provider_answer(upstream))
                return
            provider_reply, names = self._provider_reply(upstream, sent)
            client_reply = self._receive(session, number, sent, provider_reply, names)
            if client_reply is None:
                return
            reply = PlayedBodies(upstream.response_path.stem, provider_reply, client_reply.value, client.response)
            if not self._build_next_request(number, reply):
                return
            self._loop_judge.add_reply(reply)
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
        may_refuse = not needs_memory and self._harness.judge.may_refuse(self._route, self._request)
        reason = refusal_reason(sent) if needs_memory or may_refuse else None
        if reason is not None:
            may = "as it may here" if may_refuse else "as a translator may that keeps no conversations"
            self._tally.allowed = f"refused, {may}: {reason}"
        else:
            self._fail_request(number, sent, body_label)
        return None

    def _fail_request(self, number: int, failure: FailedOutcome, body_label: str) -> None:
        """Report a failed request; if it repeats a wrong reply, report that reply."""
        if isinstance(failure, Crashed) and not failure.died:
            last_fault = self._loop_judge.last_fault()
            if last_fault is not None:
                reply, fault = last_fault
                self._tally.break_loop(failure, fault, reply)
                return
        _report_failure(self._tally, number, "request", failure, body_label, self._request)

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

    def _provider_reply(self, upstream: Exchange, sent: Produced) -> tuple[Any, Mapping[str, str]]:
        """The golden reply with the tool names that the request declares, and these names by the golden ones."""
        format_name = self._route.upstream
        names = self._harness.judge.declared_names(upstream.request, sent.value, format_name)
        provider_reply = rename_calls(format_name, upstream.response, names)
        self._loop_judge.add_provider_reply(sent.value, provider_reply)
        return provider_reply, names

    def _receive(
        self, session: SessionDriver, number: int, sent: Produced, provider_reply: Any, names: Mapping[str, str]
    ) -> Produced | None:
        """Translate the provider's reply; return the client's, None if there is none."""
        client, upstream = self._client_exchanges[number], self._upstream_exchanges[number]
        streamed = self._variant.streamed
        client_reply = (
            play_reply(session, upstream, sent.value, self._route, names, self._harness)
            if streamed
            else session.response(provider_reply)
        )
        if isinstance(client_reply, Produced):
            return client_reply
        operation, body_label = "stream" if streamed else "response", upstream.response_path.stem
        if streamed and number:
            # The check `stream` reports it, unless only a session fails that has streamed before.
            alone = (
                None
                if session.own_history
                else play_reply_alone(client, upstream, self._route, self._open, self._harness)
            )
            if alone is None or isinstance(alone, Produced):
                self._tally.fail(operation, client_reply, body_label)
                return None
        _report_failure(self._tally, number, operation, client_reply, body_label)
        return None

    def _build_next_request(self, number: int, reply: PlayedBodies) -> bool:
        """Build the next request from a reply; return whether the reply allows one."""
        client, tally, habit = self._route.client, self._tally, self._variant.habit
        next_exchange = self._client_exchanges[number + 1]
        try:
            whole_request = continue_from_reply(client, self._whole_request, reply.produced, next_exchange, habit)
            self._request = request_to_send(client, self._whole_request, reply.produced, whole_request, habit)
            self._whole_request = whole_request
        except UncontinuableError as error:
            tally.played.append(reply)
            tally.findings.append(
                make_finding(
                    tally.corpus,
                    "translation/loop-broken",
                    "",
                    str(error),
                    want=error.want,
                    got=error.got,
                    element="call" if isinstance(error.want, int) else "body",
                    body=reply.name,
                )
            )
            return False
        if not self._is_judged:
            return True
        misnamed_calls = list(
            find_misnamed_calls(self._harness.corpus, client, reply.golden, reply.produced, reply.name)
        )
        if misnamed_calls:
            tally.played.append(reply)
            tally.findings += misnamed_calls
        return True


def _report_failure(
    tally: Tally, number: int, operation: str, failure: FailedOutcome, body_label: str, request: Any = MISSING
) -> None:
    """Report a failed call: on a golden body it blocks, since another check reports it; on others it fails the item."""
    if number == 0 or operation in ("response", "stream"):
        tally.block(operation, failure, body_label)
    else:
        tally.fail(operation, failure, body_label, request=request)
