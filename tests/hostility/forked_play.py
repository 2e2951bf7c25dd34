"""Runs a function in a process of its own, with a limit, and looks for what it leaves running. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_OURS = re.compile(r'File "[^"]*toolcall_conformance/(?!adapters/)[^"]*", line')
_PYTESTS = re.compile(r"^\S*toolcall_conformance/(?!adapters/)\S*\.py:\d+: ", re.MULTILINE)
"""How pytest writes a place of a traceback."""
_SUBREAPER = 36
ESCAPED = 97
"""The code of a function that raised."""


@dataclass(frozen=True)
class Ending:
    """How a function ended: its code (negative for a signal, None where the limit passed), and what it printed."""

    code: int | None
    said: str
    seconds: float
    left: tuple[str, ...]

    def trouble(self) -> str | None:
        """What must not be: too slow, killed, a traceback of ours, or something that still runs."""
        if self.code is None:
            return "over the limit"
        if self.code < 0:
            return f"ended by signal {-self.code}"
        if "INTERNALERROR" in self.said:
            return "pytest's INTERNALERROR"
        if self.code == ESCAPED or self._shows_ours():
            return "a bare traceback"
        return f"left running: {', '.join(self.left)}" if self.left else None

    def _shows_ours(self) -> bool:
        match = "Traceback (most recent call last)" in self.said and _OURS.search(self.said)
        return bool(match or _PYTESTS.search(self.said))


def run_forked(function: Callable[[], int], seconds: float, folder: Path) -> Ending:
    """Fork, run ``function`` in ``folder``, and end everything that it started.

    Orphans of the child become children of this process, which must have no others.
    """
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    start = time.monotonic()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()  # or the child would write once more what waits there
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            _run(function, output.fileno(), folder)
        code = _wait(child, start + seconds)
        spent = time.monotonic() - start
        left = _leftover_commands()
        output.seek(0)
        text = output.read().decode("utf-8", "backslashreplace")
    return Ending(code, text, spent, tuple(left) if code is not None else ())


def _run(function: Callable[[], int], output: int, folder: Path) -> None:
    """The child's side; never returns."""
    code = ESCAPED
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.chdir(folder)
        code = int(function() or 0)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        os.write(2, traceback.format_exc().encode("utf-8", "backslashreplace"))
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):
                stream.flush()
        os._exit(code)


def _wait(child: int, until: float) -> int | None:
    """The exit code of a child, None where it was still running at the end of its time; then it is killed."""
    while time.monotonic() < until:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _leftover_commands() -> list[str]:
    """The orphans that still run after the time that ending takes; ends them."""
    end = time.monotonic() + 2
    while _reap() and time.monotonic() < end:
        time.sleep(0.02)
    commands: dict[int, str] = {}
    while _reap():
        for task in Path("/proc/self/task").iterdir():
            for pid in map(int, (task / "children").read_text().split()):
                with contextlib.suppress(OSError):
                    commands.setdefault(
                        pid, Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()[:80]
                    )
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    return [f"{pid} {command}" for pid, command in commands.items()]


def _reap() -> bool:
    """Bury what has ended; whether something still runs."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
