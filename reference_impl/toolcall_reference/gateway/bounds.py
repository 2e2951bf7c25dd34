"""Size limits of what a provider sends: a whole reply, and one event of a stream."""

from __future__ import annotations

import re

import aiohttp

_BLANK_LINE = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_TAIL_LENGTH = 3


class TooLargeError(Exception):
    """A provider sent more than the gateway accepts; the message says what, and the limit."""


async def read_content(reply: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    """Read a reply's decompressed content. Raises TooLargeError over ``max_bytes``, and what reading raises."""
    pieces, length = [], 0
    async for piece in reply.content.iter_any():
        length += len(piece)
        if length > max_bytes:
            reply.close()
            raise TooLargeError(f"a reply of more than {max_bytes:,} bytes")
        pieces.append(piece)
    return b"".join(pieces)


class EventBound:
    """Checks that no event of a stream is too large."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._length, self._tail = max_bytes, 0, b""

    def check(self, chunk: bytes) -> None:
        """Count a chunk. Raises TooLargeError if an event becomes too large."""
        data = self._tail + chunk
        ends = [match.end() for match in _BLANK_LINE.finditer(data)]
        begins = [0, *ends]
        # An event's length is the distance of two blank lines; the first one began in earlier chunks.
        lengths = [stop - start for start, stop in zip(begins, [*ends, len(data)], strict=True)]
        lengths[0] += self._length - len(self._tail)
        if max(lengths) > self._max_bytes:
            raise TooLargeError(f"an event of more than {self._max_bytes:,} bytes")
        self._length = lengths[-1]
        self._tail = data[max(len(data) - _TAIL_LENGTH, begins[-1]) :]
