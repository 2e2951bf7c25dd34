"""Finds changes of the corpus during a run, which reads its files when it needs them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_CASES_FOLDER = "scenarios"
"""Not watched: cases are read before anything is translated."""


class CorpusState:
    """The sizes and times of the corpus's files, except its cases, when this object was made."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._initial_stats = self._stat_files()

    def describe_change(self) -> str | None:
        """Say which files have changed, appeared or disappeared since; None if none."""
        current = self._stat_files()
        paths = sorted({path for path, _ in self._initial_stats.items() ^ current.items()})
        if not paths:
            return None
        more = f" and {len(paths) - 1} more" if paths[1:] else ""
        return (
            f"the corpus changed during the run ({paths[0]}{more}): its verdicts may rest on either state; find "
            "the program that writes there (the translator?), restore the files and run again"
        )

    def _stat_files(self) -> Mapping[str, tuple[int, int]]:
        return dict(_files(self._root)) if self._root.is_dir() else {}


def _files(folder: Path, depth: int = 0) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each file with its size in bytes and its time of change in nanoseconds."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if depth or entry.name != _CASES_FOLDER:
                    yield from _files(Path(entry.path), depth + 1)
            else:
                stats = entry.stat()
                yield entry.path, (stats.st_size, stats.st_mtime_ns)
