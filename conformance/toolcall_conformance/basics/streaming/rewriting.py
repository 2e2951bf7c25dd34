"""Rewrites the data of a stream's events in place; line ends, comments and all other bytes stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_LINES = re.compile("[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = re.compile("\ufeff?data(?:: ?|$)")


@dataclass(frozen=True, slots=True)
class Data:
    """The data of one event: its text, as a client joins it, and where each of its lines stands in the stream."""

    text: str
    spans: tuple[tuple[int, int], ...]


def is_data(line: str) -> bool:
    """Whether a line, without its end, is of an event's data."""
    return _DATA.match(line) is not None


def data_of(stream: str) -> Iterator[Data]:
    """The data of each event, and of what follows the last blank line."""
    spans: list[tuple[int, int]] = []
    for line in _LINES.finditer(stream):
        end = line.start() + len(line[0].rstrip("\r\n"))
        if end > line.start():
            if match := _DATA.match(stream, line.start(), end):
                spans.append((match.end(), end))
            continue
        if spans:
            yield Data("\n".join(stream[start:stop] for start, stop in spans), tuple(spans))
            spans = []


def with_data(stream: str, changes: Iterable[tuple[Data, str]]) -> str:
    """The stream with other data in some of its events, given in their order.

    An event keeps its lines: one that a change has no text for becomes empty.
    """
    output_pieces, done = [], 0
    for data, text in changes:
        lines = text.split("\n", len(data.spans) - 1)
        for (start, stop), line in zip(data.spans, lines + [""] * (len(data.spans) - len(lines)), strict=True):
            output_pieces += [stream[done:start], line]
            done = stop
    return "".join([*output_pieces, stream[done:]])


def rewrite_data(stream: bytes, rewrite: Callable[[str], str]) -> bytes:
    """Apply ``rewrite`` to the data of each event; it must keep the number of lines."""
    text = stream.decode("utf-8", "surrogateescape")  # bytes that are not UTF-8 stay as they are, too
    changes = ((data, rewrite(data.text)) for data in data_of(text))
    return with_data(text, changes).encode("utf-8", "surrogateescape")
