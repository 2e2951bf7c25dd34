"""From bytes in any pieces to lines of text, for translators that read an upstream's stream line by line."""

from __future__ import annotations

import codecs
import io
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any


class Lines:
    """The lines of a stream, without their ends, read by ``for`` or ``async for`` while its bytes arrive.

    A line ends where server-sent events end one: CRLF, LF or CR, and nowhere else (U+2028 stands inside JSON). What is
    behind the last end is the last line. Exceptions of ``chunks`` are passed on. ``async for`` reads both kinds of
    ``chunks``, ``for`` those that come synchronously.
    """

    def __init__(self, chunks: Any) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[str]:
        if not hasattr(self._chunks, "__iter__"):
            raise TypeError("the upstream's bytes arrive asynchronously: make the translation `async def`")
        rest = _OpenLine()
        for piece in self._chunks:
            yield from rest.feed(piece)
        yield from rest.end()

    async def __aiter__(self) -> AsyncIterator[str]:
        if not hasattr(self._chunks, "__aiter__"):
            for line in self:
                yield line
            return
        rest = _OpenLine()
        async for piece in self._chunks:
            for line in rest.feed(piece):
                yield line
        for line in rest.end():
            yield line


class _OpenLine:
    """The received part of a line that has not ended."""

    def __init__(self) -> None:
        characters = codecs.getincrementaldecoder("utf-8")("replace")
        self._decoder = io.IncrementalNewlineDecoder(characters, translate=True)
        self._text = ""

    def feed(self, piece: bytes) -> Iterable[str]:
        """The lines that end in this piece."""
        *lines, self._text = (self._text + self._decoder.decode(piece)).split("\n")
        return lines

    def end(self) -> Iterable[str]:
        """The last line, if the stream does not end with the end of one."""
        *lines, last = (self._text + self._decoder.decode(b"", final=True)).split("\n")
        return [*lines, last] if last else lines
