"""The driver's part for libraries that translate, send and translate back in one call: ``session.exchange``."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from typing import Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.exchanges import Answered, Came, ExchangeSession, Habits
from toolcall_conformance.drivers.limits import unwind_later
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Outcome,
    RefusedOutcome,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.tracebacks import own_frames
from toolcall_conformance.upstream import Addresses, Conversation, ScriptedUpstream
from toolcall_conformance.upstream.loops import LoopThread

# By format, the content of ``transport.json``; read when it is needed.
Transports = Callable[[], Mapping[str, Mapping[str, Any]]]
_STOP_SECONDS = 0.5


class Fused:
    """Plays the exchanges of Python sessions against a scripted upstream, which starts when the first one is opened.

    Synchronous calls run in a thread each, asynchronous ones all on one loop: a library's pooled connections belong to
    a loop, and would be of no use in the next. It is not the upstream's: libraries block where they should await.
    """

    def __init__(self, transports: Transports, seconds: float) -> None:
        self._transports = transports
        self._seconds = seconds
        self._upstream: ScriptedUpstream | None = None
        self._loop: LoopThread | None = None
        # Routes, known once the first error came; the plan asks for one before anything is judged.
        self._raising: set[str] = set()

    def session(self, inner: Any, route: Route, *, own_history: bool) -> _FusedSession:
        """A session around one of the translator's. Raises MissingLibraryError."""
        if self._upstream is None:
            upstream = ScriptedUpstream(Addresses(self._transports()))
            upstream.start()
            self._upstream = upstream

        def send(body: dict[str, Any], conversation: Conversation) -> Future[Came]:
            return self._send(inner, body, conversation.url)

        habits = Habits(raises_errors=str(route) in self._raising, own_history=own_history)
        return _FusedSession(
            self, route, self._upstream, send, seconds=self._seconds, habits=habits, late=self._drop_loop
        )

    def rest(self) -> None:
        if self._upstream is not None:
            self._upstream.forget()

    def close(self) -> None:
        if self._upstream is not None:
            self._upstream.stop()
            self._upstream = None
        self._drop_loop()

    def errors_raise(self, route: Route) -> None:
        """Note that the translator raises on this route where the upstream fails."""
        self._raising.add(str(route))

    def _send(self, inner: Any, body: dict[str, Any], url: str) -> Future[Came]:
        pending: Future[Came] = Future()

        def work() -> None:
            try:
                value = inner.exchange(body, url)
                if inspect.isawaitable(value):
                    value = self._running_loop().run(_awaited(value)).result()
                came = answered(value)
            except BaseException as error:  # whatever the library raises, SystemExit included
                came = raised(error)
            with contextlib.suppress(InvalidStateError):  # nobody waits any more
                pending.set_result(came)

        def guarded() -> None:
            try:
                work()
            except BaseException as error:  # ours, or what unwinds a call that was given up
                with contextlib.suppress(InvalidStateError):
                    pending.set_exception(error)

        thread = threading.Thread(target=guarded, name="toolcall-exchange", daemon=True)

        def give_up(done: Future[Came]) -> None:
            if done.cancelled():  # a coroutine ends with its loop
                unwind_later(thread)

        pending.add_done_callback(give_up)
        thread.start()
        return pending

    def _running_loop(self) -> LoopThread:
        if self._loop is None:
            self._loop = LoopThread("toolcall-exchanges", quiet=True)
        return self._loop

    def _drop_loop(self) -> None:
        """End the library's loop; one that it blocks is left to itself, and the next call gets another."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.stop(_STOP_SECONDS)


class _FusedSession(ExchangeSession):
    def __init__(self, fused: Fused, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._fused = fused

    def error(self, reply: dict[str, Any]) -> Outcome:
        outcome = super().error(reply)
        if isinstance(outcome, UnsupportedOutcome):
            self._fused.errors_raise(self._route)
        return outcome


def answered(value: Any) -> Came:
    """What ``exchange`` returned: a body, or ``(status, body)`` or ``(status, body, headers)`` of an error."""
    if not isinstance(value, tuple):
        return Answered(200, None, value)
    if not 2 <= len(value) <= 3 or not isinstance(value[0], int) or isinstance(value[0], bool):
        return BadOutput(
            "exchange returned a tuple that is no (status, body) or (status, body, headers); "
            "return the body alone, or an error's status and body: (429, {…})"
        )
    status, body, *headers = value
    if headers and not isinstance(headers[0], dict):
        return BadOutput("exchange returned headers that are no dict of texts", "/headers")
    return Answered(int(status), dict(headers[0]) if headers else None, body)


def raised(error: BaseException) -> Came:
    """What an exception of ``exchange`` says; known by class name, as everywhere."""
    names = {base.__name__ for base in type(error).__mro__}
    if "Unsupported" in names:
        return UnsupportedOutcome(str(error))
    if "Refused" in names:
        return RefusedOutcome(str(error))
    return Crashed(error, own_frames(error))


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value
