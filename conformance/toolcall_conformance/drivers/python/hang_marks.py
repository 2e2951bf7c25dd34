"""Marks in shared memory when the current call of the translator counts as hung, for a process outside.

A call of C may hold the interpreter's lock: then nothing in this process runs any more, no thread and no signal
handler. So each call writes its deadline into shared memory. ``engine.ending.watchdog`` starts the process that reads
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

# A call hangs after its time limit times this factor, plus these seconds: long after the alarm.
LIMIT_FACTOR, EXTRA_SECONDS = 3.0, 2.0

_cells: list[memoryview[float]] = []


def set_deadline_cell(cell: memoryview[float] | None) -> None:
    """Write deadlines into ``cell`` from now on: one double, the monotonic time, or zero outside of calls."""
    _cells[:] = [cell] if cell is not None else []


if TYPE_CHECKING:
    PreviousMark = tuple[memoryview[float], float] | None


def mark_call(now: float, timeout: float) -> PreviousMark:
    """Write the deadline of a call that is limited to ``timeout`` seconds; returns the argument of ``restore_mark``.

    ``now`` is the monotonic time.
    """
    if not _cells:
        return None
    cell = _cells[0]
    before = cell[0]
    cell[0] = now + LIMIT_FACTOR * timeout + EXTRA_SECONDS
    return cell, before


def restore_mark(previous: PreviousMark) -> None:
    """Write the deadline that was there before a call."""
    if previous is not None:
        cell, before = previous
        cell[0] = before
