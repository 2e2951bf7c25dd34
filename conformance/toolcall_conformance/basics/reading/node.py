"""A tolerant cursor over JSON: never raises, and keeps its pointer and the keys that were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.model import Residue

Spellings = Callable[[str], tuple[str, ...]]
_NO_KEYS: set[str] = set()
"""Shared by all nodes that are no objects, which are most; nothing is ever added."""


class Node:
    """A JSON value with its pointer.

    Reading a key marks it as read; ``ignore`` marks keys as known; ``close`` hands over the keys that are left.
    ``spellings`` gives the accepted spellings of a key, the canonical one first; without it a key has but one.
    """

    __slots__ = ("_seen", "_spellings", "pointer", "value")

    def __init__(self, value: Any, pointer: str = "", spellings: Spellings | None = None) -> None:
        self.value = value
        self.pointer = pointer
        self._spellings = spellings
        self._seen: set[str] = set() if isinstance(value, dict) else _NO_KEYS

    def __contains__(self, key: str) -> bool:
        return self.spelling_of(key) is not None

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    @property
    def has_more(self) -> bool:
        """Whether this is an object with keys that were neither read nor ignored."""
        return isinstance(self.value, dict) and len(self._seen) < len(self.value)

    def spelling_of(self, key: str) -> str | None:
        """The accepted spelling of ``key`` that this object has; None if it has none."""
        value = self.value
        if isinstance(value, dict):
            if key in value:
                return key
            if self._spellings is not None:
                for spelling in self._spellings(key):
                    if spelling in value:
                        return spelling
        return None

    def child(self, key: str) -> Node:
        """The member ``key``; for an absent one a node with the value None and this node's own pointer."""
        value = self.value
        spelling = key if isinstance(value, dict) and key in value else self.spelling_of(key)
        if spelling is None:
            return Node(None, self.pointer, self._spellings)
        self._seen.add(spelling)
        plain = spelling.isidentifier()  # then nothing in it is to be escaped
        pointer = f"{self.pointer}/{spelling}" if plain else join(self.pointer, spelling)
        return Node(value[spelling], pointer, self._spellings)

    def get(self, key: str) -> Any:
        """The member's value, None if absent."""
        value = self.value
        spelling = key if isinstance(value, dict) and key in value else self.spelling_of(key)
        if spelling is None:
            return None
        self._seen.add(spelling)
        return value[spelling]

    def text(self, key: str) -> str | None:
        """The member's value if it is a string."""
        value = self.get(key)
        return value if isinstance(value, str) else None

    def flag(self, key: str) -> bool | None:
        """The member's value if it is true or false."""
        value = self.get(key)
        return value if isinstance(value, bool) else None

    def count(self, key: str) -> int | None:
        """The member's value if it is a whole number."""
        value = self.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def each(self) -> Iterator[Node]:
        """The entries, if this is an array."""
        if isinstance(self.value, list):
            for index, entry in enumerate(self.value):
                yield Node(entry, f"{self.pointer}/{index}", self._spellings)

    def ignore(self, *keys: str) -> None:
        """Mark keys as known, so that they are no residue."""
        if not self.has_more:
            return
        if self._spellings is None:
            self._seen.update(self.value.keys() & keys)
            return
        for key in keys:
            spelling = self.spelling_of(key)
            if spelling is not None:
                self._seen.add(spelling)

    def close(self, residue: list[Residue]) -> None:
        """Add every key that was neither read nor ignored to ``residue``."""
        if self.has_more:
            for key, value in self.value.items():
                if key not in self._seen:
                    residue.append(Residue(key, join(self.pointer, key), value))
