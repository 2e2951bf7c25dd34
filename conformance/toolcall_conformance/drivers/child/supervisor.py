"""A small program between the runner and a command: it ends the command and all its descendants.

``python supervisor.py SOCKET COMMAND…`` runs on Linux. It is a *child subreaper* (prctl(2), PR_SET_CHILD_SUBREAPER): a
process whose parent has died becomes its child and not that of process 1, whatever session or group it has moved to.
The runner's own process cannot be that: it is the user's pytest, and would inherit the processes of other tests.

It says ``pid N`` or ``failed ERRNO`` on the socket, and ``ended CODE`` when the command has ended. When the runner
writes there, or is no more, however it died, everything below is ended. Imports the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # each import costs every start
    from collections.abc import Callable, Iterable

TERM_SECONDS = 1.0
KILL_SECONDS = 5.0
_DYING_SECONDS = 0.001
_PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 15, 36


class Supervisor:
    """Runs one command. ``control`` is the descriptor of a socket, on whose other end is the runner."""

    def __init__(self, control: int) -> None:
        self._control = control
        self._wakeup, wake = os.pipe()
        os.set_blocking(self._wakeup, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        # Handlers and not SIG_IGN, which the command would inherit. The socket shows that the runner has ended.
        numbers = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
        before = {number: signal.signal(number, lambda *_: None) for number in numbers}
        self._ignored = [number for number, handler in before.items() if handler is signal.SIG_IGN]  # as by nohup
        self._command = 0
        self._childless = False

    def run(self, command: list[str]) -> None:
        """Run the command until it and the runner's interest have ended."""
        number = self._start(command)
        if number:
            self._send(f"failed {number}")
            return
        self._send(f"pid {self._command}")
        while not self._wait(None):
            self._reap()
        self._end_all()

    def _start(self, command: list[str]) -> int:
        """Start the command in a session of its own; return the number of the error if that fails, else 0."""
        reader, tell = os.pipe()  # closed by a successful exec
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
                    signal.signal(number, signal.SIG_DFL)
                for number in self._ignored:
                    signal.signal(number, signal.SIG_IGN)
                os.execvp(command[0], command)  # noqa: S606 - as Popen does
            except OSError as error:
                os.write(tell, str(error.errno).encode())
            os._exit(127)
        os.close(tell)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # the command alone holds its pipes: their ends are its own
            os.dup2(nothing, descriptor)
        failed = os.read(reader, 16)
        os.close(reader)
        self._command = child
        return int(failed or 0)

    def _wait(self, seconds: float | None) -> bool:
        """Wait for the end of a child, or for the runner; whether the runner wants an end."""
        ready, _, _ = select.select([self._control, self._wakeup], [], [], seconds)
        if self._wakeup in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wakeup, 4096)
        return self._control in ready

    def _reap(self) -> None:
        while True:
            try:
                child, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._childless = True
                return
            if child == 0:
                self._childless = False
                return
            if child == self._command:
                self._command = 0
                self._send(f"ended {os.waitstatus_to_exitcode(status)}")

    def _end_all(self) -> None:
        """End the command, gently first, and whatever descends from it."""
        self._reap()
        if self._command:
            _signal(-self._command, signal.SIGTERM)
            self._wait_until(time.monotonic() + TERM_SECONDS, lambda: not self._command)
        end = time.monotonic() + KILL_SECONDS
        before: list[int] = []
        while not self._childless and time.monotonic() < end:
            # The children of a dead process become ours at once. If they change, do not pause: they may fork each time.
            pids = child_pids(os.getpid())
            for child in pids:
                _signal(child, signal.SIGKILL)
            if pids == before:
                time.sleep(_DYING_SECONDS)
            before = pids
            self._reap()

    def _wait_until(self, end: float, done: Callable[[], bool]) -> None:
        self._reap()
        while not done() and (left := end - time.monotonic()) > 0:
            select.select([self._wakeup], [], [], left)
            with contextlib.suppress(BlockingIOError):
                os.read(self._wakeup, 4096)
            self._reap()

    def _send(self, line: str) -> None:
        with contextlib.suppress(OSError):  # the runner is no more
            os.write(self._control, f"{line}\n".encode())


def child_pids(process: int) -> list[int]:
    """The children of a process with one thread (proc_pid_task(5)); by all parents where the kernel lists none."""
    try:
        with open(f"/proc/{process}/task/{process}/children", "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            return [int(child) for child in file.read().split()]
    except OSError:
        return [other for other in _processes() if _parent(other) == process]


def _parent(process: int) -> int:
    """The parent by ``/proc/PID/stat`` (proc_pid_stat(5)); 0 for a process that has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123
            # The name is in brackets and may hold anything, brackets too; after it are the state and the parent.
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _processes() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208
    except OSError:
        return []


def _signal(process: int, number: int) -> None:
    with contextlib.suppress(OSError):  # it has ended, or belongs to another user
        os.kill(process, number)


def _become_subreaper() -> None:
    """Become a subreaper. Raises OSError, AttributeError or ImportError if the system has none."""
    import ctypes

    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NAME, b"toolcall-super", 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main(arguments: list[str]) -> None:
    control = int(arguments[0])
    os.set_inheritable(control, False)
    with contextlib.suppress(OSError, AttributeError, ImportError):  # without it, only what stays in the tree is ended
        _become_subreaper()
    Supervisor(control).run(arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
