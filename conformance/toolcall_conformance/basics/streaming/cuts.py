"""Cuts a stream into pieces, and frames its events in other lines: forms in which every decoder must read the same.

Cuts are between the events, and where decoders fail that take a piece for a line or an event; ``Fineness`` says how
many of them a check tries. For the lines see
https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from toolcall_conformance.basics.memoize import memoize

_BLANK_LINE = re.compile(rb"(?<=\n)\r?\n|(?<=\r)\r")
_NEWLINE = re.compile(rb"\r\n|\n|\r")

# Cuts on which decoders fail: between CR and LF, before a line end, inside a character, after a backslash or data:
_WORST_CUTS = re.compile(rb"(?<=\r)(?=\n)|(?<!\r)(?=[\r\n])|(?=[\x80-\xbf])|(?<=\\)|(?m:(?<=^data:))")

# The last event may be lost here: the standard drops an event without a blank line after it, and some SDKs read it.
NO_LAST_BLANK_LINE = "no blank line at the end"

COMMENTS = "comments between the events"

# The ways to frame a stream that only change its line ends, each with the line end.
LINE_ENDS = {"line ends LF": "\n", "line ends CRLF": "\r\n"}

Pieces = tuple[bytes, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fineness:
    """The most variants of a stream that are tried.

    ``cuts`` counts the ways to cut it, ``ends`` the events after which it breaks off, ``failures`` those after which it
    fails. ``everywhere``: also in cases that have nothing that cuts can break. ``pieces`` limits the pieces of a cut.
    """

    cuts: int
    ends: int
    failures: int = 3
    everywhere: bool = False
    pieces: int | None = None


USUAL = Fineness(cuts=40, ends=10)
# For translators in another process, where each piece is a message: about a dozen streams of few pieces a variant.
SPARSE = Fineness(cuts=8, ends=5, pieces=100)
# Cuts a stream of up to 8 KiB in two at each byte, and a longer one at as many places, the worst among them.
ALL = Fineness(cuts=8192, ends=8192, failures=8192, everywhere=True)


def parse_fineness(value: str | None) -> Fineness | None:
    """Parse ``default`` (None: each medium's own), ``all``, or a number. Raises ValueError."""
    if value in (None, "default"):
        return None
    if value == "all":
        return ALL
    count = int(value or "") if (value or "").isascii() and (value or "").isdecimal() else 0
    if not 1 <= count <= ALL.cuts:
        raise ValueError(f"{value!r} is neither `default` nor `all` nor a number from 1 to {ALL.cuts}")
    return Fineness(cuts=count, ends=count)


@memoize(128)
def split_events(stream: bytes) -> Pieces:
    """Cut a stream after each event's blank line; what follows the last one is a piece of its own."""
    ends = [match.end() for match in _BLANK_LINE.finditer(stream)]
    return _cut_at(stream, ends)


def vary_cuts(stream: bytes, limit: int) -> Iterator[tuple[str, Pieces]]:
    """Yield at most ``limit`` ways to cut a stream, each with its name, the worst first.

    Ways that cut it in two fill up what the named ways leave of ``limit``.
    """
    cuts = [
        ("whole", (stream,)),
        ("single bytes", tuple(stream[place : place + 1] for place in range(len(stream)))),
        ("inside the line ends", _cut_at(stream, [match.start() + 1 for match in _NEWLINE.finditer(stream)])),
        ("before the line ends", _cut_at(stream, [match.start() for match in _NEWLINE.finditer(stream)])),
        ("inside characters", _cut_at(stream, [place for place, byte in enumerate(stream) if byte & 0xC0 == 0x80])),
        ("inside escapes", _cut_at(stream, [match.end() for match in re.finditer(rb"\\", stream)])),
        ("after data:", _cut_at(stream, [match.end() for match in re.finditer(rb"(?m)^data:", stream)])),
        ("inside keys", _cut_at(stream, [match.end() for match in re.finditer(rb'"[a-z_]', stream)])),
    ]
    sizes = (3, 7, 13, 23, 31, 47, 64, 97, 128, 191, 256, 383, 512, 769, 1024)  # small ones cost most and find least
    cuts += [(f"{size} bytes each", _cut_at(stream, range(size, len(stream), size))) for size in sizes]
    different: dict[Pieces, str] = {}
    for name, pieces in cuts:
        different.setdefault(pieces, name)  # two ways may give the same pieces
    named = list(different.items())[:limit]
    yield from ((name, pieces) for pieces, name in named)
    yield from ((name, pieces) for name, pieces in cut_in_two(stream, limit - len(named)) if pieces not in different)


def cut_in_two(stream: bytes, limit: int) -> Iterator[tuple[str, Pieces]]:
    """Cut the stream in two, at every byte or at ``limit`` places; half of these are the worst ones."""
    places: Sequence[int] = range(1, len(stream))
    if len(places) > limit:
        worst = set(
            pick_evenly(
                [place.start() for place in _WORST_CUTS.finditer(stream) if place.start() in places], limit // 2
            )
        )
        others = [place for place in places if place not in worst]
        places = sorted([*worst, *pick_evenly(others, limit - len(worst))])
    for place in places:
        yield f"in two at byte {place}", (stream[:place], stream[place:])


def pick_evenly(places: Sequence[T], limit: int) -> list[T]:
    """Pick at most ``limit`` places at even distances, the first and the last among them."""
    if len(places) <= limit:
        return list(places)
    if limit < 2:
        return [places[len(places) // 2]] * limit
    return [places[round(count * (len(places) - 1) / (limit - 1))] for count in range(limit)]


def limit_pieces(pieces: Pieces, limit: int | None) -> Pieces:
    """Join the middle pieces into one so that at most ``limit`` are left (at least 3), two thirds of them before it."""
    if limit is None or len(pieces) <= limit:
        return pieces
    last = limit // 3
    first = limit - last - 1
    return (*pieces[:first], b"".join(pieces[first:-last]), *pieces[-last:])


def vary_framing(stream: bytes, *, plainly: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield the same events framed differently: other line ends, none at the end, comments, no space after the colon.

    ``plainly``: vary the line ends only, for an API whose own SDK reads nothing else.
    """
    plain = _NEWLINE.sub(b"\n", stream)
    for way, end in LINE_ENDS.items():
        yield way, plain.replace(b"\n", end.encode())
    yield NO_LAST_BLANK_LINE, stream.rstrip(b"\r\n")
    if plainly:
        return
    yield COMMENTS, b": keep-alive\n\n" + b": keep-alive\n\n".join(split_events(plain))
    yield "no blank after the colon", re.sub(rb"(?m)^(data|event): ", rb"\1:", plain)


def _cut_at(stream: bytes, places: Iterable[int]) -> Pieces:
    ends = sorted({*places, len(stream)} - {0})
    return tuple(stream[start:end] for start, end in itertools.pairwise([0, *ends]))


def _split_data_lines(text: str) -> str:
    """Write each event's JSON over several lines of data."""
    lines = []
    for line in text.split("\n"):
        data = line.removeprefix("data: ")
        if line.startswith("data: {"):
            lines += [
                f"data: {part}" for part in json.dumps(json.loads(data), indent=1, ensure_ascii=False).split("\n")
            ]
        else:
            lines.append(line)
    return "\n".join(lines)


def _put_data_first(text: str) -> str:
    blocks = text.split("\n\n")
    return "\n\n".join("\n".join(sorted(block.split("\n"))) for block in blocks)


REFRAMINGS: Mapping[str, Callable[[str], str]] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "comments": lambda text: ": keep-alive\n\n" + text.replace("\n\n", "\n\n: keep-alive\n\n"),
    "comments-inside": lambda text: text.replace("data: ", ": keep-alive\ndata: "),
    "no-space": lambda text: text.replace("data: ", "data:").replace("event: ", "event:"),
    "ids": lambda text: text.replace("data: ", "id: 7\ndata: "),
    "retry": lambda text: "retry: 3000\n\n" + text,
    "mark": lambda text: "\ufeff" + text,
    "blank-lines": lambda text: "\n" + text.replace("\n\n", "\n\n\n"),
    "lines": _split_data_lines,
    "data-first": _put_data_first,
}
"""Functions from the text of a stream to another text with the same events, by name."""
