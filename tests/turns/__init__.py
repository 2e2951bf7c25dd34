"""What is run today: a number that is printed, and that repeats a run.

What costs much and differs little takes turns, another part of it each day. There are two kinds. A dear test waits for
its day of the week: ``costs.json`` says which one that is, ``hooks.py`` leaves out the others. And a test of many
things that are alike goes through a ``share`` of them.

Only a run of everything (``pytest``, ``pytest tests``) is of a day, or one that is given the number of a day:
``TOOLCALL_DAY=739947 pytest tests/plugin``. Who names a file, a test, ``-k`` or ``-m all_places`` gets all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

VARIABLE = "TOOLCALL_DAY"
TURNS = 7
"""So many days take all dear tests. It is a prime number: each of the days that a test is run on has another share."""
Element = TypeVar("Element")


@dataclass(frozen=True)
class Run:
    """A run of pytest: whether it goes through everything, whatever the day, and the day."""

    everything: bool
    day: int


_RUNS: list[Run] = []
"""The run that goes on; before it, those inside which it runs in this process."""


def given_day() -> int:
    """The number in ``TOOLCALL_DAY``, else that of the date (UTC). Raises ValueError for what is no number."""
    text = os.environ.get(VARIABLE, "")
    if not text:
        return datetime.now(UTC).date().toordinal()
    if not text.isdecimal():
        raise ValueError(f"{VARIABLE} is {text!r}; give a whole number, such as the one that a failing test prints")
    return int(text)


def begin(run: Run) -> None:
    """Go on as a run of pytest asks for, until ``end``."""
    _RUNS.append(run)


def end() -> None:
    """Be as it was before the last ``begin``."""
    _RUNS.pop()


def today() -> int:
    """The day of this run: midnight does not change it."""
    return _RUNS[-1].day if _RUNS else given_day()


def everything() -> bool:
    """Whether this run goes through everything, whatever the day."""
    return bool(_RUNS) and _RUNS[-1].everything


def rotate(elements: Sequence[Element], number: int) -> list[Element]:
    """The elements, beginning with another one for each number."""
    start = number % len(elements) if elements else 0
    return [*elements[start:], *elements[:start]]


def part_of(elements: Sequence[Element], parts: int, number: int) -> list[Element]:
    """One of so many parts of the elements, in their order; in as many days each is in one, and none is empty.

    A number of parts that a dear test would never see all of, on one day in ``TURNS``, is raised by one.
    """
    parts += parts % TURNS == 0
    parts = max(1, min(parts, len(elements)))
    parts -= parts % TURNS == 0
    return [element for place, element in enumerate(elements) if (place + number) % parts == 0]


def share(elements: Iterable[Element], parts: int, turn: int = 0) -> list[Element]:
    """Today's part of the elements, or all of them in a run of everything.

    Where the same elements are gone through several times, as for each format, another ``turn`` takes another part.
    """
    listed = [*elements]
    return listed if everything() else part_of(listed, parts, today() + turn)
