"""The driver for a translator in this interpreter."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS, OPERATIONS
from toolcall_conformance.drivers.error_result import plain_error, takes_headers
from toolcall_conformance.drivers.foreign import PASSING, has_method, is_a, text_at
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
from toolcall_conformance.drivers.raised import failure_of
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome
from toolcall_conformance.drivers.surroundings import kept
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
        came = self._caller.call(lambda: self.translator.open(route))
        if isinstance(came, Crashed) and is_a(came.exception, NotImplementedError):
            return UnsupportedOutcome(came.said or "")
        if not isinstance(came, _Value):
            return came
        session = came.value
        traits = self._caller.call(lambda: _Traits.of(session, self.translator))
        if not isinstance(traits, _Value):
            return traits
        said = self._caller.call(lambda: _made_up(session))
        if not isinstance(said, _Value):
            return said
        if isinstance(said.value, ProtocolError):
            return said.value
        made_up = said.value
        found: _Traits = traits.value
        if "request" in found.operations or not found.exchanges:
            return Opened(PythonSession(self, session, self._caller, found, made_up))
        return Opened(self._fused.session(session, route, own_history=found.own_history, made_up=made_up))

    def begin_item(self, case: str) -> None:
        """Do nothing: a translator in this interpreter can look up the item itself."""

    def end_item(self) -> None:
        self._fused.end_item()

    def close(self) -> None:
        self._caller.close()
        self._fused.close()


def _made_up(session: Any) -> MadeUp | ProtocolError:
    """What a session says of bodies that its adapter makes up."""
    given = getattr(session, "made_up", {})
    wrong = made_up_breach(given)
    return ProtocolError(wrong) if wrong is not None else read_made_up(given)


@dataclass(frozen=True, slots=True)
class _Traits:
    """What a session shows of itself when it is opened. A method that cannot be reached counts: its call crashes."""

    operations: frozenset[str]
    own_history: bool
    exchanges: bool

    @classmethod
    def of(cls, session: Any, translator: Any) -> _Traits:
        return cls(
            frozenset(name for name in (*OPERATIONS, *FORMAT_OPERATIONS) if has_method(session, name)),
            "own" in (text_at(session, "history"), text_at(translator, "history")),
            has_method(session, "exchange"),
        )


class PythonSession:
    """A session object of a translator."""

    costly_pieces = False

    def __init__(self, driver: PythonDriver, session: Any, caller: _Caller, traits: _Traits, made_up: MadeUp) -> None:
        self.object = session
        self.made_up = made_up
        self.operations = traits.operations
        self.own_history = traits.own_history
        self._driver = driver
        self._caller = caller

    def request(self, body: dict[str, Any]) -> Outcome:
        return self._translate("request", body)

    def response(self, body: dict[str, Any]) -> Outcome:
        return self._translate("response", body)

    def error(self, reply: dict[str, Any]) -> Outcome:
        """Call ``error``, with the reply's headers if it has a third positional parameter."""
        if "error" not in self.operations:
            return UnsupportedOutcome("the session has no method error")
        original = [reply["body"], reply.get("headers", {})]
        given = copied(original)
        headers = False

        def call() -> Any:
            nonlocal headers
            method = self.object.error
            headers = takes_headers(method)
            return method(reply["status"], *given[: 2 if headers else 1])

        came = self._caller.call(call, then=lambda: _changed(given, original))
        if not isinstance(came, _Value):
            return came
        value = plain_error(came.value, headers=headers, limit=self._driver.output_limit)
        return Produced(value, mutated=came.after) if isinstance(value, dict) else value

    def stream(self, source: Source) -> StreamOutcome:
        """Call ``stream`` with an iterator of bytes, which ``for`` and ``async for`` can read, and read its output."""
        if "stream" not in self.operations:
            return UnsupportedOutcome("the session has no method stream")

        def collect() -> Any:
            return collect_stream(self.object.stream, source, self._driver.output_limit)

        came = self._caller.call(collect, then=self._declared)
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
        if operation not in self.operations:
            return UnsupportedOutcome(f"the session has no method {operation}")
        given = [copied(argument) for argument in arguments]
        came = self._caller.call(
            lambda: getattr(self.object, operation)(*given),
            then=lambda: (self._declared(), _changed(given, [*arguments])),
        )
        if not isinstance(came, _Value):
            return came
        copy = plain_list if FORMAT_OPERATIONS.get(operation) is list else plain
        value = copy(came.value, operation, self._driver.output_limit)
        if isinstance(value, BadOutput):
            return value
        losses, mutated = came.after
        return Produced(value, mutated=mutated, losses=losses)

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

    def call(self, function: Callable[[], Any], then: Callable[[], Any] | None = None) -> _Value | Failed:
        """Call ``function``, and after it ``then``, which never raises. All that both do counts for the time."""

        def work() -> _Value | Failed:
            try:
                with kept():
                    value = self._run(function)
            except PASSING:
                raise
            except BaseException as error:  # whatever the translator raises, SystemExit and pytest's own included
                return failure_of(error)
            return _Value(value, then() if then is not None else None)

        try:
            return call_within(self._seconds, work, in_thread=_loop_runs())
        except TimeIsUp:
            self._drop_loop()
            return TimedOut(self._seconds)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # another time limit, which was up while this one ran
            return failure_of(error)

    def close(self) -> None:
        """Close the loop; a later call would start another."""
        self._drop_loop()

    def _drop_loop(self) -> None:
        # An interrupted loop is not used again. A loop that an abandoned thread still runs cannot be closed.
        if self._loop is not None and not self._loop.is_running():
            self._loop.close()
        self._loop = None

    def _run(self, function: Callable[[], Any]) -> Any:
        value = function()
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
    """Whether the translator changed what it was given, into whatever."""
    try:
        # First by a comparison that walks no further than the original goes: what contains itself several times packs
        # into more than any memory. Equal bytes are equal values; other bytes may only be another order of keys.
        return bool(given != original) or (packed(given) != packed(original) and not equal(given, original))
    except KeyboardInterrupt:
        raise
    except BaseException:  # something that is not JSON was put into it; TimeIsUp included, as the call has returned
        return True
