"""Replies that stand side by side in one body: each has a number of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import join


def numbered_twice(entries: Any, pointer: str) -> Iterator[tuple[str, int]]:
    """Entries of a list that have the ``index`` of one before them, each with that number; none, or null, is 0."""
    indexes: set[int] = set()
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        index = 0 if entry.get("index") is None else entry["index"]
        if isinstance(index, int) and index in indexes:
            yield join(pointer, place), index
        indexes.add(index if isinstance(index, int) else -1)
