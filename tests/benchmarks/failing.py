"""Runs in which every item fails, of a translator and of an ``exec:`` child: what the runner keeps of failing items.

``python tests benchmarks.failing`` is the child.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SURPRISE = "A text that nobody asked for. " * 30
CHECKS = ("::request::", "::response::")


class Wrong:
    """Answers with what it was given, and more."""

    def open(self, _route: Any, /) -> Wrong:
        return self

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        return {**body, "surprise": SURPRISE}

    response = request


class Some:
    """The plugin that leaves so many items of a run, and counts those that fail."""

    def __init__(self, size: int) -> None:
        self._size, self.failed = size, 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if any(check in item.nodeid for check in CHECKS)][: self._size]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.when == "call" and report.failed


def failing(spec: str, plugin: Some | None = None) -> Callable[[int, Path], Callable[[], object]]:
    """Work of a run in a folder, of as many items as its size says; almost all of them fail."""

    def make(size: int, folder: Path) -> Callable[[], object]:
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", f"--rootdir={folder}"]

        def work() -> object:
            some = plugin or Some(size)
            with contextlib.chdir(folder), contextlib.redirect_stdout(sys.stderr):
                pytest.main([*options, "--toolcall-translator", spec, "toolcall::"], plugins=[some])
            assert some.failed > size / 2
            return some.failed

        return work

    return make


def child() -> str:
    """How the child is named to ``--toolcall-translator``."""
    return f"exec:{sys.executable} {Path(__file__).resolve()}"


def main() -> None:
    """Answer questions until there are no more."""
    for line in sys.stdin:
        question = json.loads(line)
        answer: dict[str, Any] = {"seq": question["seq"]}
        match question["op"]:
            case "hello":
                answer |= {"protocol": 1, "name": "wrong"}
            case "open":
                answer |= {"operations": ["request", "response"]}
            case "request" | "response":
                answer |= {"body": Wrong().request(question["body"])}
            case "close":
                pass
            case other:
                answer |= {"unsupported": other}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
