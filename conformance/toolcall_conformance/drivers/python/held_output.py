"""Holds back what a translator in this process prints while it is loaded and probed, which pytest does not capture."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from toolcall_conformance.basics.visible_text import pluralize, shorten, visible

# So many lines are shown, and so many bytes of each stream are stored.
_MAX_LINES, _MAX_BYTES = 20, 1_000_000


class HeldOutput:
    """What the translator printed on both streams."""

    def __init__(self) -> None:
        self.streams: list[_HeldStream] = []

    @property
    def lines(self) -> list[str]:
        """The first lines, sanitized, each with a mark that it is not ours."""
        lines = [line for stream in self.streams for line in stream.text.splitlines()]
        excerpt = [f"  | {visible(shorten(line))}" for line in lines[:_MAX_LINES]]
        return [
            *excerpt,
            *([f"  and {pluralize(len(lines) - _MAX_LINES, 'more line')}"] if len(lines) > _MAX_LINES else []),
        ]


@contextlib.contextmanager
def hold_back_output() -> Iterator[HeldOutput]:
    """Hold back the standard streams. Code that keeps one of them prints on the real stream afterwards."""
    printed = HeldOutput()
    printed.streams = [_HeldStream(stream) for stream in (sys.stdout, sys.stderr) if stream is not None]
    before = sys.stdout, sys.stderr
    try:
        if len(printed.streams) == len(before):
            sys.stdout, sys.stderr = printed.streams
        yield printed
    finally:
        for stream in printed.streams:
            stream.release()
        sys.stdout, sys.stderr = before


def real_stream(stream: TextIO) -> TextIO:
    """The real stream behind a standard stream that may be held back."""
    return stream.onward if isinstance(stream, _HeldStream) else stream


class _HeldStream(io.TextIOWrapper):
    """Stores what is printed; after ``release`` it writes to the real stream."""

    def __init__(self, onward: TextIO) -> None:
        self._bytes = _FirstBytes(onward)
        self.onward = onward
        super().__init__(self._bytes, "utf-8", "backslashreplace", write_through=True)

    @property
    def text(self) -> str:
        return self._bytes.kept.decode("utf-8", "backslashreplace")

    def release(self) -> None:
        self._bytes.released = True

    def fileno(self) -> int:
        """Children of the translator inherit the real stream."""
        return self.onward.fileno()


class _FirstBytes(io.RawIOBase):
    """Accepts all bytes and stores the first."""

    name = "<held back>"

    def __init__(self, onward: TextIO) -> None:
        super().__init__()
        self.kept = b""
        self.released = False
        self._onward = onward

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        if self.released:
            self._onward.write(piece.decode("utf-8", "backslashreplace"))
        elif len(self.kept) < _MAX_BYTES:
            self.kept += piece
        return len(piece)

    def close(self) -> None:
        """Do nothing: a stream that a translator closes is still read and released."""
