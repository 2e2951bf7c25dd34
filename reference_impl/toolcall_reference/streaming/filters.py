"""Filters of deltas, for formats with one open item at a time, and for formats without blank texts."""

from __future__ import annotations

import itertools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence

from toolcall_reference.conversation.intermediate import Text
from toolcall_reference.streaming.deltas import Delta, ItemClosed, ItemOpened, ItemPiece, ReplyFailed


class BlankTextFilter:
    """Holds a text back until it is not blank, and drops texts that stay blank and carry no state."""

    def __init__(self) -> None:
        self._opened: ItemOpened | None = None
        self._held_deltas: list[Delta] = []

    def __call__(self, delta: Delta) -> Sequence[Delta]:
        if isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._opened, self._held_deltas = delta, [delta]
        elif self._opened is None or _place_of(delta) != self._opened.place:
            return (delta,)
        elif isinstance(delta, ItemPiece) and not delta.text.strip():
            self._held_deltas.append(delta)
        else:
            pending, self._opened, self._held_deltas = self._held_deltas, None, []
            if not isinstance(delta, ItemClosed) or delta.item.raw_context:
                return (*pending, delta)
        return ()


class OneOpenItemFilter:
    """Lets one item be open at a time: deltas of other items are queued until it is closed.

    Only items that the source interleaves are held, that is, its later calls.
    """

    def __init__(self) -> None:
        self._open_place: int | None = None
        self._numbers = itertools.count()
        self._queued: OrderedDict[int, Delta] = OrderedDict()
        self._numbers_by_place: defaultdict[int | None, deque[int]] = defaultdict(deque)

    def __call__(self, delta: Delta) -> Sequence[Delta]:
        if isinstance(delta, ReplyFailed):
            return (delta,)
        if self._open_place is not None and _place_of(delta) != self._open_place:
            self._queue(delta)
            return ()
        if isinstance(delta, ItemPiece) and not self._queued:
            return (delta,)
        return list(self._release(delta))

    def _release(self, delta: Delta) -> Iterator[Delta]:
        """A delta whose turn it is, and the queued ones that follow; each is visited once, however many wait."""
        passing: Delta | None = delta
        while passing is not None:
            yield passing
            if isinstance(passing, ItemOpened):
                self._open_place = passing.place
            elif isinstance(passing, ItemClosed):
                self._open_place = None
            passing = self._next_queued()

    def _queue(self, delta: Delta) -> None:
        number = next(self._numbers)
        self._queued[number] = delta
        self._numbers_by_place[_place_of(delta)].append(number)

    def _next_queued(self) -> Delta | None:
        """The next queued delta: of the open item, or of any if none is open."""
        if self._open_place is None and self._queued:
            _, delta = self._queued.popitem(last=False)
            self._take_number(_place_of(delta))
            return delta
        if self._open_place is not None and self._open_place in self._numbers_by_place:
            return self._queued.pop(self._take_number(self._open_place))
        return None

    def _take_number(self, place: int | None) -> int:
        """Remove and return the first queued number of a place."""
        numbers = self._numbers_by_place[place]
        first = numbers.popleft()
        if not numbers:
            del self._numbers_by_place[place]
        return first


def _place_of(delta: Delta) -> int | None:
    return getattr(delta, "place", None)
