"""Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

Bytes may be cut anywhere, even inside a line end or a character; events are returned as soon as they are complete. Only
the incomplete event is held. A line ends with CR LF, LF or CR, and with nothing else: U+2028 is text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import parse

_BOM = b"\xef\xbb\xbf"
DONE = "[DONE]"
"""The last data of a Chat Completions stream; it is not JSON."""
PING = "ping"
"""The name of Anthropic's keep-alives. Its client does not read their data: ``_streaming.py`` of the SDK."""


@dataclass(slots=True)
class Event:
    """An event. ``data`` is None for a block without data, such as a comment; ``lines`` are the block's raw lines."""

    lines: list[str] = field(default_factory=list)
    name: str = ""
    data: str | None = None

    def add(self, line: str) -> None:
        """Add a line of the block, without its line end."""
        self.lines.append(line)
        key, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if key == "event":
            self.name = value
        elif key == "data":
            self.data = value if self.data is None else f"{self.data}\n{value}"

    @property
    def is_whole(self) -> bool:
        """Whether the data is complete: complete JSON cannot be the beginning of more."""
        try:
            return self.data is not None and (self.data == DONE or isinstance(parse(self.data), (dict, list)))
        except ValueError:
            return False


class Parser:
    """Parses the bytes of one stream."""

    def __init__(self) -> None:
        self._event = Event()
        self._pieces: list[bytes] = []  # of the incomplete line
        self._has_begun = False
        self._after_cr = False

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that ``chunk`` completes."""
        if not (self._after_cr or b"\n" in chunk or b"\r" in chunk):
            if chunk:
                self._pieces.append(chunk)
            return []
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        self._after_cr = chunk.endswith(b"\r")
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines, end, rest = chunk.rpartition(b"\n")
        if end and self._pieces:
            lines, self._pieces = b"".join((*self._pieces, lines)), []
        if rest:
            self._pieces.append(rest)
        return self._complete_events(lines) if end else []

    def _complete_events(self, lines: bytes) -> list[Event]:
        """The events that are complete with these whole lines."""
        if not self._has_begun:
            self._has_begun, lines = True, lines.removeprefix(_BOM)
        events: list[Event] = []
        # No multi-byte character holds a byte of a line end.
        for line in lines.decode("utf-8", "replace").split("\n"):
            if line:
                self._event.add(line)
            elif self._event.lines:
                events.append(self._event)
                self._event = Event()
        return events

    def end(self) -> Event | None:
        """The incomplete event after the last blank line; None if there is none."""
        lines, self._pieces = b"".join(self._pieces), []
        if lines:
            self._complete_events(lines)
        event, self._event = self._event, Event()
        return event if event.lines else None


def frame(event_name: str, data: str, newline: str = "\n") -> bytes:
    """The bytes of an event: ``data`` is one line; an empty name is left out. Half a surrogate pair is escaped."""
    head = f"event: {event_name}{newline}" if event_name else ""
    return f"{head}data: {data}{newline}{newline}".encode("utf-8", "backslashreplace")


def reframe(lines: list[str], newline: str = "\n") -> bytes:
    """The bytes of a block from its raw lines."""
    return (newline.join(lines) + newline + newline).encode("utf-8", "surrogatepass")
