"""Says to a process outside when a call of the translator stands still.

A call of C may hold the interpreter's lock: then nothing in this process runs any more, no thread and no handler of a
signal. So each call writes into shared memory until when it is to return; ``engine.watchdog`` starts who looks there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

# A call stands still after three times its limit, and these seconds. The alarm has then rung for long.
SHARE, MORE_SECONDS = 3.0, 2.0

_cells: list[memoryview[float]] = []


def show_in(cell: memoryview[float] | None) -> None:
    """From now on write into ``cell``, one double: the monotonic time at which the call stands still, or zero."""
    _cells[:] = [cell] if cell is not None else []


@contextmanager
def shown(seconds: float) -> Iterator[None]:
    """Within this a call is played that is limited to ``seconds``."""
    if not _cells:
        yield
        return
    cell = _cells[0]
    before, cell[0] = cell[0], time.monotonic() + SHARE * seconds + MORE_SECONDS
    try:
        yield
    finally:
        cell[0] = before
