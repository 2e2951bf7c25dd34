"""Which of many places are played today, or of many things checked: a number that is printed, and repeats a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TypeVar
from zlib import crc32

VARIABLE = "TOOLCALL_DAY"
PLACES = 3
"""So many places of a double are played, beside that of its verdict."""
Element = TypeVar("Element")


@cache
def today() -> int:
    """The number in ``TOOLCALL_DAY``, else that of the date (UTC). Raises ValueError for what is no number."""
    told = os.environ.get(VARIABLE, "")
    if not told:
        return datetime.now(UTC).date().toordinal()
    if not told.isdecimal():
        raise ValueError(f"{VARIABLE} is {told!r}; give a whole number, such as the one that a failing test prints")
    return int(told)


def turned(elements: Sequence[Element], number: int) -> list[Element]:
    """The elements, beginning with another one for each number."""
    start = number % len(elements) if elements else 0
    return [*elements[start:], *elements[:start]]


def share(elements: Sequence[Element], parts: int, number: int) -> list[Element]:
    """One of so many parts of the elements, in their order; in as many days each is in one, and none is empty."""
    parts = max(1, min(parts, len(elements)))
    return [element for place, element in enumerate(elements) if (place + number) % parts == 0]


def number_of(name: str, day: int) -> int:
    """The number of a day for one double, so that not all doubles begin at the same place."""
    return day + crc32(name.encode())
