"""Where a stream can be cut: between its events, and where decoders that take pieces for lines or events fall over.

And how finely: what a check tries by default, what the user asks for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_BLANK_LINE = re.compile(rb"(?<=\n)\r?\n|(?<=\r)\r")
_NEWLINE = re.compile(rb"\r\n|\n|\r")

# Places that decoders fall over: between CR and LF, before a line end, inside a character, behind a backslash or data:
_WORST = re.compile(rb"(?<=\r)(?=\n)|(?<!\r)(?=[\r\n])|(?=[\x80-\xbf])|(?<=\\)|(?m:(?<=^data:))")

# A way that may cost the last event: the standard drops what no blank line ends, and some SDKs read it all the same.
UNENDED = "no blank line at the end"

Pieces = tuple[bytes, ...]
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Fineness:
    """How many ways to cut a stream are tried at most, behind how many of its events it breaks off or fails.

    ``everywhere``: in every case, and not only in those that have something that cuts can break. ``pieces``: how many a
    stream is cut into at most.
    """

    cuts: int
    ends: int
    failures: int = 3
    everywhere: bool = False
    pieces: int | None = None


USUAL = Fineness(cuts=40, ends=10)
# Where each piece is a message to another process: about a dozen streams a variant, of few pieces each.
DEAR = Fineness(cuts=8, ends=5, pieces=100)
# Each place of a stream of up to 8 KiB as its only cut; a longer one is cut at as many, the worst among them.
ALL = Fineness(cuts=8192, ends=8192, failures=8192, everywhere=True)


def asked(value: str | None) -> Fineness | None:
    """What a user says: ``default`` (None: each medium its own), ``all``, or a number. Raises ValueError."""
    if value in (None, "default"):
        return None
    if value == "all":
        return ALL
    count = int(value or "") if (value or "").isascii() and (value or "").isdecimal() else 0
    if not 1 <= count <= ALL.cuts:
        raise ValueError(f"{value!r} is neither `default` nor `all` nor a number from 1 to {ALL.cuts}")
    return Fineness(cuts=count, ends=count)


def events(stream: bytes) -> Pieces:
    """One piece an event, its blank line included; what stands behind the last one is a piece of its own."""
    ends = [found.end() for found in _BLANK_LINE.finditer(stream)]
    return _at(stream, ends)


def hostile(stream: bytes, most: int) -> Iterator[tuple[str, Pieces]]:
    """At most ``most`` ways to cut a stream, each with its name, the worst first.

    Everything at once, single bytes, inside line ends, inside the bytes of one character, behind a backslash, behind
    ``data:``, in lines, pieces of odd sizes; and as many as are left of the ways to cut it in two.
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
    sizes = (3, 7, 13, 23, 31, 47, 64, 97, 128, 191, 256, 383, 512, 769, 1024)  # small ones cost most, and show least
    found += [(f"{size} bytes each", _at(stream, range(size, len(stream), size))) for size in sizes]
    different: dict[Pieces, str] = {}
    for name, pieces in found:
        different.setdefault(pieces, name)  # one way may be another's, too
    named = list(different.items())[:most]
    yield from ((name, pieces) for pieces, name in named)
    yield from ((name, pieces) for name, pieces in in_two(stream, most - len(named)) if pieces not in different)


def in_two(stream: bytes, most: int) -> Iterator[tuple[str, Pieces]]:
    """The stream in two pieces, cut at each of its places; at ``most`` of them, half of these where it hurts most."""
    places: Sequence[int] = range(1, len(stream))
    if len(places) > most:
        worst = set(spread([place.start() for place in _WORST.finditer(stream) if place.start() in places], most // 2))
        others = [place for place in places if place not in worst]
        places = sorted([*worst, *spread(others, most - len(worst))])
    for place in places:
        yield f"in two at byte {place}", (stream[:place], stream[place:])


def spread(places: Sequence[Place], most: int) -> list[Place]:
    """All of few places; of many ``most``, evenly far apart, the first and the last among them."""
    if len(places) <= most:
        return list(places)
    if most < 2:
        return [places[len(places) // 2]] * most
    return [places[round(count * (len(places) - 1) / (most - 1))] for count in range(most)]


def few(pieces: Pieces, most: int | None) -> Pieces:
    """At most ``most`` pieces, 3 at least: the first two thirds and the last third of them, with the middle as one."""
    if most is None or len(pieces) <= most:
        return pieces
    last = most // 3
    first = most - last - 1
    return (*pieces[:first], b"".join(pieces[first:-last]), *pieces[-last:])


def reframed(stream: bytes, *, plainly: bool = False) -> Iterator[tuple[str, bytes]]:
    """The same events as others frame them: other line ends, none at the end, comments, no blank behind the colon.

    ``plainly``: the line ends alone, for an API whose own SDK reads nothing else.
    """
    plain = _NEWLINE.sub(b"\n", stream)
    yield "line ends LF", plain
    yield "line ends CRLF", plain.replace(b"\n", b"\r\n")
    yield UNENDED, stream.rstrip(b"\r\n")
    if plainly:
        return
    yield "comments between the events", b": keep-alive\n\n" + b": keep-alive\n\n".join(events(plain))
    yield "no blank behind the colon", re.sub(rb"(?m)^(data|event): ", rb"\1:", plain)


def _at(stream: bytes, places: Iterable[int]) -> Pieces:
    ends = sorted({*places, len(stream)} - {0})
    return tuple(stream[start:end] for start, end in itertools.pairwise([0, *ends]))
