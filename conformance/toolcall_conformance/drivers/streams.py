"""Streams through a translator: what is fed to it, in which pieces, and what came out by when."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Misdirected,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)


class SourceLost(ConnectionError):  # noqa: N818 - what a translator sees when its upstream breaks off
    """The upstream's connection broke while its stream was read."""


@dataclass(frozen=True, slots=True)
class Source:
    """An upstream's stream in the pieces in which it arrives. ``end``: it ends, or reading it fails then.

    ``watched``: it will be asked whether anything came out before the end. ``reply`` is what the stream amounts to, for
    a translator that asks its provider for no stream and makes one by itself.
    """

    pieces: tuple[bytes, ...]
    end: Literal["plain", "lost"] = "plain"
    watched: bool = False
    reply: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class OutputPiece:
    """What came out at once, and how many pieces of the source had been taken by then; ``ended``: and its end.

    Where neither is to be known exactly, the pieces are those that had been sent, and ``ended`` is true only if it is
    certain.
    """

    data: bytes
    taken: int
    ended: bool


@dataclass(frozen=True, slots=True)
class Streamed:
    """What a translator made of a stream. ``raised`` is how it broke off, if it did; what came before stands.

    ``exact``: it is known of each piece how much had been taken by then.
    """

    pieces: tuple[OutputPiece, ...]
    raised: RefusedOutcome | Crashed | None = None
    losses: tuple[str, ...] = ()
    exact: bool = field(default=True, compare=False)

    @property
    def data(self) -> bytes:
        """All that came out."""
        return b"".join(piece.data for piece in self.pieces)


StreamOutcome = (
    Streamed | UnsupportedOutcome | RefusedOutcome | Crashed | TimedOut | BadOutput | ProtocolError | Misdirected
)


class Feed:
    """The source as a translator takes it, by ``for`` or by ``async for``; it counts what was taken."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._left = iter(source.pieces)
        self.taken = 0
        self.ended = False

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        piece = next(self._left, None)
        if piece is not None:
            self.taken += 1
            return piece
        self.ended = True
        if self._source.end == "lost":
            raise SourceLost("the upstream's connection was lost")
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    def mark_output(self) -> tuple[int, bool]:
        """Something came out: what had been taken by then, and whether the end had."""
        return self.taken, self.ended

    async def __anext__(self) -> bytes:
        try:
            return self.__next__()
        except StopIteration:
            raise StopAsyncIteration from None
