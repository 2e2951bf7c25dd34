"""The driver's part for libraries that translate, send and translate back in one call: ``session.exchange``."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.exchanges import Answered, Came, ExchangeSession, Habits
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Outcome,
    RefusedOutcome,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.tracebacks import own_frames
from toolcall_conformance.upstream import Addresses, Conversation, ScriptedUpstream

# By format, the content of ``transport.json``; read when it is needed.
Transports = Callable[[], Mapping[str, Mapping[str, Any]]]


class Fused:
    """Plays the exchanges of Python sessions against a scripted upstream, which starts when the first one is opened.

    Synchronous calls run in a thread each, asynchronous ones on the upstream's own loop: a library's pooled connections
    belong to a loop, and would be of no use in the next.
    """

    def __init__(self, transports: Transports, seconds: float) -> None:
        self._transports = transports
        self._seconds = seconds
        self._upstream: ScriptedUpstream | None = None
        # Known once the first error came; the plan asks for one before anything is judged.
        self._raises_errors = False

    def session(self, inner: Any, route: Route, *, own_history: bool) -> _FusedSession:
        """A session around one of the translator's. Raises MissingLibraryError."""
        if self._upstream is None:
            upstream = ScriptedUpstream(Addresses(self._transports()))
            upstream.start()
            self._upstream = upstream

        def send(body: dict[str, Any], conversation: Conversation) -> Future[Came]:
            return self._send(inner, body, conversation.url)

        habits = Habits(raises_errors=self._raises_errors, own_history=own_history)
        return _FusedSession(self, route, self._upstream, send, seconds=self._seconds, habits=habits)

    def rest(self) -> None:
        if self._upstream is not None:
            self._upstream.forget()

    def close(self) -> None:
        if self._upstream is not None:
            self._upstream.stop()
            self._upstream = None

    def errors_raise(self) -> None:
        """Note that the translator raises where the upstream fails."""
        self._raises_errors = True

    def _send(self, inner: Any, body: dict[str, Any], url: str) -> Future[Came]:
        upstream = self._upstream
        assert upstream is not None
        pending: Future[Came] = Future()

        def work() -> None:
            try:
                value = inner.exchange(body, url)
                if inspect.isawaitable(value):
                    value = upstream.run(_awaited(value)).result()
                came = answered(value)
            except BaseException as error:  # whatever the library raises, SystemExit included
                came = raised(error)
            if not pending.cancelled():
                pending.set_result(came)

        threading.Thread(target=work, name="toolcall-exchange", daemon=True).start()
        return pending


class _FusedSession(ExchangeSession):
    def __init__(self, fused: Fused, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._fused = fused

    def error(self, reply: dict[str, Any]) -> Outcome:
        outcome = super().error(reply)
        if isinstance(outcome, UnsupportedOutcome):
            self._fused.errors_raise()
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


async def _awaited(value: Any) -> Any:
    # A task of its own: what one exchange sets in its context is no other's business.
    return await asyncio.ensure_future(value)
