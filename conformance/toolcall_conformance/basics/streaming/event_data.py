"""Rewrites the data of a stream's events in place; line ends, comments and all other bytes stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_LINES = re.compile("[^\r\n]*(?:\r\n|\n|\r|$)")
_DATA = re.compile("\ufeff?data(?:: ?|$)")


@dataclass(frozen=True, slots=True)
class EventData:
    """The data of one event: its text, as a client joins it, and the span of each of its lines in the stream."""

    text: str
    spans: tuple[tuple[int, int], ...]


def is_data_line(line: str) -> bool:
    """Whether a line, without its line end, is one of an event's data."""
    return _DATA.match(line) is not None


def event_data(stream: str) -> Iterator[EventData]:
    """The data of each event, and of what follows the last blank line."""
    spans: list[tuple[int, int]] = []
    for line in _LINES.finditer(stream):
        end = line.start() + len(line[0].rstrip("\r\n"))
        if end > line.start():
            if match := _DATA.match(stream, line.start(), end):
                spans.append((match.end(), end))
            continue
        if spans:
            yield EventData("\n".join(stream[start:stop] for start, stop in spans), tuple(spans))
            spans = []


def replace_data(stream: str, changes: Iterable[tuple[EventData, str]]) -> str:
    """The stream with new data in some of its events; ``changes`` are in their order.

    An event keeps its number of lines: those that the new text does not fill become empty.
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
    changes = ((data, rewrite(data.text)) for data in event_data(text))
    return replace_data(text, changes).encode("utf-8", "surrogateescape")
