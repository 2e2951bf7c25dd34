"""Framing of a stream: server-sent events, or one JSON array for clients that want no events."""

from __future__ import annotations

from toolcall_reference.streaming import sse


class ArrayFraming:
    """Frames events as elements of one JSON array."""

    def __init__(self) -> None:
        self._parser = sse.Parser()
        self._has_begun = False

    def feed(self, events: bytes) -> bytes:
        """The elements that ``events`` completes."""
        return b"".join(self._frame_element(event) for event in self._parser.feed(events))

    def end(self) -> bytes:
        """The end of the array."""
        return b"]\n" if self._has_begun else b"[]\n"

    def _frame_element(self, event: sse.Event) -> bytes:
        if event.data is None:
            return b""
        before = b",\r\n" if self._has_begun else b"["
        self._has_begun = True
        return before + event.data.encode("utf-8", "surrogatepass")


class EventFraming:
    """Passes events through unchanged."""

    def feed(self, events: bytes) -> bytes:
        """The events."""
        return events

    def end(self) -> bytes:
        """Empty: events need no end."""
        return b""


Framing = ArrayFraming | EventFraming
