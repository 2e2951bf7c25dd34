"""Whether a secret is scattered over a text: its characters in order, with something else between its pieces.

Nothing here knows what a stream, an event or markup is. Only letters and digits count, in either case, so that quotes,
colours and marks of no width between two of them hide nothing. Three quarters of a secret, in a row, are enough. They
may be scattered in three ways:

- in pieces of four or more, little between them: one value in two lines, a sentence's emphasis amid a word. A short
  secret must stand in a row, for its pieces are words as often as not: `test`, `1234`;
- in pieces of any size, always the same between them: what a frame repeats;
- in pieces that are whole values of one name, few others of that name between them: what clients join.

Words are no secret in this sense, for prose is made of them: a secret needs letters and digits. ``joined`` gives values
of one name as one text, for a search that takes words and spellings as well.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Iterator

_CUT = 0.75
_PIECE = 4
_GAP = 80
"""The most letters and digits between two pieces of a few characters."""
_FRAME = 600
"""The same where the text between is always equal; a Responses event has some 200."""
_OTHERS = 3
"""The most values of other blocks between two of a block."""
_SHORTEST, _LONG, _LONGEST_NUMBER = 8, 16, 12
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)


def is_scattered(secret: str, text: str) -> bool:
    """Whether a text holds a secret in pieces of four or more, with little between them."""
    key, needed = _key(secret)
    return needed > 0 and _in_pieces(key, _letters(text), needed, _GAP if len(key) >= _LONG else 0)


def is_spread(secret: str, text: str) -> bool:
    """Whether a whole body holds one in the other two ways."""
    key, needed = _key(secret)
    return needed > 0 and (_in_frames(key, _letters(text), needed) or _in_values(key, text, needed))


def _key(secret: str) -> tuple[str, int]:
    """What counts of a secret, and how much of that is as bad as all; 0 for words and short numbers."""
    key = _letters(secret)
    if len(key) < _SHORTEST or key.isalpha() or (key.isdigit() and len(key) < _LONGEST_NUMBER):
        return key, 0
    needed = max(_SHORTEST, math.ceil(len(key) * _CUT))
    # A part that is a word, as in `password1`, does not identify the rest.
    while any(key[at : at + needed].isalpha() for at in range(len(key) - needed + 1)):
        needed += 1
    return key, needed


def joined_values(text: str) -> Iterator[str]:
    """The values of each name, in a row: all of them, and every second to fourth as where blocks alternate."""
    for values in _values(text).values():
        for step in range(1, min(len(values), _OTHERS + 1)):
            for start in range(step):
                yield "".join(values[start::step])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _places(piece: str, text: str, start: int = 0, stop: int | None = None) -> Iterator[int]:
    at = text.find(piece, start, stop)
    while at >= 0:
        yield at
        at = text.find(piece, at + 1, stop)


def _common(key: str, key_index: int, text: str, place: int) -> int:
    """How many characters of the key, from ``key_index``, are at a place of the text."""
    most = min(len(key) - key_index, len(text) - place)
    return next((count for count in range(most) if key[key_index + count] != text[place + count]), most)


def _in_pieces(key: str, text: str, needed: int, gap: int) -> bool:
    """In pieces of four or more, with so much between them at most."""
    places = {at: list(_places(key[at : at + _PIECE], text)) for at in range(len(key) - _PIECE + 1)}
    # How much of the key each place of a piece completes in a row.
    before: dict[tuple[int, int], int] = {}
    for at in range(len(key) - _PIECE + 1):
        for place in places[at]:
            length_before = before.get((at, place), 0)
            length = _common(key, at, text, place)
            if length_before + length >= needed:
                return True
            for count in range(_PIECE, length + 1):
                for following in places.get(at + count, ()):
                    if 0 <= following - (place + count) <= gap:
                        spot = (at + count, following)
                        before[spot] = max(before.get(spot, 0), length_before + count)
            rest = len(key) - at - length
            if length_before + length + rest >= needed and 0 < rest < _PIECE:
                end = text.find(key[-rest:], place + length, place + length + rest + _PIECE)
                if end >= 0:
                    return True
    return False


def _in_frames(key: str, text: str, needed: int) -> bool:
    """From its beginning in pieces of any size, with the same between them."""
    for place in _places(key[0], text):
        length = _common(key, 0, text, place)
        if length >= _PIECE:
            continue  # larger pieces are found above
        for count in range(1, length + 1):
            start = place + count
            # A frame begins anew after the second piece.
            for again in _places(text[start : start + _PIECE], text, start + _PIECE, start + _FRAME):
                for following in range(max(again - _PIECE, start + _PIECE), again):
                    goes_on = text[following] == key[count]
                    if goes_on and _continues(key[count:], text, following, text[start:following], needed - count):
                        return True
    return False


def _continues(key: str, text: str, place: int, frame: str, needed: int) -> bool:
    """Whether so much of a key is at a place, with the same frame between its pieces."""
    for count, letter in enumerate(key):
        if count >= needed:
            return True
        if count and text.startswith(frame, place):
            place += len(frame)
        if not text.startswith(letter, place):
            return False
        place += 1
    return len(key) >= needed


def _in_values(key: str, text: str, needed: int) -> bool:
    """In values of one name, few others between them."""
    return any(_in_row(key, list(map(_letters, values)), needed) for values in _values(text).values())


def _values(text: str) -> dict[str, list[str]]:
    """The values of each name that has several."""
    values: dict[str, list[str]] = {}
    for name, value in _VALUE.findall(text):
        values.setdefault(name, []).append(_unescape(value))
    return {name: several for name, several in values.items() if len(several) > 1}


def _in_row(key: str, values: list[str], needed: int) -> bool:
    # Where the key may continue, and how much of it precedes, for each of the last few values.
    backwards = key[::-1]
    recent: deque[dict[int, int]] = deque(maxlen=_OTHERS + 1)
    for value in filter(None, values):
        reached: dict[int, int] = {}
        for at, length_before in [(at, length_before) for spots in recent for at, length_before in spots.items()]:
            length = _common(key, at, value, 0)
            if length_before + length >= needed:
                return True
            if length == len(value):
                reached[at + length] = max(reached.get(at + length, 0), length_before + length)
        # It begins at the end of a value.
        for end in _places(value[-1], key):
            length_before = _common(backwards, len(key) - 1 - end, value[::-1], 0)
            if end + 1 - length_before <= len(key) - needed:
                reached[end + 1] = max(reached.get(end + 1, 0), length_before)
        recent.append(reached)
    return False


def _unescape(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value
