"""How the process of a run ends, whatever the translator does: with the exit code of the run, and in time.

``ForcedExit`` ends pytest after its summary although a thread of the translator still runs: Python waits for each
thread that is no daemon, and for each function at exit.

``ExitGuard`` keeps a translator from ending the process with a code that means success. ``os._exit(0)`` ends a process
at once, without a report and without a summary, and the shell goes on. Code that is not Python can do so past the
guard; then only the report shows it, which is missing or incomplete.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from time import sleep  # a test may replace that of the module, and this must not spin then
from types import FrameType
from typing import NoReturn

import pytest

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.drivers.python.tracebacks import user_line

# Time for threads that are about to end: libraries send their last telemetry then.
_GRACE_SECONDS = 3.0
_EXIT_SECONDS = 3.0
_MAX_NAMED = 3
# The functions of the commands `pytest` and `python -m pytest`; the second since pytest 9. pytest does not say that it
# runs as a command, so their frames are looked for: tests/plugin/test_stalled_runs.py leaves threads in both.
_COMMAND_FUNCTIONS = ("console_main", "_console_main")

FAILURE_CODE = 70
"""The exit code of a run that its translator ended with 0: EX_SOFTWARE of sysexits.h."""

exit_codes: list[int] = []
"""The exit codes of the runs of this process after which it ends, in order."""

_exit: Callable[[int], NoReturn] = os._exit


class ForcedExit:
    """Active where a translator lives in this interpreter."""

    def __init__(self) -> None:
        self._session: pytest.Session | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        if self._session is not None and ends_with_run():
            _force_exit_later(int(self._session.exitstatus))


def ends_with_run() -> bool:
    """Whether this process ends with the current run of pytest.

    False in a process that is not pytest's own, such as a notebook, and in a test that runs pytest in its own process.
    """
    return _is_command_running() and _count_runs() == 1


def _is_command_running() -> bool:
    """Whether pytest's command runs in the main thread."""
    return _count_frames(_COMMAND_FUNCTIONS) > 0


def _count_runs() -> int:
    """How many runs of pytest the main thread is in, each in a test of the one before."""
    return max(
        _count_frames(("main",)), _count_frames(("_main",))
    )  # the second since pytest 9.1; the first calls it then


def _count_frames(names: tuple[str, ...]) -> int:
    """How many frames of the main thread are functions of pytest with these names."""
    frame, count = _current_frame(threading.main_thread()), 0
    while frame is not None:
        count += frame.f_code.co_name in names and frame.f_globals.get("__name__") == pytest.main.__module__
        frame = frame.f_back
    return count


def _force_exit_later(code: int) -> None:
    """End the process with the exit code of its last run if something keeps the interpreter from ending."""
    exit_codes.append(code)
    if len(exit_codes) == 1:
        ending = threading.Event()
        threading._register_atexit(ending.set)  # type: ignore[attr-defined]  # noqa: SLF001 - called before Python waits
        threading.Thread(target=_force_exit, args=(ending,), name="toolcall-leaving", daemon=True).start()


def _force_exit(ending: threading.Event) -> None:
    """Wait until the interpreter ends, and a moment more; then end the process if it still runs.

    Before that the program that started pytest is at work, such as ``coverage run``, and may take its time.
    """
    ending.wait()
    sleep(_GRACE_SECONDS)
    code = exit_codes[-1]
    waiting = [thread for thread in threading.enumerate() if not thread.daemon and thread.is_alive()]
    others = [thread for thread in waiting if thread is not threading.main_thread()]
    threads_text = (
        ", ".join(map(_describe_thread, others[:_MAX_NAMED]))
        or f"a function at exit{_location(threading.main_thread())}"
    )
    if others[_MAX_NAMED:]:
        threads_text += f" and {len(others) - _MAX_NAMED} more"
    message = f"toolcall: the translator left running: {threads_text}; pytest ends without it (exit code {code})\n"
    sys.stderr.write(message)
    if others:  # else Python runs the functions at exit already
        leaver = threading.Thread(target=atexit._run_exitfuncs, daemon=True)  # noqa: SLF001 - Python's own, before it waits
        leaver.start()
        leaver.join(_EXIT_SECONDS)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _describe_thread(thread: threading.Thread) -> str:
    return f"the thread '{visible(str(thread.name)[:80])}'{_location(thread)}"


def _location(thread: threading.Thread) -> str:
    frame = _current_frame(thread)
    line = user_line(frame) if frame is not None else ""
    return f" at {visible(line)}" if line else ""


def _current_frame(thread: threading.Thread) -> FrameType | None:
    """The innermost frame of a thread."""
    return sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - documented, for such uses


class ExitGuard:
    """Replaces ``os._exit`` in one process until ``lift``. Forks of the process are not guarded.

    ``on_exit`` is called before the process ends. After ``lift``, code that still holds the guard ends the process with
    the exit code of the run.
    """

    def __init__(self, on_exit: Callable[[], None]) -> None:
        self._on_exit, self._owner, self._is_active = on_exit, os.getpid(), True
        os._exit = self._end

    def lift(self) -> None:
        """Put ``os._exit`` back: the run writes its reports itself from now on."""
        self._is_active = False
        if os._exit == self._end:
            os._exit = _exit  # type: ignore[assignment]

    def _end(self, status: int) -> NoReturn:
        if os.getpid() != self._owner:
            _exit(status)
        if self._is_active:
            if hasattr(signal, "pthread_sigmask"):  # a call's time limit must not ring here
                signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
            self._on_exit()
        _exit(status or (FAILURE_CODE if self._is_active else exit_codes[-1] if exit_codes else 0))
