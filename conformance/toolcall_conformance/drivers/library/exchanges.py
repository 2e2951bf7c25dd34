"""Splits sessions that translate, send and translate back in one call, by means of a scripted upstream.

``request`` starts an exchange and returns when the upstream has its request. The exchange stays open until
``response``, ``stream``, ``error`` or ``finish_exchange`` lets the upstream answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, parse
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.drivers.answers import (
    ExchangeOutcome,
    NoJSON,
    StreamAnswer,
    WholeAnswer,
    quote_error,
    require_whole,
)
from toolcall_conformance.drivers.array_framing import as_array
from toolcall_conformance.drivers.base import OPERATIONS, SessionDriver
from toolcall_conformance.drivers.gateway.upstream_request import RequestInspector
from toolcall_conformance.drivers.habits import KnownBuffering, KnownQueueing
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Misdirected,
    NoRoute,
    Outcome,
    Produced,
    RaisedError,
    RefusedOutcome,
    TimedOut,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.declarations import NOTHING_MADE_UP, MadeUp
from toolcall_conformance.drivers.python.error_result import copy_error
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES, copy_object
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome, lead_count
from toolcall_conformance.drivers.upstream import Addresses, Reply, ReplyTurns, ScriptedUpstream, UpstreamConversation

# Sends a client's body; the future has the outcome when the exchange is over.
Send = Callable[[dict[str, Any], UpstreamConversation], "Future[ExchangeOutcome]"]


@dataclass(frozen=True, slots=True)
class ExchangeTraits:
    """What is known of a translator before an exchange.

    ``secret`` is the client's key, which the upstream must not receive; None if there is none. ``if_missing`` says what
    to do if a gateway has nothing at the route's address.
    """

    own_history: bool = False
    made_up: MadeUp = field(default_factory=lambda: NOTHING_MADE_UP)
    secret: str | None = None
    if_missing: str = ""


class ExchangeSession:
    """One conversation. ``timeout`` limits the seconds to the upstream's request, and from its answer to the client's.

    An exchange that takes too long is cancelled, and ``on_timeout`` is called. ``subject`` begins sentences.
    ``last_output`` returns what the translator printed last, ``byte_count`` how many bytes of its answer have arrived,
    if known.
    """

    costly_pieces = True

    def __init__(
        self,
        route: Route,
        upstream: ScriptedUpstream,
        send: Send,
        *,
        timeout: float,
        traits: ExchangeTraits,
        buffering: KnownBuffering,
        queueing: KnownQueueing,
        on_timeout: Callable[[], None] = lambda: None,
        last_output: Callable[[], str] = lambda: "",
        byte_count: Callable[[], int] | None = None,
        subject: str = "exchange",
        output_limit: int = MAX_OUTPUT_BYTES,
    ) -> None:
        self._route = route
        self._addresses: Addresses = upstream.addresses
        self._conversation = upstream.open_conversation(route.upstream)
        self._send = send
        self._timeout = timeout
        self._traits = traits
        self._inspector = RequestInspector(route, upstream.addresses, traits.secret, output_limit)
        self._buffering = buffering
        self._queueing = queueing
        self._request_seconds = 0.0
        self._concurrent: ExchangeSession | None = None
        self._on_timeout = on_timeout
        self._last_output = last_output
        self._byte_count = byte_count
        self._subject = subject
        self._limit = output_limit
        self._sources: list[Any] = []
        self._pending: Future[ExchangeOutcome] | None = None
        self._unsupported: UnsupportedOutcome | None = None

    @property
    def operations(self) -> frozenset[str]:
        return frozenset(OPERATIONS)

    @property
    def own_history(self) -> bool:
        return self._traits.own_history

    @property
    def made_up(self) -> MadeUp:
        return self._traits.made_up

    def request(self, body: dict[str, Any]) -> Outcome:
        """Start an exchange and return the upstream's request."""
        concurrent, self._concurrent = self._concurrent, None
        if concurrent is not None and self._queueing.reason:
            return UnsupportedOutcome(self._queueing.reason)
        self._conversation.begin_exchange()
        self._unsupported = None
        began = time.monotonic()
        self._sources.append(body)
        pending = self._pending = self._send(deep_copy(body), self._conversation)
        first_seconds = 0.0 if concurrent is None else concurrent._request_seconds  # noqa: SLF001 - a session of this class
        patience = (
            self._timeout if concurrent is None else self._queueing.patience_seconds(first_seconds, self._timeout)
        )
        request = self._conversation.wait_for_request(pending, patience)
        self._request_seconds = time.monotonic() - began
        if request is None and concurrent is not None and not pending.done() and not self._conversation.stray_requests:
            self._give_up(pending)
            return UnsupportedOutcome(self._queueing.mark_queued(first_seconds, patience))
        if request is not None:
            return self._inspector.read(request, self._sources)
        strays = self._conversation.stray_requests
        late = None if pending.done() else self._give_up_late(pending)
        if strays:
            # Some send a GET first; the request with the body is the one that matters.
            stray = next((request for request in strays if request.body), strays[0])
            return Misdirected(self._inspector.describe_stray(stray), stray.address.format if stray.address else "")
        if late is not None:
            return late
        answer = require_whole(_pending_result(pending))
        outcome = self._read_unasked_answer(answer) if isinstance(answer, WholeAnswer) else answer
        # Its replies are unsupported, too: such a session cannot say so when it is opened.
        self._unsupported = outcome if isinstance(outcome, UnsupportedOutcome) else None
        return outcome

    def send_while_open(self, other: ExchangeSession) -> None:
        """Announce that the next request is sent while the exchange of ``other`` is open."""
        self._concurrent = other

    def response(self, body: dict[str, Any]) -> Outcome:
        """Let the upstream answer, and return what the client receives."""
        self._sources.append(body)
        answer = require_whole(self._finish_with(Reply.json(body)))
        if not isinstance(answer, WholeAnswer):
            return answer
        if not 200 <= answer.status < 300:
            sentence = f"answered {answer.status} though the upstream answered 200{quote_error(answer.body)}"
            return Crashed(TranslatorError(sentence), self._last_output())
        if isinstance(answer.body, NoJSON):
            return BadOutput(answer.body.sentence, last_output=self._last_output())
        value = copy_object(answer.body, self._subject, self._limit, self._sources)
        return Produced(value) if isinstance(value, dict) else value

    def error(self, reply: dict[str, Any]) -> Outcome:
        """Let the upstream fail, and return what the client receives."""
        self._sources.append(reply)
        answer = require_whole(self._finish_with(Reply.json(reply["body"], reply["status"], reply.get("headers"))))
        # An exception before the upstream was asked is not about the upstream's error.
        if (
            isinstance(answer, Crashed)
            and self._conversation.requests
            and not isinstance(answer.exception, TranslatorError)
        ):
            return RaisedError(f"exchange {answer.sentence} when the upstream failed; there is no error body to judge")
        if not isinstance(answer, WholeAnswer):
            return answer
        if isinstance(answer.body, NoJSON):
            return BadOutput(answer.body.sentence, "/body", self._last_output())
        result = (
            (answer.status, answer.body) if answer.headers is None else (answer.status, answer.body, answer.headers)
        )
        value = copy_error(result, headers=answer.headers is not None, limit=self._limit, sources=self._sources)
        return Produced(value) if isinstance(value, dict) else value

    def stream(self, source: Source) -> StreamOutcome:
        """Let the upstream stream its reply, and return what the client receives."""
        reply = self.streamed_reply(source)
        if reply is None:
            return self._play_whole_reply(source)
        progress = self._conversation.progress
        if source.watched and source.end == "plain":
            progress.hold_seconds = self._buffering.hold_seconds(self._route, self._timeout)
        answer = self._finish_with(reply, progress.hold_seconds)
        if progress.has_buffered:
            self._buffering.mark_buffered(self._route)
        return self.stream_outcome(answer)

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        """Let the upstream stream both replies in turns; one after the other if it was asked for a whole one."""
        assert isinstance(other, ExchangeSession), "a session of the same driver"
        reply, other_reply = self.streamed_reply(source), other.streamed_reply(other_source)
        if reply is None or other_reply is None:
            return self.stream(source), other.stream(other_source)
        turns = ReplyTurns(lead_count(source))
        for session, session_reply, number in ((self, reply, 0), (other, other_reply, 1)):
            session.begin_answer(replace(session_reply, turn=turns.turn_of(number)))
        # Each has its own time limit, and the time that the other takes.
        answers = self.await_answer(self._timeout), other.await_answer(self._timeout)
        return self.stream_outcome(answers[0]), other.stream_outcome(answers[1])

    def begin_answer(self, reply: Reply) -> None:
        """Let the upstream answer; :meth:`await_answer` waits for the outcome."""
        if self._unsupported is None and self._pending is not None and not self._pending.cancelled():
            self._conversation.finish(reply)

    def streamed_reply(self, source: Source) -> Reply | None:
        """The reply that streams ``source``; None if the upstream was asked for a whole one."""
        pieces, content_type = source.pieces, self._addresses.stream_type(self._route.upstream)
        if not self._is_stream_requested():
            framing = self._array_framing()
            if framing is None:
                return None
            pieces = as_array(source.pieces, framing, is_complete=source.end == "plain")
            content_type = str(framing["content_type"])
        end: Literal["whole", "cut"] = "whole" if source.end == "plain" else "cut"
        return Reply(200, pieces, {"content-type": content_type}, end, self._conversation.progress)

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        """Report no operation within one format: such a translator only answers requests."""
        del arguments
        return UnsupportedOutcome(f"an exchange has no {operation}")

    def finish_exchange(self, reply: dict[str, Any]) -> None:
        if self._pending is not None and not self._pending.done():
            self._finish_with(Reply.json(reply["body"], reply["status"], reply.get("headers")))

    def _is_stream_requested(self) -> bool:
        """Whether the upstream was asked for a stream; true if it was not asked at all."""
        requests = self._conversation.requests
        if not requests or requests[0].address is None:
            return True
        try:
            body = parse(requests[0].body)
        except JSONError:
            body = None
        return self._addresses.asks_for_stream(self._route.upstream, requests[0].address, requests[0].query, body)

    def _array_framing(self) -> Mapping[str, Any] | None:
        """How the upstream streams an array, if it was asked for one."""
        address = self._conversation.requests[0].address
        return None if address is None else self._addresses.array_framing(self._route.upstream, address)

    def _play_whole_reply(self, source: Source) -> StreamOutcome:
        """Play a translator that requests a whole reply and makes a stream of it: it buffers."""
        request = self._conversation.requests[0]
        if request.address is not None and request.address.stream is True:
            self._finish_with(Reply.json({"error": {"message": "the suite does not play such streams"}}, 400))
            return UnsupportedOutcome(
                f"the upstream was asked at {request.method} {request.path} for a stream that is not "
                "text/event-stream; the suite does not play such streams"
            )
        if source.reply is None:
            self._finish_with(Reply.json({"error": {"message": "this exchange was given up"}}, 400))
            return Misdirected(
                f"the client wants a stream, and the upstream was asked at {request.method} {request.path} for none; "
                f"a stream of {self._route.upstream} is asked for by "
                f"{self._addresses.describe(self._route.upstream, stream=True)}"
            )
        streamed = self.stream_outcome(self._finish_with(Reply.json(source.reply)))
        if not isinstance(streamed, Streamed):
            return streamed
        pieces = tuple(replace(piece, is_after_end=True) for piece in streamed.pieces)
        return replace(streamed, pieces=pieces, from_whole=True)

    def stream_outcome(self, answer: ExchangeOutcome) -> StreamOutcome:
        """Return the client's stream, or why there is none."""
        if isinstance(answer, StreamAnswer):
            return replace(answer.streamed, exact=False)
        if not isinstance(answer, WholeAnswer):
            return answer
        if not 200 <= answer.status < 300:
            sentence = f"answered {answer.status} though the upstream answered 200{quote_error(answer.body)}"
            return Crashed(TranslatorError(sentence), self._last_output())
        return BadOutput(
            f"{self._subject} answered with a whole body where the client asked for a stream{quote_error(answer.body)}",
            last_output=self._last_output(),
        )

    def _finish_with(self, reply: Reply, extra_seconds: float = 0.0) -> ExchangeOutcome:
        self.begin_answer(reply)
        return self.await_answer(extra_seconds)

    def await_answer(self, extra_seconds: float = 0.0) -> ExchangeOutcome:
        """Wait for the outcome of an exchange whose upstream answers."""
        pending, self._pending = self._pending, None
        if self._unsupported is not None:
            return self._unsupported
        if pending is None or pending.cancelled():
            return Crashed(TranslatorError("was not asked anything that could be answered"), "")
        try:
            return pending.result(self._timeout + extra_seconds)
        except FutureTimeoutError:
            return self._give_up_late(pending)
        except CancelledError:
            return Crashed(TranslatorError("was cancelled"), "")

    def _give_up_late(self, pending: Future[ExchangeOutcome]) -> TimedOut:
        """Give up an exchange that took too long."""
        self._give_up(pending)
        self._on_timeout()
        return TimedOut(self._timeout, "\n".join(filter(None, (self._timeout_text(), self._last_output()))))

    def _give_up(self, pending: Future[ExchangeOutcome]) -> None:
        """End an exchange without an answer; a later request of it to the upstream gets an error."""
        self._pending = None
        self._conversation.finish(Reply.json({"error": {"message": "this exchange was given up"}}, 400))
        pending.cancel()

    def _timeout_text(self) -> str:
        """How much had arrived when the time was up, and which option sets the limit; empty if unknown."""
        if self._byte_count is None:
            return ""
        received = pluralize(self._byte_count(), "byte")
        return f"{received} of its answer had arrived when the time was up; --toolcall-timeout sets it."

    def _read_unasked_answer(self, answer: WholeAnswer) -> Outcome:
        """Turn an answer without a request to the upstream into an outcome, by its status."""
        quote = quote_error(answer.body)
        if answer.status in (404, 405, 501):
            if answer.url:
                text = f"answered {answer.status} at POST {answer.url}{quote}"
                may_lack = answer.status == 501 and self._route.stream
                return NoRoute(text, self._traits.if_missing, may_lack)
            return UnsupportedOutcome(f"answered {answer.status}{quote}")
        if 400 <= answer.status < 500:
            return RefusedOutcome(f"answered {answer.status}{quote}")
        if answer.status >= 500:
            return Crashed(
                TranslatorError(f"answered {answer.status} before it asked the upstream{quote}"), self._last_output()
            )
        return BadOutput(
            f"{self._subject} answered {answer.status} without asking the upstream{quote}",
            last_output=self._last_output(),
        )


def _pending_result(pending: Future[ExchangeOutcome]) -> ExchangeOutcome:
    try:
        return pending.result()
    except CancelledError:
        return Crashed(TranslatorError("was cancelled"), "")
