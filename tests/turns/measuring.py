"""What CPU time each test takes, with the processes that it starts; on a busy machine the clock says little."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest


class Measuring:
    """Writes one line for each test as soon as it ends: ``{"id", "seconds", "setup", "daily"}``."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.setup = 0.0

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        start = cpu_seconds()
        self.setup = 0.0
        done = yield
        row = {
            "id": item.nodeid,
            "seconds": round(cpu_seconds() - start, 2),
            "setup": round(self.setup, 2),
            "daily": item.get_closest_marker("daily") is not None,
        }
        with self.target.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(row)}\n")
        return done

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Generator[None, None, None]:
        start = cpu_seconds()
        try:
            yield
        finally:
            self.setup = cpu_seconds() - start


def cpu_seconds() -> float:
    """The CPU seconds of this process, of its children that ended, and, on Linux, of those that go on."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system + sum(_living_children_seconds())


def _living_children_seconds() -> Iterator[float]:
    left = _children("self")
    while left:
        number = left.pop()
        try:
            fields = Path("/proc", number, "stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
        except OSError:  # it ended, and counts with its parent
            continue
        yield sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        left += _children(number)


def _children(number: str) -> list[str]:
    numbers = []
    for path in Path("/proc", number, "task").glob("*/children"):
        try:
            numbers += path.read_text(encoding="utf-8").split()
        except OSError:
            continue
    return numbers
