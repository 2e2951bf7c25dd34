"""Decodes server-sent events from bytes in pieces; for every cut it reads what :func:`streaming.parse` reads."""

from __future__ import annotations

import re
from typing import Any

from toolcall_conformance.basics.streaming.sse import parse_event

_LINE_END = re.compile(rb"[\r\n]")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Decoder:
    """Takes pieces of any size and returns each event as soon as its blank line has arrived; holds at most one.

    A line that ends with CR is complete at once, without waiting for a possible LF.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._searched = 0  # how many of these bytes have no line end
        self._lines: list[str] = []
        self._after_cr = False
        self._first = True

    def feed(self, piece: bytes) -> None:
        """Add a piece of the stream."""
        self._bytes += piece

    def take(self) -> dict[str, Any] | None:
        """Return the next event as ``streaming.parse`` does, or None if more bytes are needed."""
        while (line := self._line()) is not None:
            if line:
                self._lines.append(line)
            elif self._lines:
                event = parse_event(self._lines)
                self._lines = []
                if event is not None:
                    return event
        return None

    @property
    def rest(self) -> str:
        """The received part of an incomplete event."""
        last = [self._text(bytes(self._bytes))] if self._bytes else []
        return "\n".join([*self._lines, *(line for line in last if line)])

    def _line(self) -> str | None:
        if self._after_cr and self._bytes:
            if self._bytes[:1] == b"\n":
                del self._bytes[:1]
            self._after_cr = False
        end = _LINE_END.search(self._bytes, self._searched)
        if end is None:
            self._searched = len(self._bytes)
            return None
        line = self._text(bytes(self._bytes[: end.start()]))
        self._after_cr = end[0] == b"\r"
        del self._bytes[: end.end()]
        self._searched, self._first = 0, False
        return line

    def _text(self, line: bytes) -> str:
        return (line.removeprefix(_BYTE_ORDER_MARK) if self._first else line).decode("utf-8", "replace")
