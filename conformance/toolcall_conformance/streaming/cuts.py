"""Where a stream can be cut: between its events, and where decoders that take pieces for lines or events fall over."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

_BLANK_LINE = re.compile(rb"(?<=\n)\r?\n|(?<=\r)\r")
_NEWLINE = re.compile(rb"\r\n|\n|\r")

Pieces = tuple[bytes, ...]


def events(stream: bytes) -> Pieces:
    """One piece an event, its blank line included; what stands behind the last one is a piece of its own."""
    ends = [found.end() for found in _BLANK_LINE.finditer(stream)]
    return _at(stream, ends)


def hostile(stream: bytes, most: int) -> Iterator[tuple[str, Pieces]]:
    """At most ``most`` ways to cut a stream, each with its name, the worst first.

    Everything at once, single bytes, inside line ends, inside the bytes of one character, behind a backslash, behind
    ``data:``, in lines, and pieces of odd sizes.
    """
    found = [
        ("whole", (stream,)),
        ("single bytes", tuple(stream[place : place + 1] for place in range(len(stream)))),
        ("inside the line ends", _at(stream, [match.start() + 1 for match in _NEWLINE.finditer(stream)])),
        ("before the line ends", _at(stream, [match.start() for match in _NEWLINE.finditer(stream)])),
        ("inside characters", _at(stream, [place for place, byte in enumerate(stream) if byte & 0xC0 == 0x80])),
        ("inside escapes", _at(stream, [match.end() for match in re.finditer(rb"\\", stream)])),
        ("behind data:", _at(stream, [match.end() for match in re.finditer(rb"(?m)^data:", stream)])),
        ("inside keys", _at(stream, [match.end() for match in re.finditer(rb'"[a-z_]', stream)])),
    ]
    sizes = (2, 3, 5, 7, 11, 13, 17, 23, 31, 47, 64, 97, 128, 191, 256, 383, 512, 769, 1024)
    found += [(f"{size} bytes each", _at(stream, range(size, len(stream), size))) for size in sizes]
    different = {pieces: name for name, pieces in reversed(found)}  # one way may be another's, too
    return ((name, pieces) for pieces, name in list(reversed(different.items()))[:most])


def reframed(stream: bytes, *, plainly: bool = False) -> Iterator[tuple[str, bytes]]:
    """The same events as others frame them: other line ends, comments between them, no blank behind the colon.

    ``plainly``: the line ends alone, for an API whose own SDK reads nothing else.
    """
    plain = _NEWLINE.sub(b"\n", stream)
    yield "line ends LF", plain
    yield "line ends CRLF", plain.replace(b"\n", b"\r\n")
    if plainly:
        return
    yield "comments between the events", b": keep-alive\n\n" + b": keep-alive\n\n".join(events(plain))
    yield "no blank behind the colon", re.sub(rb"(?m)^(data|event): ", rb"\1:", plain)


def _at(stream: bytes, places: Iterable[int]) -> Pieces:
    ends = sorted({*places, len(stream)} - {0})
    return tuple(stream[start:end] for start, end in itertools.pairwise([0, *ends]))
