"""Starts a command as a *family*: its process and all that descend from it, which end together.

On Linux a supervisor is the parent (:mod:`supervisor`), and no process can leave the family. Elsewhere a family is a
process group, which a process leaves by ``setsid``; without groups it is only the process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from toolcall_conformance.drivers.child import supervisor

_POSIX = os.name == "posix"
_SUPERVISOR = Path(supervisor.__file__)
# A busy machine starts a Python within seconds.
_START_SECONDS = 30.0
_END_SECONDS = supervisor.TERM_SECONDS + supervisor.KILL_SECONDS + 1.0


class Family(Protocol):
    """A started command. ``process`` has its pipes; ``pid`` is that of the command itself."""

    process: subprocess.Popen[bytes]
    pid: int

    def exit_code(self) -> int | None:
        """The command's exit code, or minus the number of the signal that killed it; None while it runs."""

    def stop(self) -> None:
        """End the whole family, the command gently first if it still runs; called once."""


def start_family(command: Sequence[str], **options: Any) -> Family:
    """Start a command; ``options`` are those of Popen. Raises OSError and ValueError as Popen does."""
    if sys.platform == "linux" and sys.executable and _SUPERVISOR.is_file():
        return SupervisedFamily(command, **options)
    return GroupFamily(command, **options)


class GroupFamily:
    """A process group, or one process where the system has no groups."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self.process: subprocess.Popen[bytes] = subprocess.Popen(list(command), start_new_session=_POSIX, **options)
        self.pid = self.process.pid

    def exit_code(self) -> int | None:
        if self.process.returncode is None and hasattr(os, "waitid"):
            # Keeps it a zombie until `stop`: its group's number must not be used again before we signal the group.
            try:
                status = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # other code has reaped it
                return self.process.poll()
            if status is None:
                return None
            return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
        return self.process.poll()

    def stop(self) -> None:
        if self.exit_code() is None:
            self._signal("SIGTERM")
            end = time.monotonic() + supervisor.TERM_SECONDS
            while self.exit_code() is None and time.monotonic() < end:
                time.sleep(0.005)
        # The leader may have ended, but not all of its children.
        self._signal("SIGKILL")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(supervisor.KILL_SECONDS)

    def _signal(self, name: str) -> None:
        with contextlib.suppress(OSError):  # it has ended already
            if hasattr(os, "killpg"):
                os.killpg(self.pid, getattr(signal, name))
            elif name == "SIGTERM":
                self.process.terminate()
            else:
                self.process.kill()


class SupervisedFamily:
    """A command below a supervisor."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._control, theirs = socket.socketpair()
        words = [sys.executable, "-I", "-S", str(_SUPERVISOR), str(theirs.fileno()), *command]
        try:
            with theirs:
                self.process: subprocess.Popen[bytes] = subprocess.Popen(
                    words, pass_fds=[theirs.fileno()], start_new_session=True, **options
                )
        except BaseException:
            self._control.close()
            raise
        self._lock = threading.Lock()
        self._received = b""
        self._code: int | None = None
        self.pid = 0
        try:
            self._await_start(command[0])
        except BaseException:
            self._abandon()
            for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
                if pipe is not None:
                    pipe.close()
            raise

    def exit_code(self) -> int | None:
        with self._lock:
            if self._code is None:
                self._receive(0)
            return self._code

    def stop(self) -> None:
        with self._lock:
            with contextlib.suppress(OSError):
                self._control.sendall(b"stop\n")
            until = time.monotonic() + _END_SECONDS
            while (left := until - time.monotonic()) > 0 and self._receive(left):
                pass
            self._abandon()
            self._code = -signal.SIGKILL if self._code is None else self._code

    def _abandon(self) -> None:
        """End the supervisor. If it was killed from below, end at least its command's group."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_END_SECONDS)
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()
        if self.process.returncode and self.pid:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)

    def _await_start(self, program: str) -> None:
        """Wait until the command has started. Raises OSError if it cannot be executed."""
        until = time.monotonic() + _START_SECONDS
        while not self.pid:
            has_message = self._receive(max(until - time.monotonic(), 0.001))
            words = self._received.split(b"\n")[0].split()
            if words[:1] == [b"failed"]:
                raise OSError(int(words[1]), os.strerror(int(words[1])), program)
            if not has_message and not self.pid:
                raise OSError(f"its supervisor, {sys.executable} {_SUPERVISOR}, did not start")

    def _receive(self, seconds: float) -> bool:
        """Receive messages of the supervisor within a time; false if there are none, or if it has ended."""
        self._control.settimeout(seconds)
        try:
            data = self._control.recv(4096)
        except OSError:  # nothing, or closed
            return False
        if not data:
            self._code = -signal.SIGKILL if self._code is None else self._code
            return False
        self._received += data
        while b"\n" in self._received:
            line, _, rest = self._received.partition(b"\n")
            kind, _, number = line.partition(b" ")
            if kind == b"failed":
                break
            self._received = rest
            if kind == b"pid":
                self.pid = int(number)
            elif kind == b"ended":
                self._code = int(number)
        return True
