"""The process that watches a run from outside; ``engine.ending.watchdog`` starts it as a script.

When a call of the translator hangs, or the process of the run dies, it writes the reports of the items that have run,
names the item, and ends the process. Until then it imports the standard library only.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_POLL_SECONDS = 0.25
# A longer gap between two polls counts as this: this process was stopped itself, as by Ctrl-Z.
_GAP_SECONDS = 1.0
_DUMP_SECONDS = 0.3
_PIECE_BYTES = 1 << 16


class _State:
    """What the run has sent."""

    def __init__(self) -> None:
        self.begin: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forget a run."""
        self.plan: dict[str, Any] | None = None
        self.dies = False
        self.item: dict[str, Any] | None = None
        self.timeout = 0.0
        self.records: list[tuple[str, float]] = []

    def receive(self, message: dict[str, Any]) -> None:
        """Store one message of the run."""
        if "begin" in message:
            self.clear()
            self.begin = message["begin"]
        elif "rest" in message:
            self.clear()
            self.begin = {}
        elif "dies" in message:
            self.dies = True
        elif "plan" in message:
            self.plan = message["plan"]
        elif "item" in message:
            self.item, self.timeout = message["item"], message["timeout"]
        elif self.plan is not None:
            self.records.append((message["record"], message["duration"]))


class _Patience:
    """How long the current call may still take."""

    def __init__(self) -> None:
        self._call, self._left, self._looked = 0.0, 0.0, time.monotonic()

    def is_over(self, until: float) -> bool:
        """Whether the call that must return by ``until`` hangs. Zero means that there is no call."""
        now = time.monotonic()
        gap, self._looked = min(now - self._looked, _GAP_SECONDS), now
        if until != self._call:
            self._call, self._left = until, until - now
        else:
            self._left -= gap
        return until > 0 and self._left <= 0


def main(channel: int, life: int, memory: int, stack_file: int) -> None:
    """Watch until the run's process ends, which closes its end of the pipe ``life``.

    ``channel`` has the run's messages. It is read a few times a second, so that items do not wake this process.
    ``memory`` holds the deadline of the current call, ``stack_file`` is the file for the run's stack.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run, state, patience = os.getppid(), _State(), _Patience()
    os.set_blocking(channel, False)
    cell = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
    rest = b""
    while True:
        is_over = bool(select.select([life], [], [], _POLL_SECONDS)[0]) or os.getppid() != run
        *lines, rest = (rest + _read(channel)).split(b"\n")
        for line in lines:
            state.receive(json.loads(line))
        if is_over or state.dies:
            # xdist ends workers when it likes; only one that dies in a call says so.
            if state.begin and (cell[0] or not state.begin["worker"]):
                _conclude(state, in_call=cell[0] != 0)
            return
        if state.begin and patience.is_over(cell[0]):
            _conclude(state, _timeout_text(state), _dump_stack(run, stack_file))
            with suppress(OSError):
                os.kill(run, signal.SIGKILL)
            return


def _read(channel: int) -> bytes:
    """Read all bytes that have arrived."""
    pieces = []
    with suppress(BlockingIOError):
        while piece := os.read(channel, _PIECE_BYTES):
            pieces.append(piece)
    return b"".join(pieces)


def _timeout_text(state: _State) -> str:
    return f"{state.timeout:g} s" if state.item is not None else "its time limit"


def _dump_stack(run: int, stack_file: int) -> str:
    """Let the run dump its stack by ``faulthandler``, and return the text."""
    with suppress(OSError):
        os.kill(run, signal.SIGUSR1)
        time.sleep(_DUMP_SECONDS)
        return os.pread(stack_file, _PIECE_BYTES, 0).decode("utf-8", "replace")
    return ""


def _conclude(state: _State, timeout_text: str = "", stack_text: str = "", *, in_call: bool = True) -> None:
    """Write the reports, and print which item was running."""
    begin = state.begin
    sys.path[:] = [*begin["path"], str(Path(__file__).parents[3])]
    try:
        from toolcall_conformance.engine.ending.last_report import conclude

        message = conclude(
            state.plan,
            state.item,
            state.records,
            timeout_text=timeout_text,
            stack_text=stack_text,
            in_call=in_call,
            isolation_command=begin["isolation_command"],
            run_name=begin["run_name"],
        )
    except Exception as error:  # the run has to end, whatever is wrong here
        message = f"\ntoolcall: the run ends here, without a report ({error!r})\n"
    with suppress(OSError):
        sys.stderr.write(message)
        sys.stderr.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
