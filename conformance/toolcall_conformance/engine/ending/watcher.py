"""The process that watches a run from outside; ``engine.ending.watchdog`` starts it as a script.

When a call of the translator stands still, or the run's process ends before the run, it writes the reports of the items
that have run, says which item it was, and ends the process. Until then it imports the standard library only.
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

_LOOK_SECONDS = 0.25
# So much of a gap between two looks counts; in a longer one this process was stopped itself, as by Ctrl-Z.
_GAP_SECONDS = 1.0
_TELL_SECONDS = 0.3
_PIECE = 1 << 16


class _State:
    """What the run has told."""

    def __init__(self) -> None:
        self.begin: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forget a run."""
        self.plan: dict[str, Any] | None = None
        self.dies = False
        self.item: dict[str, Any] | None = None
        self.seconds = 0.0
        self.records: list[tuple[str, float]] = []

    def hear(self, message: dict[str, Any]) -> None:
        """Take what was told."""
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
            self.item, self.seconds = message["item"], message["seconds"]
        elif self.plan is not None:
            self.records.append((message["record"], message["duration"]))


class _Patience:
    """How long the present call may still take."""

    def __init__(self) -> None:
        self._call, self._left, self._looked = 0.0, 0.0, time.monotonic()

    def is_over(self, until: float) -> bool:
        """Whether the call that is to return at ``until`` stands still; zero is no call."""
        now = time.monotonic()
        gap, self._looked = min(now - self._looked, _GAP_SECONDS), now
        if until != self._call:
            self._call, self._left = until, until - now
        else:
            self._left -= gap
        return until > 0 and self._left <= 0


def main(channel: int, life: int, memory: int, stand: int) -> None:
    """Watch until the run's process ends: then it writes no more to ``life``.

    What it writes to ``channel`` is read from time to time only, so that the run wakes nobody with each item.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run, state, patience = os.getppid(), _State(), _Patience()
    os.set_blocking(channel, False)
    cell = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
    rest = b""
    while True:
        is_over = bool(select.select([life], [], [], _LOOK_SECONDS)[0]) or os.getppid() != run
        *lines, rest = (rest + _read(channel)).split(b"\n")
        for line in lines:
            state.hear(json.loads(line))
        if is_over or state.dies:
            # xdist ends workers when it likes; only one that dies in a call says so.
            if state.begin and (cell[0] or not state.begin["worker"]):
                _conclude(state, in_call=cell[0] != 0)
            return
        if state.begin and patience.is_over(cell[0]):
            _conclude(state, _limit(state), _where(run, stand))
            with suppress(OSError):
                os.kill(run, signal.SIGKILL)
            return


def _read(channel: int) -> bytes:
    """What there is to read."""
    pieces = []
    with suppress(BlockingIOError):
        while piece := os.read(channel, _PIECE):
            pieces.append(piece)
    return b"".join(pieces)


def _limit(state: _State) -> str:
    return f"{state.seconds:g} s" if state.item is not None else "its time limit"


def _where(run: int, stand: int) -> str:
    """Where the run stands, as ``faulthandler`` tells it."""
    with suppress(OSError):
        os.kill(run, signal.SIGUSR1)
        time.sleep(_TELL_SECONDS)
        return os.pread(stand, _PIECE, 0).decode("utf-8", "replace")
    return ""


def _conclude(state: _State, stands: str = "", where: str = "", *, in_call: bool = True) -> None:
    """Write the reports, and say which item it was."""
    begin = state.begin
    sys.path[:] = [*begin["path"], str(Path(__file__).parents[3])]
    try:
        from toolcall_conformance.engine.ending.last_report import conclude

        message = conclude(
            state.plan,
            state.item,
            state.records,
            stands=stands,
            where=where,
            in_call=in_call,
            advice=begin["advice"],
            whose=begin["whose"],
        )
    except Exception as error:  # the run has to end, whatever is wrong here
        message = f"\ntoolcall: the run ends here, without a report ({error!r})\n"
    with suppress(OSError):
        sys.stderr.write(message)
        sys.stderr.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
