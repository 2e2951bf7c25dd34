"""The items of a run, found by patterns: only those that begin as the pattern does are held against it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import takewhile

from toolcall_conformance.reports.known_failures.entries import ItemPattern, plain_id


class Items:
    """The ids of items, without ``toolcall::``."""

    def __init__(self, nodeids: Iterable[str]) -> None:
        self._ids = frozenset(map(plain_id, nodeids))
        self._sorted = sorted(self._ids)

    @property
    def ids(self) -> frozenset[str]:
        """All of them."""
        return self._ids

    def matching(self, pattern: ItemPattern) -> list[str]:
        """The items that a pattern matches, sorted."""
        if len(pattern.parts) > 1:
            return sorted({nodeid for part in pattern.parts for nodeid in self.matching(part)})
        if pattern.is_one_item:
            return [pattern.plain] if pattern.plain in self._ids else []
        first = bisect_left(self._sorted, pattern.beginning)
        nodeids = map(self._sorted.__getitem__, range(first, len(self._sorted)))
        near = takewhile(lambda nodeid: nodeid.startswith(pattern.beginning), nodeids)
        return [nodeid for nodeid in near if pattern.matches(nodeid)]
