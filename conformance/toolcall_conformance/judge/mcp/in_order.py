"""Whether a text says given words in their order, with a little room around some of them.

A regular expression would say the same, and take hours over a text that nearly does: with each resource of a result
there are two more stretches of any length to try. This looks at each place of the text once for each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

Places = list[tuple[int, int]]
"""Stretches of places in a text, each from its first to its last, in order and apart."""


@dataclass(frozen=True, slots=True)
class TextForms:
    """Any one of some ``forms`` with ``room`` characters around it at most; nothing at all if ``optional``."""

    forms: tuple[str, ...]
    room: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """Any text of at most so many characters."""

    most: int


def says_in_order(text: str, steps: Iterable[TextForms | Room]) -> bool:
    """Whether a text is these steps, one behind the other, with or without white space between any two.

    White space in the text is single spaces.
    """
    places: Places = [(0, 0)]
    for step in steps:
        places = _behind_blanks(text, places)
        if isinstance(step, Room):
            places = _wider(text, places, step.most)
            continue
        ends = ((end, end) for end in _ends(text, step.forms, _wider(text, places, step.room)))
        spans = _wider(text, _joined(ends), step.room)
        places = _joined([*places, *spans]) if step.optional else spans
    return any(last == len(text) for _, last in places)


def _wider(text: str, places: Places, room: int) -> Places:
    """The places, and those up to so many characters behind them."""
    return _joined((first, min(last + room, len(text))) for first, last in places)


def _ends(text: str, forms: Sequence[str], places: Places) -> Iterator[int]:
    """The places behind one of the words that begins at one of the places."""
    for form in forms:
        for first, last in places:
            at = text.find(form, first, last + len(form))
            while at >= 0:
                yield at + len(form)
                at = text.find(form, at + 1, last + len(form))


def _behind_blanks(text: str, places: Places) -> Places:
    """The places, and those behind white space that stands there."""
    return _joined((first, last + text.startswith(" ", last)) for first, last in places)


def _joined(places: Iterable[tuple[int, int]]) -> Places:
    """The stretches in order, those that touch as one."""
    spans: Places = []
    for first, last in sorted(places):
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans
