"""Limits the time of foreign code.

On the main thread of a POSIX process an interval timer raises in the middle of the code. Elsewhere the call runs in a
daemon thread, which is abandoned when its time is up.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

from toolcall_conformance.drivers.python import hang_marks

T = TypeVar("T")

# The alarm repeats, in case the code swallows the first exception.
_REPEAT_SECONDS = 0.25
# A call that returns just in time may be measured a little later: other processes use the processor, too.
_LATE_SECONDS = 0.1


_HAS_TIMER = hasattr(signal, "setitimer")

# The C function within signal.signal, which converts handlers to constants and takes ten times as long.
_set_handler: Callable[[int, Any], Any] = getattr(sys.modules.get("_signal"), "signal", signal.signal)


class TimeIsUp(BaseException):
    """Raised inside the code that took too long. Not an Exception, so that ``except Exception`` lets it through."""


def call_within(timeout: float, function: Callable[[], T], *, in_thread: bool = False) -> T:
    """Call ``function`` and return its result. Raises TimeIsUp after ``timeout`` seconds, and what ``function`` raises.

    Code that swallows or blocks the alarm, or is in a call of C, cannot be stopped here; a result that is too late does
    not count. ``in_thread`` uses a thread even if a timer is available.
    """
    with limit_time(timeout, in_thread=in_thread) as within:
        return within(function)


def limit_time(timeout: float, *, in_thread: bool = False) -> LimitedCalls:
    """A context manager that calls functions, each within ``timeout`` seconds, as ``call_within`` does."""
    on_main = not in_thread and _HAS_TIMER and threading.get_ident() == threading.main_thread().ident
    return _AlarmLimit(timeout) if on_main else _ThreadLimit(timeout)


class LimitedCalls(Protocol):
    """Calls functions, each within the same time."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_error: object) -> None: ...

    def __call__(self, function: Callable[[], T], /) -> T:
        """Call ``function`` and return its result. Raises TimeIsUp, and what it raises."""


class _ThreadLimit:
    """Calls each function in a thread of its own."""

    __slots__ = ("_timeout",)

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        """Do nothing."""

    def __call__(self, function: Callable[[], T], /) -> T:
        """Call ``function``."""
        started = time.monotonic()
        previous = hang_marks.mark_call(started, self._timeout)
        try:
            returned = _call_in_thread(self._timeout, function)
            _verify_in_time(started, self._timeout)
            return returned
        finally:
            hang_marks.restore_mark(previous)


class _AlarmLimit:
    """Calls a function and raises in it when its time is up."""

    __slots__ = ("_armed", "_before", "_interval", "_left", "_started", "_timeout")

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def __enter__(self) -> Self:
        """Take over the timer and its signal."""
        self._armed = False
        self._started = time.monotonic()
        # Another time limit may be running (pytest-timeout): its timer goes on afterwards, less the time used here.
        self._left, self._interval = signal.setitimer(signal.ITIMER_REAL, 0)
        self._before = _set_handler(signal.SIGALRM, self._raise_if_armed)
        return self

    def __exit__(self, *_error: object) -> None:
        """Give them back."""
        _set_handler(signal.SIGALRM, self._before)
        if self._left:
            _resume_timer(self._before, self._left - (time.monotonic() - self._started), self._interval)

    def __call__(self, function: Callable[[], T], /) -> T:
        """Call ``function``."""
        # Inlined for speed: each call of the translator goes through here twice.
        timeout, started = self._timeout, time.monotonic()
        previous = hang_marks.mark_call(started, timeout)
        try:
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, timeout, _REPEAT_SECONDS)
            try:
                try:
                    returned = function()
                finally:
                    self._armed = False
            finally:
                self._armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
            _verify_in_time(started, timeout)
            return returned
        finally:
            hang_marks.restore_mark(previous)

    def _raise_if_armed(self, _signal: int, _frame: Any) -> None:
        if self._armed:
            raise TimeIsUp


def _verify_in_time(started: float, timeout: float) -> None:
    """Raise TimeIsUp for a call that returned too late."""
    if time.monotonic() - started > timeout + _LATE_SECONDS:
        raise TimeIsUp


def _resume_timer(handler: Any, left: float, interval: float) -> None:
    """Resume another time limit. If its time is up already, it rings here, and not somewhere in pytest."""
    rings = left <= 0 and callable(handler)
    signal.setitimer(signal.ITIMER_REAL, interval if rings else max(left, 0.001), interval)
    if rings:
        handler(signal.SIGALRM, None)


def _call_in_thread(timeout: float, function: Callable[[], T]) -> T:
    """Call a function in a daemon thread. Raises TimeIsUp after ``timeout`` seconds, and abandons the thread."""
    returned: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            returned.append(function())
        except BaseException as error:  # carried to the caller's thread
            raised.append(error)

    thread = threading.Thread(target=work, name="toolcall-translator", daemon=True)
    thread.start()
    thread.join(timeout)
    if returned:
        return returned[0]
    if raised:
        raise raised[0]
    raise_in_thread(thread)
    raise TimeIsUp


def raise_in_thread(thread: threading.Thread) -> None:
    """Let CPython raise in an abandoned thread, so that a busy loop does not slow down the rest of the run."""
    if sys.implementation.name == "cpython" and thread.ident is not None:
        import ctypes

        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
