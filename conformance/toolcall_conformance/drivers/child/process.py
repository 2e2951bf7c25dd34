"""Runs a child process, keeps the end of its output, and leaves nothing of it running."""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from toolcall_conformance.drivers.child import families
from toolcall_conformance.drivers.gateway.loopback import no_proxy_variables

MAX_TAIL_BYTES = 8 * 1024
_JOIN_SECONDS = 1.0
# How long to read a dead child's last output; a grandchild may keep the pipe open for ever.
_LAST_OUTPUT_SECONDS = 0.2

# Colours and cursor movements, which no report can show.
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def _child_environment(added: Mapping[str, str]) -> dict[str, str]:
    """Our environment and the added variables, without a proxy for loopback."""
    whole = {**os.environ, **added}
    return {**whole, **no_proxy_variables(whole)}


class ChildProcess:
    """A command that runs until :meth:`stop`, or until this interpreter ends.

    With ``piped`` its standard input and output are unbuffered pipes, :attr:`stdin` and :attr:`stdout`, and the tail
    has its standard error. Without, its input is empty, and the tail has both outputs. ``environment`` is added to
    ours. Raises OSError as Popen does.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str] | None = None,
        piped: bool,
    ) -> None:
        self._family = families.start_family(
            command,
            cwd=directory,
            env=_child_environment(environment or {}),
            stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if piped else subprocess.STDOUT,
            bufsize=0,
        )
        process = self._family.process
        self.stdin: IO[bytes] | None = process.stdin
        self.stdout: IO[bytes] | None = process.stdout if piped else None
        self._owner = os.getpid()
        self._stopped = False
        self._tail = _Tail()
        output = process.stderr if piped else process.stdout
        assert output is not None
        self._reader = threading.Thread(target=self._tail.read, args=(output,), name="child's tail", daemon=True)
        self._reader.start()
        _running.add(self)
        _handle_sigterm()

    @property
    def pid(self) -> int:
        return self._family.pid

    @property
    def tail(self) -> str:
        """The last few KiB that it printed, without colours and control characters."""
        if self.exit_code() is not None:
            self._reader.join(_LAST_OUTPUT_SECONDS)
        return self._tail.text()

    def add_to_tail(self, line: bytes) -> None:
        """Put a line that was read elsewhere into the tail."""
        self._tail.add(line if line.endswith(b"\n") else line + b"\n")

    def exit_code(self) -> int | None:
        """Return its exit code, or minus the number of the signal that killed it; None while it runs."""
        return self._family.exit_code()

    def wait(self, seconds: float) -> int | None:
        """Wait for its end; return its exit code, or None if it still runs."""
        end, pause = time.monotonic() + seconds, 0.001
        while (code := self.exit_code()) is None and time.monotonic() < end:
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return code

    def stop(self, *, grace: float = 0.0) -> None:
        """End it and all its descendants, gently first; may be called twice.

        ``grace`` is the time in seconds that it has to exit by itself once its input has ended.
        """
        if self._stopped or os.getpid() != self._owner:  # after a fork this process is not its parent
            return
        self._stopped = True
        if self.stdin is not None:
            with contextlib.suppress(OSError):
                self.stdin.close()
        if grace:
            self.wait(grace)
        self._family.stop()
        # Where a process can leave the group, it keeps the pipe open, and the thread alive.
        self._reader.join(_JOIN_SECONDS)
        if self.stdout is not None:
            with contextlib.suppress(OSError):
                self.stdout.close()
        _running.discard(self)


class _Tail:
    """The end of a stream, of bounded size; several threads may write to it."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._cut = False
        self._lock = threading.Lock()

    def read(self, pipe: IO[bytes]) -> None:
        """Read to the end, in a thread of its own: a child with a full pipe would block."""
        with contextlib.suppress(OSError, ValueError), pipe:
            while piece := os.read(pipe.fileno(), 65536):
                self.add(piece)

    def add(self, piece: bytes) -> None:
        with self._lock:
            self._bytes += piece
            if len(self._bytes) > MAX_TAIL_BYTES:
                del self._bytes[:-MAX_TAIL_BYTES]
                self._cut = True

    def text(self) -> str:
        with self._lock:
            data, cut = bytes(self._bytes), self._cut
        if cut:  # the first line is incomplete
            data = b"...\n" + data.partition(b"\n")[2] if b"\n" in data[:-1] else b"..." + data
        text = _ESCAPES.sub("", data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))
        return _CONTROLS.sub("", text).strip("\n")


_running: weakref.WeakSet[ChildProcess] = weakref.WeakSet()


_exit_calls: list[Callable[[], None]] = []


def call_at_exit(call: Callable[[], None]) -> None:
    """Call ``call`` when this interpreter ends, by SIGTERM too, unless ``cancel_at_exit`` cancels it."""
    _exit_calls.append(call)
    _handle_sigterm()


def cancel_at_exit(call: Callable[[], None]) -> None:
    """Cancel a call at exit."""
    if call in _exit_calls:
        _exit_calls.remove(call)


@atexit.register
def _stop_all() -> None:
    for child in list(_running):
        child.stop()
    for call in list(_exit_calls):  # noqa: PERF101 - a call may take itself out
        call()


def is_sigterm_ours() -> bool:
    """Whether no code but this module handles SIGTERM."""
    return signal.getsignal(signal.SIGTERM) in (signal.SIG_DFL, _stop_and_exit)


def _handle_sigterm() -> None:
    """Stop all children on SIGTERM. CI jobs and ``timeout`` send it; Python then runs neither ``finally`` nor atexit.

    Only if no other code handles it; afterwards the signal has its usual effect.
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _stop_and_exit)


def _stop_and_exit(number: int, _frame: object) -> None:
    _stop_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
