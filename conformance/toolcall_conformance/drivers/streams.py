"""Streams through a translator: the pieces that it reads, the pieces that it yields, and in which order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcall_conformance.drivers.outcomes import (
    Crashed,
    FailedOutcome,
    RefusedOutcome,
)


class SourceLost(ConnectionError):  # noqa: N818 - a translator receives it when its upstream breaks off
    """The upstream's connection broke while its stream was read."""


@dataclass(frozen=True, slots=True)
class Source:
    """An upstream's stream in the pieces in which it arrives. ``end``: it ends, or the connection is lost.

    ``watched``: the check tests whether there is output before the end. ``reply`` is the reply that the stream
    assembles to, for a translator that requests a whole reply and makes a stream of it.
    """

    pieces: tuple[bytes, ...]
    end: Literal["plain", "lost"] = "plain"
    watched: bool = False
    reply: dict[str, Any] | None = None


def lead_count(source: Source) -> int:
    """The number of pieces that are read before a second, interleaved stream begins: half of them.

    If both began at once, a translator that resets its state with every stream would lose nothing.
    """
    return len(source.pieces) // 2


@dataclass(frozen=True, slots=True)
class OutputPiece:
    """One piece of output. ``source_count`` pieces of the source were read before it; ``is_after_end``: so was its end.

    If that is not known exactly, ``source_count`` counts the pieces sent, and ``is_after_end`` is true only if certain.
    """

    data: bytes
    source_count: int
    is_after_end: bool


@dataclass(frozen=True, slots=True)
class Streamed:
    """A translator's output stream. ``raised`` is why it broke off, after ``pieces``; None if it did not.

    ``exact``: the counts of each piece are exact. ``from_whole``: the translator requested a whole reply and made the
    stream of it. ``alone``: all of the source was read before the interleaved stream began.
    """

    pieces: tuple[OutputPiece, ...]
    raised: RefusedOutcome | Crashed | None = None
    losses: tuple[str, ...] = ()
    exact: bool = field(default=True, compare=False)
    from_whole: bool = field(default=False, compare=False)
    alone: bool = field(default=False, compare=False)

    @property
    def data(self) -> bytes:
        """The whole output."""
        return b"".join(piece.data for piece in self.pieces)


StreamOutcome = Streamed | FailedOutcome


class Feed:
    """The source as a translator reads it, by ``for`` or ``async for``. Counts the pieces that were read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left = iter(source.pieces)
        self.read_count = 0
        self.is_at_end = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._left, None)
        if piece is not None:
            self.read_count += 1
            return piece
        self.is_at_end = True
        if self._source.end == "lost":
            raise SourceLost("the upstream's connection was lost")
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    def mark_output(self) -> tuple[int, bool]:
        """Return how many pieces were read before this output, and whether the end was."""
        return self.read_count, self.is_at_end

    async def __anext__(self) -> bytes:
        try:
            return self.__next__()
        except StopIteration:
            raise StopAsyncIteration from None
