"""A store of limited size for what sessions remember between exchanges; the least recently used values go first.

A single session has a store of its own. A program that serves many clients gives all its sessions shelves of one store.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from typing import Any

from toolcall_reference.basics.jsontext import dump

# The approximate overhead of an entry in addition to its key and value.
_ENTRY_OVERHEAD = 200


class Store:
    """Values by key. ``limit`` is the maximum size of all values together, in bytes of JSON text; None for no limit."""

    def __init__(self, limit: int | None = None) -> None:
        self.size = 0
        self._limit = limit
        self._entries: OrderedDict[tuple[str, ...], tuple[Any, int]] = OrderedDict()
        self._counts: defaultdict[tuple[str, ...], int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: tuple[str, ...]) -> Any:
        """The value of ``key``, marked as just used; None if there is none."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: tuple[str, ...], value: Any, size: int) -> None:
        """Store ``value`` and evict others until the total fits; a value over the limit is not stored."""
        if key in self._entries:
            self._drop(key)
        if self._limit is not None and size > self._limit:
            return
        self.size += size
        self._counts[key[:-1]] += 1
        self._entries[key] = value, size
        while self._limit is not None and self.size > self._limit:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: tuple[str, ...]) -> None:
        self.size -= self._entries.pop(key)[1]
        self._counts[key[:-1]] -= 1
        if not self._counts[key[:-1]]:
            del self._counts[key[:-1]]

    def count(self, shelf_name: tuple[str, ...]) -> int:
        """The number of values on the shelf ``shelf_name``."""
        return self._counts.get(shelf_name, 0)

    def shelf(self, *shelf_name: str) -> Shelf:
        """The part of the store under ``shelf_name``, isolated from all others."""
        return Shelf(self, shelf_name)


class Shelf:
    """One part of a store, with its own keys."""

    def __init__(self, store: Store | None = None, shelf_name: tuple[str, ...] = ()) -> None:
        self._store = Store() if store is None else store
        self._name = shelf_name

    def __len__(self) -> int:
        return self._store.count(self._name)

    def get(self, key: str) -> Any:
        """The value of ``key``; None if there is none."""
        return self._store.get((*self._name, key))

    def put(self, key: str, value: Any, json_form: Any) -> None:
        """Store ``value``. Its size is that of the JSON value ``json_form``."""
        size = _ENTRY_OVERHEAD + len(key) + sum(map(len, self._name)) + len(dump(json_form))
        self._store.put((*self._name, key), value, size)
