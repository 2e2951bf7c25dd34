"""Ends pytest after its summary, with the run's exit code, though the translator left something that still runs.

Python waits for each thread that is no daemon, and for each function at exit, before it ends.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from time import sleep  # a test may replace that of the module, and this must not spin then
from types import FrameType

import pytest

from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.drivers.python.tracebacks import last_line
from toolcall_conformance.engine.ending.exits import exit_codes

# What is about to end gets this time; libraries send their last telemetry then.
_GRACE_SECONDS = 3.0
_EXIT_SECONDS = 3.0
_MAX_NAMED = 3
# The functions behind `pytest` and `python -m pytest`; the second since pytest 9.
_COMMAND_FUNCTIONS = ("console_main", "_console_main")


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
    """Whether this process ends with the run of pytest that is under way.

    In somebody else's process, a notebook for one, nothing is to end; nor where a test runs pytest in its own.
    """
    return _is_command_running() and _count_runs() == 1


def _is_command_running() -> bool:
    """Whether pytest's command runs in the main thread."""
    return _count_frames(_COMMAND_FUNCTIONS) > 0


def _count_runs() -> int:
    """How many runs of pytest are under way in the main thread, one in a test of the other."""
    return max(
        _count_frames(("main",)), _count_frames(("_main",))
    )  # the second since pytest 9.1; the first calls it then


def _count_frames(names: tuple[str, ...]) -> int:
    """How many functions of these names, of pytest's own, the main thread is in."""
    frame, count = _current_frame(threading.main_thread()), 0
    while frame is not None:
        count += frame.f_code.co_name in names and frame.f_globals.get("__name__") == "_pytest.config"
        frame = frame.f_back
    return count


def _force_exit_later(code: int) -> None:
    """End the process with the code of its last run, once the interpreter ends and something keeps it from that."""
    exit_codes.append(code)
    if len(exit_codes) == 1:
        ending = threading.Event()
        threading._register_atexit(ending.set)  # type: ignore[attr-defined]  # noqa: SLF001 - called before Python waits
        threading.Thread(target=_force_exit, args=(ending,), name="toolcall-leaving", daemon=True).start()


def _force_exit(ending: threading.Event) -> None:
    """Wait until the interpreter ends, and a moment more; if the process is still there, end it.

    Until then whoever started pytest is at work, ``coverage run`` for one, and may take its time.
    """
    ending.wait()
    sleep(_GRACE_SECONDS)
    code = exit_codes[-1]
    waiting = [thread for thread in threading.enumerate() if not thread.daemon and thread.is_alive()]
    others = [thread for thread in waiting if thread is not threading.main_thread()]
    what = (
        ", ".join(map(_describe_thread, others[:_MAX_NAMED]))
        or f"a function at exit{_location(threading.main_thread())}"
    )
    if others[_MAX_NAMED:]:
        what += f" and {len(others) - _MAX_NAMED} more"
    message = f"toolcall: the translator left running: {what}; pytest ends without it (exit code {code})\n"
    sys.stderr.write(message)
    if others:  # else they run already
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
    line = last_line(frame) if frame is not None else ""
    return f" at {visible(line)}" if line else ""


def _current_frame(thread: threading.Thread) -> FrameType | None:
    """Where a thread is."""
    return sys._current_frames().get(thread.ident or 0)  # noqa: SLF001 - documented, for such uses
