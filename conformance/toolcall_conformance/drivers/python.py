"""The driver for a translator in this interpreter."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS
from toolcall_conformance.drivers.error_result import plain_error, takes_headers
from toolcall_conformance.drivers.fused import Fused, Transports
from toolcall_conformance.drivers.json_result import OUTPUT_LIMIT, plain, plain_list
from toolcall_conformance.drivers.limits import TimeIsUp, call_within
from toolcall_conformance.drivers.losses import read_losses
from toolcall_conformance.drivers.made_up import MadeUp, made_up_breach, read_made_up
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Opened,
    OpenOutcome,
    Outcome,
    Produced,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python_streams import collect_stream
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome
from toolcall_conformance.drivers.tracebacks import own_frames
from toolcall_conformance.jsonvalue import copied, equal, packed

Failed = RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut


class PythonDriver:
    """A translator object in this interpreter; its methods are sync or async.

    ``seconds`` limits every call, ``output_limit`` the JSON text of a returned body, in bytes. Only sessions with
    ``exchange`` need ``transports`` (by format, the content of ``transport.json``).
    """

    carries = frozenset((*OPERATIONS, *FORMAT_OPERATIONS))

    def __init__(
        self,
        translator: Any,
        spec: str,
        *,
        name: str | None = None,
        version: str | None = None,
        seconds: float = 10.0,
        output_limit: int = OUTPUT_LIMIT,
        transports: Transports = dict,
    ) -> None:
        self.translator = translator
        self.spec = spec
        self.name = name or spec
        self.version = version
        self.output_limit = output_limit
        self._caller = _Caller(seconds)
        self._fused = Fused(transports, seconds)

    def open(self, route: Route) -> OpenOutcome:
        """Open a session; ``NotImplementedError`` means the same as ``Unsupported`` here."""
        came = self._caller.call(self.translator.open, route)
        if isinstance(came, Crashed) and isinstance(came.exception, NotImplementedError):
            return UnsupportedOutcome(str(came.exception))
        if isinstance(came, _Value):
            said = self._caller.call(getattr, came.value, "made_up", {})
            if not isinstance(said, _Value):
                return said
            wrong = made_up_breach(said.value)
            if wrong is not None:
                return ProtocolError(wrong)
            made_up = read_made_up(said.value)
            session = PythonSession(self, came.value, self._caller, made_up)
            if "request" in session.operations or not callable(getattr(came.value, "exchange", None)):
                return Opened(session)
            return Opened(self._fused.session(came.value, route, own_history=session.own_history, made_up=made_up))
        return came

    def begin_item(self, case: str) -> None:
        """Do nothing: a translator in this interpreter can look up the item itself."""

    def end_item(self) -> None:
        self._fused.end_item()

    def close(self) -> None:
        self._caller.close()
        self._fused.close()


class PythonSession:
    """A session object of a translator."""

    costly_pieces = False

    def __init__(self, driver: PythonDriver, session: Any, caller: _Caller, made_up: MadeUp) -> None:
        self.object = session
        self.made_up = made_up
        self._driver = driver
        self._caller = caller

    @property
    def operations(self) -> frozenset[str]:
        return frozenset(
            name for name in (*OPERATIONS, *FORMAT_OPERATIONS) if callable(getattr(self.object, name, None))
        )

    @property
    def own_history(self) -> bool:
        return "own" in (getattr(self.object, "history", None), getattr(self._driver.translator, "history", None))

    def request(self, body: dict[str, Any]) -> Outcome:
        return self._translate("request", body)

    def response(self, body: dict[str, Any]) -> Outcome:
        return self._translate("response", body)

    def error(self, reply: dict[str, Any]) -> Outcome:
        """Call ``error``, with the reply's headers if it has a third positional parameter."""
        method = getattr(self.object, "error", None)
        if not callable(method):
            return UnsupportedOutcome("the session has no method error")
        given, original = copied([reply["body"], reply.get("headers", {})]), [reply["body"], reply.get("headers", {})]
        headers = takes_headers(method)
        came = self._caller.call(method, reply["status"], *given[: 2 if headers else 1])
        if not isinstance(came, _Value):
            return came
        value = plain_error(came.value, headers=headers, limit=self._driver.output_limit)
        return Produced(value, mutated=_changed(given, original)) if isinstance(value, dict) else value

    def stream(self, source: Source) -> StreamOutcome:
        """Call ``stream`` with an iterator of bytes, which ``for`` and ``async for`` can read, and read its output."""
        method = getattr(self.object, "stream", None)
        if not callable(method):
            return UnsupportedOutcome("the session has no method stream")
        came = self._caller.call(collect_stream, method, source, self._driver.output_limit, then=self._declared)
        if not isinstance(came, _Value):
            return came
        outcome: StreamOutcome = came.value
        return replace(outcome, losses=came.after) if isinstance(outcome, Streamed) else outcome

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        return self._call(operation, arguments)

    def finish_exchange(self, reply: dict[str, Any]) -> None:
        """Do nothing: a translated request leaves nothing open."""

    def _translate(self, operation: str, body: dict[str, Any]) -> Outcome:
        return self._call(operation, (body,))

    def _call(self, operation: str, arguments: tuple[Any, ...]) -> Outcome:
        method = getattr(self.object, operation, None)
        if not callable(method):
            return UnsupportedOutcome(f"the session has no method {operation}")
        given = [copied(argument) for argument in arguments]
        came = self._caller.call(method, *given, then=self._declared)
        if not isinstance(came, _Value):
            return came
        copy = plain_list if FORMAT_OPERATIONS.get(operation) is list else plain
        value = copy(came.value, operation, self._driver.output_limit)
        if isinstance(value, BadOutput):
            return value
        return Produced(value, mutated=_changed(given, [*arguments]), losses=came.after)

    def _declared(self) -> tuple[str, ...]:
        """Return what the session reports as dropped in its last call; nothing if it has no readable list.

        Runs within the time limit of that call, and must not spoil its result.
        """
        try:
            return read_losses(self.object)
        except KeyboardInterrupt:
            raise
        except BaseException:  # TimeIsUp included
            return ()


class _Value:
    """What a call returned, and what was read ``after`` it."""

    __slots__ = ("after", "value")

    def __init__(self, value: Any, after: Any = None) -> None:
        self.value = value
        self.after = after


class _Caller:
    """Calls the translator, one call at a time, within a time limit; awaits results on a loop of its own."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(
        self, function: Callable[..., Any], *arguments: Any, then: Callable[[], Any] | None = None
    ) -> _Value | Failed:
        """Call ``function``, and after it ``then``, which never raises."""

        def work() -> _Value:
            value = self._run(function, arguments)
            return _Value(value, then() if then is not None else None)

        try:
            return call_within(self._seconds, work, in_thread=_loop_runs())
        except TimeIsUp:
            self._drop_loop()
            return TimedOut(self._seconds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever the translator raises, SystemExit and pytest's own included
            names = {base.__name__ for base in type(error).__mro__}
            if "Unsupported" in names:
                return UnsupportedOutcome(str(error))
            if "Refused" in names:
                return RefusedOutcome(str(error))
            return Crashed(error, own_frames(error))

    def close(self) -> None:
        """Close the loop; a later call would start another."""
        self._drop_loop()

    def _drop_loop(self) -> None:
        # An interrupted loop is not used again. A loop that an abandoned thread still runs cannot be closed.
        if self._loop is not None and not self._loop.is_running():
            self._loop.close()
        self._loop = None

    def _run(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        value = function(*arguments)
        if not inspect.isawaitable(value):
            return value
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # Suppresses reports on tasks that a timed-out call left behind.
            self._loop.set_exception_handler(lambda _loop, _context: None)
        return self._loop.run_until_complete(_awaited(value))


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _loop_runs() -> bool:
    """Whether an event loop runs in this thread (a notebook), which cannot run a second one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _changed(given: Any, original: Any) -> bool:
    try:
        # Equal bytes are equal values, and quick to compare; other bytes may only be another order of keys.
        return packed(given) != packed(original) and not equal(given, original)
    except ValueError:  # the translator put something into it that is not JSON, or made it contain itself
        return True
    except RecursionError:  # the translator made it contain itself
        return True
