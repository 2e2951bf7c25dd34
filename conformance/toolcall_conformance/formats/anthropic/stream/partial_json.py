"""Parses JSON that was cut off, as the official SDK parses the arguments of a call that is still streamed.

The SDK's parser drops what is not whole: a text or number that was cut, a key without a value
(``from_json(…, partial_mode=True)`` in
https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/streaming/_messages.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

#: The beginning of a JSON text never ends with more incomplete parts than this.
_MAX_TRIES = 6


def parse_beginning(text: str) -> Any:
    """Return the value that ``text`` begins with, or is the beginning of; ``text`` itself if it is neither."""
    try:
        return _DECODER.raw_decode(text.lstrip(_WHITE_SPACE))[0]
    except (ValueError, RecursionError):
        pass
    for _, closed in zip(range(_MAX_TRIES), _closed_beginnings(text), strict=False):
        try:
            return _DECODER.decode(closed)
        except (ValueError, RecursionError):
            continue
    return text


def _closed_beginnings(text: str) -> Iterator[str]:
    """Yield ``text`` up to each place where a value may end, with its brackets closed; the longest first."""
    places: list[tuple[int, str]] = []
    closers, in_text, escaped = "", False, False
    for place, letter in enumerate(text):
        if in_text:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_text = False
                places.append((place + 1, closers))
        elif letter == '"':
            in_text = True
        elif letter in "{[":
            closers = ("}" if letter == "{" else "]") + closers
            places.append((place + 1, closers))
        elif letter in "}]":
            closers = closers[1:]
            places.append((place + 1, closers))
        elif letter == ",":
            places.append((place, closers))
    if closers and not in_text:
        places.append((len(text), closers))
    return (text[:place] + closing for place, closing in reversed(places) if closing)


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _parse_integer(digits: str) -> float:
    try:
        return int(digits)
    except ValueError:  # more digits than Python reads
        return float(digits)


_WHITE_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_parse_integer)
