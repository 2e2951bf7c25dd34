"""Says to a process outside when a call of the translator stands still.

A call of C may hold the interpreter's lock: then nothing in this process runs any more, no thread and no handler of a
signal. So each call writes into shared memory until when it is to return; ``engine.ending.watchdog`` starts
the process that looks there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# A call stands still after three times its limit, and these seconds. The alarm has then rung for long.
LIMIT_FACTOR, EXTRA_SECONDS = 3.0, 2.0

_cells: list[memoryview[float]] = []


def set_deadline_cell(cell: memoryview[float] | None) -> None:
    """From now on write into ``cell``, one double: the monotonic time at which the call stands still, or zero."""
    _cells[:] = [cell] if cell is not None else []


if TYPE_CHECKING:
    PreviousMark = tuple[memoryview[float], float] | None


def mark_call(now: float, seconds: float) -> PreviousMark:
    """Say that a call is played that is limited to ``seconds``; returns what ``show_again`` needs behind it.

    ``now`` is the monotonic time.
    """
    if not _cells:
        return None
    cell = _cells[0]
    before = cell[0]
    cell[0] = now + LIMIT_FACTOR * seconds + EXTRA_SECONDS
    return cell, before


def restore_mark(previous: PreviousMark) -> None:
    """Say what was said before a call."""
    if previous is not None:
        cell, before = previous
        cell[0] = before
