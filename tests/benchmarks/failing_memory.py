"""What failing items leave behind: MB that the process of pytest grows by for 1,000 of them.

``python tests benchmarks.failing_memory`` runs 2,000 items of an ``exec:`` child that answers wrongly, and prints the
memory of pytest's process after 100, 1,000 and 2,000 of them; ``--in-process`` takes a Python translator.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.failing import Some, child, failing

MARKS = (100, 1_000, 2_000)
"""Behind so many items; what is loaded and cached on first use is there behind the first."""


def resident() -> float:
    """The memory of this process in MB; On Linux alone."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Watched(Some):
    """Notes the memory after each mark."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.ran, self.megabytes = 0, dict.fromkeys(MARKS, 0.0)

    def pytest_runtest_logfinish(self) -> None:
        self.ran += 1
        if self.ran in self.megabytes:
            gc.collect()
            self.megabytes[self.ran] = resident()


def main(arguments: Sequence[str]) -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(
        prog="python tests benchmarks.failing_memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--in-process", action="store_true", help="a Python translator instead of a child")
    spec = "benchmarks.failing:Wrong" if parser.parse_args(arguments).in_process else child()
    watched = Watched(MARKS[-1])
    with tempfile.TemporaryDirectory() as folder:
        failing(spec, watched)(MARKS[-1], Path(folder))()
    first, *others = MARKS
    print(f"{first:6} items{watched.megabytes[first]:8.1f} MB")
    before = first
    for mark in others:
        grown = (watched.megabytes[mark] - watched.megabytes[before]) / (mark - before) * 1_000
        print(f"{mark:6} items{watched.megabytes[mark]:8.1f} MB{grown:8.1f} MB per 1,000 items")
        before = mark
    print(f"{watched.failed} items failed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
