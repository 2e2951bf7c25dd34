"""A stream of events as one JSON array, for clients that ask for no events."""

from __future__ import annotations

from toolcall_reference.streaming import sse


class ArrayFraming:
    """Events go in as bytes; the elements of the array come out as they come."""

    def __init__(self) -> None:
        self._parser = sse.Parser()
        self._begun = False

    def feed(self, events: bytes) -> bytes:
        """The elements that ``events`` completes."""
        return b"".join(self._element(event) for event in self._parser.feed(events))

    def end(self) -> bytes:
        """The end of the array."""
        return b"]\n" if self._begun else b"[]\n"

    def _element(self, event: sse.Event) -> bytes:
        if event.data is None:
            return b""
        before = b",\r\n" if self._begun else b"["
        self._begun = True
        return before + event.data.encode("utf-8", "surrogatepass")


class EventFraming:
    """Events as they are."""

    def feed(self, events: bytes) -> bytes:
        """The events."""
        return events

    def end(self) -> bytes:
        """Nothing stands behind them."""
        return b""


Framing = ArrayFraming | EventFraming
