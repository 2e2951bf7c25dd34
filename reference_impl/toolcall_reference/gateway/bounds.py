"""What a provider may send before the gateway gives up: bytes of a whole reply, and of one event of a stream."""

from __future__ import annotations

import re

import aiohttp

_BLANK = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_TAIL = 3


class TooLargeError(Exception):
    """A provider sent more than the gateway holds; the text says of what, and how much that is."""


async def whole(reply: aiohttp.ClientResponse, most: int) -> bytes:
    """A reply's content, unpacked. Raises TooLargeError at its first byte too many, and what reading raises."""
    pieces, length = [], 0
    async for piece in reply.content.iter_any():
        length += len(piece)
        if length > most:
            reply.close()
            raise TooLargeError(f"a reply of more than {most:,} bytes")
        pieces.append(piece)
    return b"".join(pieces)


class EventBound:
    """Watches a stream for an event that does not end."""

    def __init__(self, most: int) -> None:
        self._most, self._length, self._tail = most, 0, b""

    def passes(self, chunk: bytes) -> None:
        """Count a chunk. Raises TooLargeError where an event is too long with it."""
        data = self._tail + chunk
        ends = [match.end() for match in _BLANK.finditer(data)]
        begins = [0, *ends]
        # What stands between two blank lines counts, with what came of the first event before this chunk.
        lengths = [stop - start for start, stop in zip(begins, [*ends, len(data)], strict=True)]
        lengths[0] += self._length - len(self._tail)
        if max(lengths) > self._most:
            raise TooLargeError(f"an event of more than {self._most:,} bytes")
        self._length = lengths[-1]
        self._tail = data[max(len(data) - _TAIL, begins[-1]) :]
