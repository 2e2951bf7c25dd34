"""Finds which of many places in a body enclose another one, or are inside it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from toolcall_conformance.basics.jsonvalue import enclosing_pointers


class PlacesByPointer:
    """Many pointers into one body; each is known by its number."""

    def __init__(self, pointers: Iterable[str]) -> None:
        self._numbers: dict[str, list[int]] = {}
        for number, pointer in enumerate(pointers):
            self._numbers.setdefault(pointer, []).append(number)
        # With the slash at the end, what is inside a place sorts right after it.
        self._sorted = sorted(f"{pointer}/" for pointer in self._numbers)
        self._known: dict[str, Sequence[int]] = {}

    def numbers_touching(self, pointer: str) -> Sequence[int]:
        """The numbers of the places that enclose ``pointer``, or are inside it, in order."""
        if pointer not in self._known:
            numbers = {number for place in enclosing_pointers(pointer) for number in self._numbers.get(place, ())}
            numbers.update(number for place in self._pointers_inside(pointer) for number in self._numbers[place])
            self._known[pointer] = sorted(numbers)
        return self._known[pointer]

    def _pointers_inside(self, pointer: str) -> Iterator[str]:
        start = f"{pointer}/"
        at = bisect_left(self._sorted, start)
        while at < len(self._sorted) and self._sorted[at].startswith(start):
            yield self._sorted[at][:-1]
            at += 1
