"""Filters between the streams: for formats that have one item open at a time, and for those without blank texts."""

from __future__ import annotations

import itertools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator, Sequence

from toolcall_reference.conversation.intermediate import Text
from toolcall_reference.streaming.deltas import Delta, ItemClosed, ItemOpened, ItemPiece, ReplyFailed


class BlankTextFilter:
    """Holds a text back until something is said in it; one in which nothing is said never was."""

    def __init__(self) -> None:
        self._opened: ItemOpened | None = None
        self._held: list[Delta] = []

    def __call__(self, delta: Delta) -> Sequence[Delta]:
        if isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._opened, self._held = delta, [delta]
        elif self._opened is None or _place(delta) != self._opened.place:
            return (delta,)
        elif isinstance(delta, ItemPiece) and not delta.text.strip():
            self._held.append(delta)
        else:
            pending, self._opened, self._held = self._held, None, []
            if not isinstance(delta, ItemClosed) or delta.item.raw_context:
                return (*pending, delta)
        return ()


class OneOpenItemFilter:
    """One item open at a time: what is opened beside it waits until it is closed.

    Only what the source really interleaves is held: its later calls.
    """

    def __init__(self) -> None:
        self._open: int | None = None
        self._numbers = itertools.count()
        self._waiting: OrderedDict[int, Delta] = OrderedDict()
        self._of_place: defaultdict[int | None, deque[int]] = defaultdict(deque)

    def __call__(self, delta: Delta) -> Sequence[Delta]:
        if isinstance(delta, ReplyFailed):
            return (delta,)
        if self._open is not None and _place(delta) != self._open:
            self._hold(delta)
            return ()
        if isinstance(delta, ItemPiece) and not self._waiting:
            return (delta,)
        return list(self._pass(delta))

    def _pass(self, delta: Delta) -> Iterator[Delta]:
        """A delta whose turn it is, and those that waited for it; each is looked at once, however many wait."""
        passing: Delta | None = delta
        while passing is not None:
            yield passing
            if isinstance(passing, ItemOpened):
                self._open = passing.place
            elif isinstance(passing, ItemClosed):
                self._open = None
            passing = self._next()

    def _hold(self, delta: Delta) -> None:
        number = next(self._numbers)
        self._waiting[number] = delta
        self._of_place[_place(delta)].append(number)

    def _next(self) -> Delta | None:
        """The first that waits: of the open item, or of all if none is open."""
        if self._open is None and self._waiting:
            _, delta = self._waiting.popitem(last=False)
            self._taken(_place(delta))
            return delta
        if self._open is not None and self._open in self._of_place:
            return self._waiting.pop(self._taken(self._open))
        return None

    def _taken(self, place: int | None) -> int:
        """The first number that waits of a place; it waits no longer."""
        numbers = self._of_place[place]
        first = numbers.popleft()
        if not numbers:
            del self._of_place[place]
        return first


def _place(delta: Delta) -> int | None:
    return getattr(delta, "place", None)
