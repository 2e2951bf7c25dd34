"""Tests whether a text has given words in their order, with a little room around some of them.

A regular expression could do it, but takes hours over a text that nearly matches: each resource of a result adds two
more stretches of any length to try. This looks at each place of the text once for each step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

Places = list[tuple[int, int]]
"""Stretches of places in a text, each from its first to its last, in order and apart."""


@dataclass(frozen=True, slots=True)
class TextForms:
    """One of some ``forms`` with at most ``room`` characters around it; it may be absent if ``optional``."""

    forms: tuple[str, ...]
    room: int = 0
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Room:
    """Any text of at most ``max_characters``."""

    max_characters: int


def says_in_order(text: str, steps: Iterable[TextForms | Room]) -> bool:
    """Whether a text consists of these steps in order, with or without white space between any two.

    White space in the text is single spaces.
    """
    places: Places = [(0, 0)]
    for step in steps:
        places = _skip_blanks(text, places)
        if isinstance(step, Room):
            places = _widen(text, places, step.max_characters)
            continue
        ends = ((end, end) for end in _form_ends(text, step.forms, _widen(text, places, step.room)))
        spans = _widen(text, _merge_stretches(ends), step.room)
        places = _merge_stretches([*places, *spans]) if step.optional else spans
    return any(last == len(text) for _, last in places)


def _widen(text: str, places: Places, room: int) -> Places:
    """The places, and those up to ``room`` characters after them."""
    return _merge_stretches((first, min(last + room, len(text))) for first, last in places)


def _form_ends(text: str, forms: Sequence[str], places: Places) -> Iterator[int]:
    """The places after each form that begins at one of the places."""
    for form in forms:
        for first, last in places:
            at = text.find(form, first, last + len(form))
            while at >= 0:
                yield at + len(form)
                at = text.find(form, at + 1, last + len(form))


def _skip_blanks(text: str, places: Places) -> Places:
    """The places, and those after white space there."""
    return _merge_stretches((first, last + text.startswith(" ", last)) for first, last in places)


def _merge_stretches(places: Iterable[tuple[int, int]]) -> Places:
    """The stretches in order, with those that touch merged."""
    spans: Places = []
    for first, last in sorted(places):
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return spans
