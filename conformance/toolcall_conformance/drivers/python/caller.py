"""Calls a translator of this interpreter, one call at a time, within a time limit."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from toolcall_conformance.drivers.outcomes import Crashed, RefusedOutcome, TimedOut, UnsupportedOutcome
from toolcall_conformance.drivers.python.exception_outcomes import exception_outcome
from toolcall_conformance.drivers.python.foreign import PASSED_EXCEPTIONS
from toolcall_conformance.drivers.python.limits import TimeIsUp, limit_time
from toolcall_conformance.drivers.python.process_state import preserve_interpreter_state, preserve_process_state
from toolcall_conformance.drivers.streams import Streamed

T = TypeVar("T")
CallFailure = RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut
"""The outcomes of a call that does not return."""


@dataclass(frozen=True, slots=True)
class Returned:
    """What a call returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a call raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class _ReadingFault:
    """An error of our own code that read what a call returned."""

    error: Exception


class Caller:
    """Calls the translator, and awaits results on its own loop; each call and reading may take ``timeout`` seconds."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, function: Callable[[], Any]) -> Returned | CallFailure:
        """Call ``function``, which may return something to await."""
        return self.call_and_read(function, Returned)

    def call_and_read(self, function: Callable[[], Any], read: Callable[[Any], T]) -> T | CallFailure:
        """Call ``function``, pass its result to ``read``, and return the result of that.

        Each is limited by itself: ``read`` touches the translator's objects, but its time is ours.
        """
        try:
            with preserve_process_state(), limit_time(self._timeout, in_thread=_is_loop_running()) as within:
                attempt = within(lambda: self._attempt(function))
                untouched = read is Returned and isinstance(attempt, Returned)
                result = _read_attempt(attempt, read) if untouched else within(lambda: _read_attempt(attempt, read))
        except TimeIsUp:
            self._drop_loop()
            return TimedOut(self._timeout)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # of another time limit, which was up in the meantime
            return exception_outcome(error)
        if isinstance(result, _ReadingFault):
            raise result.error
        return result

    def close(self) -> None:
        """Close the loop; a later call would start another."""
        self._drop_loop()

    def _attempt(self, function: Callable[[], Any]) -> Returned | _Raised:
        """Call the translator, and return what it returned or raised."""
        owner = os.getpid()
        try:
            with preserve_interpreter_state():
                return Returned(self._run(function))
        except PASSED_EXCEPTIONS:
            raise
        except BaseException as error:  # whatever the translator raises, SystemExit and pytest's own included
            return _Raised(error)
        finally:
            if os.getpid() != owner:
                os._exit(0)  # the translator forked: its copy of us must not run the rest of the suite, too

    def _drop_loop(self) -> None:
        # An interrupted loop is not used again. A loop that an abandoned thread still runs cannot be closed.
        if self._loop is not None and not self._loop.is_running():
            self._loop.close()
        self._loop = None

    def _run(self, function: Callable[[], Any]) -> Any:
        value = function()
        kind = type(value)
        # The usual types first: `isawaitable` is slow.
        if kind is dict or kind is Streamed or kind is list or kind is tuple or not inspect.isawaitable(value):
            return value
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # Suppresses reports on tasks that a timed-out call left behind.
            self._loop.set_exception_handler(lambda _loop, _context: None)
        return self._loop.run_until_complete(_await(value))


def _read_attempt(attempt: Returned | _Raised, read: Callable[[Any], T]) -> T | CallFailure | _ReadingFault:
    if isinstance(attempt, _Raised):
        return exception_outcome(attempt.error)
    try:
        return read(attempt.value)
    except Exception as error:
        return _ReadingFault(error)


async def _await(value: Awaitable[Any]) -> Any:
    return await value


def _is_loop_running() -> bool:
    """Whether an event loop runs in this thread (a notebook), which cannot run a second one."""
    return asyncio._get_running_loop() is not None  # noqa: SLF001 - documented for this; the other raises if there is none
