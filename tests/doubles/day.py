"""Which of many places are tried today: a number that is printed, and that repeats a run.

What costs much and differs little is tried in parts, another each day: the places of a double, and whatever a test
takes its ``share`` of. A test that fails with a share says with which number to repeat it.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TypeVar
from zlib import crc32

import pytest

VARIABLE = "TOOLCALL_DAY"
PLACES = 3
"""So many places of a double are played, beside that of its verdict."""
REST = 3
"""Of doubles that have a verdict, so many take turns at the other places."""
Element = TypeVar("Element")
_running = {"file": ""}
_sharing: set[str] = set()
"""The files of tests, that of the test under way and those whose tests took a share."""


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


def share(elements: Iterable[Element], parts: int, turn: int = 0) -> list[Element]:
    """Today's part of the elements: one of so many neighbours, so that as many days take them all.

    Where the same elements are gone through several times, as for each format, another ``turn`` takes another part.
    """
    _sharing.add(_running["file"])
    return [*elements][(today() + turn) % parts :: parts]


def part_of(elements: Sequence[Element], parts: int, number: int) -> list[Element]:
    """One of so many parts of the elements, in their order; in as many days each is in one, and none is empty."""
    parts = max(1, min(parts, len(elements)))
    return [element for place, element in enumerate(elements) if (place + number) % parts == 0]


def pytest_runtest_logstart(nodeid: str) -> None:
    _running["file"] = nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and item.nodeid.partition("::")[0] in _sharing:
        report.sections.append(("What is tried today", f"{VARIABLE}={today()} pytest '{item.nodeid}' repeats it"))
    return report


def number_of(name: str, day: int) -> int:
    """The number of a day for one double, so that not all doubles begin at the same place."""
    return day + crc32(name.encode())
