"""What is kept between exchanges, in one place of limited size: what was used longest ago is dropped first.

A session of its own keeps what it needs as long as it lives. A program that serves many clients for months gives all
its sessions shelves of one store.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

from toolcall_reference.basics.jsontext import dump

# What a key and its place take beside the value, about.
_ENTRY = 200


class Store:
    """Values by key. ``limit`` is the most that all of them may take, as bytes of JSON text; None for no limit."""

    def __init__(self, limit: int | None = None) -> None:
        self.size = 0
        self._limit = limit
        self._kept: OrderedDict[tuple[str, ...], tuple[Any, int]] = OrderedDict()
        self._counts: defaultdict[tuple[str, ...], int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: tuple[str, ...]) -> Any:
        """The value, which counts as used now; None where nothing is kept."""
        entry = self._kept.get(key)
        if entry is None:
            return None
        self._kept.move_to_end(key)
        return entry[0]

    def put(self, key: tuple[str, ...], value: Any, size: int) -> None:
        """Keep ``value``, and drop others as long as all are too large together; what is so alone is not kept."""
        if key in self._kept:
            self._drop(key)
        if self._limit is not None and size > self._limit:
            return
        self.size += size
        self._counts[key[:-1]] += 1
        self._kept[key] = value, size
        while self._limit is not None and self.size > self._limit:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: tuple[str, ...]) -> None:
        self.size -= self._kept.pop(key)[1]
        self._counts[key[:-1]] -= 1
        if not self._counts[key[:-1]]:
            del self._counts[key[:-1]]

    def count(self, name: tuple[str, ...]) -> int:
        """How many values are kept on a shelf."""
        return self._counts.get(name, 0)

    def shelf(self, *name: str) -> Shelf:
        """The part of the store under ``name``, which sees nothing of the others."""
        return Shelf(self, name)


class Shelf:
    """One part of a store; what is in it has keys of its own."""

    def __init__(self, store: Store | None = None, name: tuple[str, ...] = ()) -> None:
        self._store = Store() if store is None else store
        self._name = name

    def __len__(self) -> int:
        return self._store.count(self._name)

    def get(self, key: str) -> Any:
        """The value of ``key``; None where nothing is kept."""
        return self._store.get((*self._name, key))

    def put(self, key: str, value: Any, source: Any) -> None:
        """Keep ``value``; the JSON value ``source`` is what is counted of it."""
        size = _ENTRY + len(key) + sum(map(len, self._name)) + len(dump(source))
        self._store.put((*self._name, key), value, size)
