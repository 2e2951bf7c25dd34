"""Plays libraries that translate, send and translate back in one call: ``session.exchange``."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from typing import Any, TypeVar

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.answers import ExchangeOutcome, StreamAnswer, WholeAnswer
from toolcall_conformance.drivers.base import SessionDriver
from toolcall_conformance.drivers.habits import KnownBuffering, KnownQueueing
from toolcall_conformance.drivers.library.exchanges import ExchangeSession, ExchangeTraits
from toolcall_conformance.drivers.outcomes import BadOutput, Outcome, TimedOut
from toolcall_conformance.drivers.python.declarations import MadeUp
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome
from toolcall_conformance.drivers.python.foreign import is_a
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES
from toolcall_conformance.drivers.python.limits import TimeIsUp, call_within, raise_in_thread
from toolcall_conformance.drivers.python.offline import watch_hosts
from toolcall_conformance.drivers.python.process_state import preserve_interpreter_state, preserve_process_state
from toolcall_conformance.drivers.python.streams import CollectedStream, StreamCollector
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome
from toolcall_conformance.drivers.upstream import Addresses, ScriptedUpstream, UpstreamConversation
from toolcall_conformance.drivers.upstream.loops import LoopThread

# By format, the content of ``transport.json``; read when it is needed.
Transports = Callable[[], Mapping[str, Mapping[str, Any]]]
_STOP_SECONDS = 0.5
# An exchange has its own limits. Both may be used up, and what it returned is then still to be read.
_LIMIT_FACTOR = 3

T = TypeVar("T")


class FusedLibraries:
    """Plays the exchanges of Python sessions against a scripted upstream, which starts with the first session.

    Each synchronous call has its own thread. Asynchronous calls share one loop, because a library's pooled connections
    belong to a loop. It is not the upstream's loop: some libraries block where they should await.
    """

    def __init__(self, transports: Transports, timeout: float) -> None:
        self._transports = transports
        self._timeout = timeout
        self._upstream: ScriptedUpstream | None = None
        self._loop: LoopThread | None = None
        self._buffering = KnownBuffering()
        self._queueing = KnownQueueing()

    def session(self, inner: Any, route: Route, *, own_history: bool, made_up: MadeUp) -> FusedSession:
        """Wrap a session of the translator. Raises MissingLibraryError."""
        if self._upstream is None:
            upstream = ScriptedUpstream(Addresses(self._transports()))
            upstream.start()
            self._upstream = upstream

        def send(body: dict[str, Any], conversation: UpstreamConversation) -> Future[ExchangeOutcome]:
            collector = StreamCollector(conversation.progress, MAX_OUTPUT_BYTES, "exchange") if route.stream else None
            return self._send(inner, body, conversation.url, collector)

        return FusedSession(
            route,
            self._upstream,
            send,
            timeout=self._timeout,
            traits=ExchangeTraits(own_history=own_history, made_up=made_up),
            buffering=self._buffering,
            queueing=self._queueing,
            on_timeout=self._drop_loop,
        )

    def end_item(self) -> None:
        if self._upstream is not None:
            self._upstream.close_conversations()

    def close(self) -> None:
        if self._upstream is not None:
            self._upstream.stop()
            self._upstream = None
        self._drop_loop()

    def _send(
        self, inner: Any, body: dict[str, Any], url: str, collector: StreamCollector | None
    ) -> Future[ExchangeOutcome]:
        """Call ``exchange`` of a session in a thread; the future has the outcome."""
        pending: Future[ExchangeOutcome] = Future()

        def work() -> None:
            try:
                value = inner.exchange(body, url)
                if hasattr(value, "__aiter__") and collector is not None:
                    outcome = self._ensure_loop().run(_collect_answer_async(value, collector)).result()
                elif inspect.isawaitable(value):
                    outcome = self._ensure_loop().run(_read_awaited(value, collector)).result()
                else:
                    outcome = read_answer(value) if collector is None else collect_answer(value, collector)
            except BaseException as error:  # whatever the library raises, SystemExit included
                outcome = read_exception(error)
            with contextlib.suppress(InvalidStateError):  # the exchange was given up
                pending.set_result(outcome)

        def work_safely() -> None:
            try:
                work()
            except BaseException as error:  # a bug of ours, or SystemExit in a call that was given up
                with contextlib.suppress(InvalidStateError):
                    pending.set_exception(error)

        thread = threading.Thread(target=work_safely, name="toolcall-exchange", daemon=True)

        def give_up(done: Future[ExchangeOutcome]) -> None:
            if done.cancelled():  # a coroutine ends with its loop
                raise_in_thread(thread)

        pending.add_done_callback(give_up)
        thread.start()
        return pending

    def _ensure_loop(self) -> LoopThread:
        if self._loop is None:
            self._loop = LoopThread("toolcall-exchanges", quiet=True)
        return self._loop

    def _drop_loop(self) -> None:
        """End the library's loop, or abandon it if it is blocked; the next call starts another."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.stop(_STOP_SECONDS)


class FusedSession(ExchangeSession):
    """A session of a library in this interpreter. Its answers are its own objects: reading them is limited, too."""

    def request(self, body: dict[str, Any]) -> Outcome:
        with watch_hosts(body) as watch:
            return watch.checked_outcome(self._call_limited(lambda: super(FusedSession, self).request(body)))

    def response(self, body: dict[str, Any]) -> Outcome:
        with watch_hosts(body) as watch:
            return watch.checked_outcome(self._call_limited(lambda: super(FusedSession, self).response(body)))

    def error(self, reply: dict[str, Any]) -> Outcome:
        return self._call_limited(lambda: super(FusedSession, self).error(reply))

    def stream(self, source: Source) -> StreamOutcome:
        return self._call_limited(lambda: super(FusedSession, self).stream(source))

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        outcomes = self._call_limited(lambda: super(FusedSession, self).stream_interleaved(source, other, other_source))
        return (outcomes, outcomes) if isinstance(outcomes, TimedOut) else outcomes

    def _call_limited(self, work: Callable[[], T]) -> T | TimedOut:
        def call_safely() -> T:
            with preserve_interpreter_state():
                return work()

        try:
            with preserve_process_state():
                return call_within(_LIMIT_FACTOR * self._timeout, call_safely)
        except TimeIsUp:
            return TimedOut(self._timeout)


def read_answer(value: Any) -> ExchangeOutcome:
    """Read what ``exchange`` returned: a body, or ``(status, body)`` or ``(status, body, headers)`` of an error."""
    if not is_a(value, tuple):
        return WholeAnswer(200, None, value)
    value = tuple.__getitem__(value, slice(None))  # a subclass may count and iterate as it likes
    if not 2 <= len(value) <= 3 or not is_a(value[0], int) or is_a(value[0], bool):
        return BadOutput(
            "exchange returned a tuple other than (status, body) or (status, body, headers); "
            "return only the body, or an error's status and body: (429, {…})"
        )
    status, body, *headers = value
    if headers and not is_a(headers[0], dict):
        return BadOutput("exchange returned headers that are not a dict of texts", "/headers")
    return WholeAnswer(int.__int__(status), dict(dict.items(headers[0])) if headers else None, body)


def read_exception(error: BaseException) -> ExchangeOutcome:
    """Turn an exception of ``exchange`` into an outcome, by its class name."""
    return exception_outcome(error)


async def _read_awaited(value: Awaitable[Any], collector: StreamCollector | None) -> ExchangeOutcome:
    outcome = await value
    if collector is None:
        return read_answer(outcome)
    return (
        await _collect_answer_async(outcome, collector)
        if hasattr(outcome, "__aiter__")
        else collect_answer(outcome, collector)
    )


def collect_answer(value: Any, collector: StreamCollector) -> ExchangeOutcome:
    """Read what ``exchange`` returned on a streaming route: an iterable of bytes, or an error."""
    if is_a(value, tuple):
        return read_answer(value)
    if is_a(value, dict):
        return BadOutput(
            "exchange returned a whole body where route.stream is true; return an iterable of the client's stream, as "
            "bytes, or raise Unsupported if the library does not stream"
        )
    try:
        return as_stream_answer(collector.collect(value))
    except BaseException as error:
        return as_stream_answer(collector.read_exception(error))


async def _collect_answer_async(value: Any, collector: StreamCollector) -> ExchangeOutcome:
    return as_stream_answer(await collector.collect_async(value))


def as_stream_answer(stream: CollectedStream) -> ExchangeOutcome:
    """Turn a collected stream into an outcome. If it broke off before the first byte, the call failed."""
    if not isinstance(stream, Streamed):
        return stream
    if stream.raised is not None and not stream.pieces:
        return stream.raised
    return StreamAnswer(200, None, stream)
