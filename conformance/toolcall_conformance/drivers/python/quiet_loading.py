"""Holds back what a translator in this process prints where nobody captures it: while it is loaded and tried."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TextIO

from toolcall_conformance.basics.visible_text import pluralize, shorten, visible

# So many lines are shown, and so many bytes of each stream kept.
_MAX_LINES, _MAX_BYTES = 20, 1_000_000


class HeldOutput:
    """What the translator printed on both streams."""

    def __init__(self) -> None:
        self.streams: list[_HeldStream] = []

    @property
    def lines(self) -> list[str]:
        """The beginning of it, fit to be shown, each line with a mark that it is not ours."""
        lines = [line for stream in self.streams for line in stream.text.splitlines()]
        excerpt = [f"  | {visible(shorten(line))}" for line in lines[:_MAX_LINES]]
        return [
            *excerpt,
            *([f"  and {pluralize(len(lines) - _MAX_LINES, 'more line')}"] if len(lines) > _MAX_LINES else []),
        ]


@contextlib.contextmanager
def hold_back_output() -> Iterator[HeldOutput]:
    """Hold the standard streams back; who keeps one of them prints on the real one again afterwards."""
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
    """The stream that a standard stream is, or holds back."""
    return stream.onward if isinstance(stream, _HeldStream) else stream


class _HeldStream(io.TextIOWrapper):
    """Keeps what is printed; after its release hands it on."""

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
    """Takes everything and keeps the beginning."""

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
        """Do nothing: what a translator closes is read, and handed on, all the same."""
