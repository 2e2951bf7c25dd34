"""Says to a process outside when a call of the translator stands still.

A call of C may hold the interpreter's lock: then nothing in this process runs any more, no thread and no handler of a
signal. So each call writes into shared memory until when it is to return; ``engine.watchdog`` starts who looks there.
"""

from __future__ import annotations

import time

# A call stands still after three times its limit, and these seconds. The alarm has then rung for long.
SHARE, MORE_SECONDS = 3.0, 2.0

_cells: list[memoryview[float]] = []


def show_in(cell: memoryview[float] | None) -> None:
    """From now on write into ``cell``, one double: the monotonic time at which the call stands still, or zero."""
    _cells[:] = [cell] if cell is not None else []


class shown:  # noqa: N801 - a context manager, which contextlib would make three times as slow
    """Within this a call is played that is limited to ``seconds``."""

    __slots__ = ("_before", "_cell", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._cell = _cells[0] if _cells else None

    def __enter__(self) -> None:
        if self._cell is not None:
            self._before = self._cell[0]
            self._cell[0] = time.monotonic() + SHARE * self._seconds + MORE_SECONDS

    def __exit__(self, *_error: object) -> None:
        if self._cell is not None:
            self._cell[0] = self._before
