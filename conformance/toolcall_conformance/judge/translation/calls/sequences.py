"""What two lists of words have in common, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from toolcall_conformance.judge.translation.calls.chains import best_chain

SHORT = 500
"""Longer lists together are compared in another way: difflib's time grows with their product."""


def common(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The places of equal words that keep the order of both lists."""
    if left == right:  # so it is where nothing is wrong; difflib takes much longer to find it out
        return [(at, at) for at in range(len(left))]
    if len(left) + len(right) <= SHORT:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        return [(a + at, b + at) for a, b, size in blocks for at in range(size)]
    start, end = _ends(left, right)
    inner = _longest(left[start : len(left) - end], right[start : len(right) - end])
    return [
        *((at, at) for at in range(start)),
        *((start + left_offset, start + right_offset) for left_offset, right_offset in inner),
        *((len(left) - at, len(right) - at) for at in range(end, 0, -1)),
    ]


def stretches(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[bool, slice, slice]]:
    """Both lists from beginning to end, by what they have in common and what not: whether, and where in each."""
    low = (0, 0)
    for left_end, right_end in [*common(left, right), (len(left), len(right))]:
        if low != (left_end, right_end):
            yield False, slice(low[0], left_end), slice(low[1], right_end)
        if left_end < len(left) and right_end < len(right):
            yield True, slice(left_end, left_end + 1), slice(right_end, right_end + 1)
        low = (left_end + 1, right_end + 1)


def _ends(left: Sequence[str], right: Sequence[str]) -> tuple[int, int]:
    """How many words are equal at the beginning, and of the rest at the end."""
    size = min(len(left), len(right))
    start = next((at for at in range(size) if left[at] != right[at]), size)
    rest = size - start
    return start, next((at for at in range(rest) if left[-1 - at] != right[-1 - at]), rest)


def _longest(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The longest list of pairs in order. A word that comes again is paired with the one that came as often before."""
    places = _occurrences(right)
    chances = {at: {places[key]: 1} for key, at in _occurrences(left).items() if key in places}
    return best_chain(chances, len(right))


def _occurrences(words: Sequence[str]) -> dict[tuple[str, int], int]:
    """Where each word stands for the how-manieth time."""
    counts: dict[str, int] = {}
    occurrences: dict[tuple[str, int], int] = {}
    for at, word in enumerate(words):
        counts[word] = counts.get(word, 0) + 1
        occurrences[word, counts[word]] = at
    return occurrences
