"""Similar names of tools: take the first name that is similar to another one.

Similar is a name with a prefix, a suffix, an exchanged character, a cut or a hash. A translator that renames one tool
renames hundreds, so names are not compared each with each: they are looked up by what makes them similar.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

# Up to so many are compared one by one, which is quicker than a table. Nearly all bodies have no more.
_FEW = 8
_END = b"\n"  # no name has one here: only letters and digits count


def are_similar(left: str | None, right: str | None, enough: int) -> bool:
    """Whether one name is in the other, or their first ``enough`` letters and digits are the same."""
    return (
        bool(left)
        and bool(right)
        and _are_letters_similar(letters_and_digits(left or ""), letters_and_digits(right or ""), enough)
    )


def _are_letters_similar(left: str, right: str, enough: int) -> bool:
    if not left or not right:
        return False
    return left in right or right in left or (min(len(left), len(right)) >= enough and left[:enough] == right[:enough])


@lru_cache(4096)
def letters_and_digits(name: str) -> str:
    """Return the letters and digits of a name in lower case: what other notations of the name have in common."""
    return "".join(char for char in name if char.isalnum()).lower()


class SimilarNames:
    """Names in an order; each can be taken once. ``enough`` is as in ``are_similar``."""

    def __init__(self, names: Sequence[str | None], enough: int) -> None:
        numbered_letters = ((at, letters_and_digits(name or "")) for at, name in enumerate(names))
        self._remaining = {at: text for at, text in numbered_letters if text}
        self._enough = enough
        self._table: _Table | None = None

    def take(self, name: str | None) -> int | None:
        """Take the first name that is similar to ``name``. Returns its index, or None."""
        letters = letters_and_digits(name or "")
        if not letters:
            return None
        if len(self._remaining) > _FEW:
            self._table = self._table or _Table(self._remaining, self._enough)
            place = self._table.first_similar(letters)
        else:
            places = (at for at, other in self._remaining.items() if _are_letters_similar(letters, other, self._enough))
            place = next(places, None)
        if place is not None:
            text = self._remaining.pop(place)
            if self._table is not None:
                self._table.remove(place, text)
        return place


class _Table:
    """An index of names by what they contain, what contains them, and how they begin."""

    def __init__(self, texts: dict[int, str], enough: int) -> None:
        self._enough = enough
        self._places = list(texts)
        encoded = [text.encode() for text in texts.values()]
        self._all = bytearray(_END.join(encoded))  # taken names are overwritten in it
        self._starts = list(accumulate((len(text) + 1 for text in encoded[:-1]), initial=0))
        self._by_text: dict[str, deque[int]] = {}
        self._by_beginning: dict[str, deque[int]] = {}
        for place, text in texts.items():
            self._by_text.setdefault(text, deque()).append(place)
            if len(text) >= enough:
                self._by_beginning.setdefault(text[:enough], deque()).append(place)
        self._lengths = sorted({len(text) for text in texts.values()})

    def first_similar(self, letters: str) -> int | None:
        """Return the first remaining place of a similar text, or None."""
        candidates = [self._first_containing(letters), *self._first_places_contained(letters)]
        if len(letters) >= self._enough and (numbers := self._by_beginning.get(letters[: self._enough])):
            candidates.append(numbers[0])
        return min((place for place in candidates if place is not None), default=None)

    def remove(self, place: int, text: str) -> None:
        """Remove a place."""
        start = self._starts[bisect_right(self._places, place) - 1]
        end = start + len(text.encode())
        self._all[start:end] = _END * (end - start)
        self._by_text[text].remove(place)
        if not self._by_text[text]:
            del self._by_text[text]
        if len(text) >= self._enough:
            self._by_beginning[text[: self._enough]].remove(place)

    def _first_containing(self, letters: str) -> int | None:
        """Return the first place of a text that contains the letters: one search in C, quick even for thousands."""
        at = self._all.find(letters.encode())
        return None if at < 0 else self._places[bisect_right(self._starts, at) - 1]

    def _first_places_contained(self, letters: str) -> Iterator[int]:
        """Return the first places of all texts that the letters contain."""
        lengths = self._lengths[: bisect_right(self._lengths, len(letters))]
        if len(lengths) * len(letters) <= len(self._by_text):
            parts = {letters[at : at + size] for size in lengths for at in range(len(letters) - size + 1)}
            texts: Iterator[str] = (part for part in parts if part in self._by_text)
        else:  # long names of many lengths have more parts than there are texts
            texts = (text for text in self._by_text if text in letters)
        return (self._by_text[text][0] for text in texts)
