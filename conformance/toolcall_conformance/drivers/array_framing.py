"""A stream of events as a JSON array of their data, for APIs that stream so to those who do not ask for events.

Each piece stays a piece that is cut at the same place: what cuts the data of an event cuts the array's element.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BLANK_LINE = re.compile(rb"(?<=\n)\r?\n|(?<=\r)\r|\Z")
_DATA = re.compile(rb"^data: ?(?P<value>[^\r\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of the stream, at ``start``, with the text before it in the array (``lead``)."""

    start: int
    lead: bytes
    data: bytes

    def slice_between(self, start: int, end: int) -> bytes:
        """The bytes of the array for the stream's bytes from ``start`` to ``end``."""
        lead = self.lead if start <= self.start < end else b""
        return lead + self.data[max(start - self.start, 0) : max(end - self.start, 0)]


def as_array(pieces: Sequence[bytes], framing: Mapping[str, Any], *, is_complete: bool) -> tuple[bytes, ...]:
    """Convert the pieces of a stream into pieces of an array. ``framing``: the texts around and between elements.

    ``is_complete``: the array is closed. Else it breaks off, perhaps inside an element.
    """
    values = list(_read_values(b"".join(pieces), framing))
    ends = [0, *itertools.accumulate(map(len, pieces))]
    array_pieces = [b"".join(value.slice_between(*piece) for value in values) for piece in itertools.pairwise(ends)]
    if is_complete:
        closing = ("" if values else str(framing["open"])) + str(framing["close"])
        array_pieces = [*array_pieces[:-1], b"".join(array_pieces[-1:]) + closing.encode()]
    return tuple(array_pieces)


def _read_values(stream: bytes, framing: Mapping[str, Any]) -> Iterator[_Value]:
    """The lines of data: the first of an event begins an element."""
    lead, start = str(framing["open"]).encode(), 0
    for end in (match.end() for match in _BLANK_LINE.finditer(stream)):
        for line in _DATA.finditer(stream, start, end):
            yield _Value(line.start("value"), lead, line["value"])
            lead = b"\n"
        if lead == b"\n":
            lead = str(framing["between"]).encode()
        start = end
