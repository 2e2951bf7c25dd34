"""Filters between the streams: for formats that have one item open at a time, and for those without blank texts."""

from __future__ import annotations

from collections.abc import Iterator

from .deltas import Closed, Delta, Failed, Grown, Opened
from .intermediate import Text


class NotBlank:
    """Holds a text back until something is said in it; one in which nothing is said never was."""

    def __init__(self) -> None:
        self._opened: Opened | None = None
        self._held: list[Delta] = []

    def __call__(self, delta: Delta) -> Iterator[Delta]:
        if isinstance(delta, Opened) and isinstance(delta.item, Text):
            self._opened, self._held = delta, [delta]
        elif self._opened is None or getattr(delta, "place", None) != self._opened.place:
            yield delta
        elif isinstance(delta, Grown) and not delta.text.strip():
            self._held.append(delta)
        else:
            if not isinstance(delta, Closed) or delta.item.raw_context:
                yield from self._held
                yield delta
            self._opened, self._held = None, []


class InOrder:
    """One item open at a time: what is opened beside it waits until it is closed.

    Only what the source really interleaves is held: its later calls.
    """

    def __init__(self) -> None:
        self._open: int | None = None
        self._waiting: list[Delta] = []

    def __call__(self, delta: Delta) -> Iterator[Delta]:
        if isinstance(delta, Failed):
            yield delta
        elif self._open is None or getattr(delta, "place", None) == self._open:
            yield from self._pass(delta)
        else:
            self._waiting.append(delta)

    def _pass(self, delta: Delta) -> Iterator[Delta]:
        yield delta
        if isinstance(delta, Opened):
            self._open = delta.place
        elif isinstance(delta, Closed):
            self._open = None
            waiting, self._waiting = self._waiting, []
            for held in waiting:
                yield from self(held)
