"""Draws a stream out of a Python translator: generators and iterators of bytes, sync or async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from toolcall_conformance.drivers.limits import TimeIsUp
from toolcall_conformance.drivers.outcomes import BadOutput, Crashed, RefusedOutcome, UnsupportedOutcome
from toolcall_conformance.drivers.streams import Feed, Piece, Source, Streamed
from toolcall_conformance.drivers.tracebacks import own_frames

Drawn = Streamed | BadOutput | UnsupportedOutcome
_WANTED = "yield the client's stream as bytes, in pieces of any size"


def draw(method: Callable[..., Any], source: Source, limit: int) -> Drawn | Coroutine[Any, Any, Drawn]:
    """Call ``stream`` and take all that it gives; a coroutine to be awaited if it is async.

    What it raises is part of the result, with what came before; but not that its time is up.
    """
    drawing = _Drawing(Feed(source), limit)
    try:
        given = method(drawing.feed)
        if hasattr(given, "__aiter__") or inspect.isawaitable(given):
            return drawing.draw_async(given)
        return drawing.draw(given)
    except (TimeIsUp, KeyboardInterrupt):
        raise
    except BaseException as error:
        return drawing.broken_off(error)


class _Drawing:
    def __init__(self, feed: Feed, limit: int) -> None:
        self.feed = feed
        self._limit = limit
        self._size = 0
        self._pieces: list[Piece] = []

    def draw(self, given: Any) -> Drawn:
        if not hasattr(given, "__iter__") or isinstance(given, (str, bytes, bytearray, dict)):
            return self._wrong(given)
        for piece in given:
            wrong = self._take(piece)
            if wrong is not None:
                return wrong
        return Streamed(tuple(self._pieces))

    async def draw_async(self, given: Any) -> Drawn:
        try:
            if inspect.isawaitable(given):
                given = await given
            if not hasattr(given, "__aiter__"):
                return self.draw(given)
            async for piece in given:
                wrong = self._take(piece)
                if wrong is not None:
                    return wrong
        except (TimeIsUp, KeyboardInterrupt):
            raise
        except BaseException as error:
            return self.broken_off(error)
        return Streamed(tuple(self._pieces))

    def broken_off(self, error: BaseException) -> Drawn:
        """The translator raised: known by class name, as everywhere."""
        names = {base.__name__ for base in type(error).__mro__}
        if "Unsupported" in names and not self._pieces:
            return UnsupportedOutcome(str(error))
        raised = RefusedOutcome(str(error)) if "Refused" in names else Crashed(error, own_frames(error))
        return Streamed(tuple(self._pieces), raised)

    def _take(self, piece: Any) -> BadOutput | None:
        if not isinstance(piece, (bytes, bytearray, memoryview)):
            return self._wrong(piece)
        data = bytes(piece)
        self._size += len(data)
        if self._size > self._limit:
            return BadOutput(f"stream yielded more than {self._limit} bytes")
        if data:
            self._pieces.append(Piece(data, self.feed.taken, self.feed.ended))
        return None

    def _wrong(self, given: Any) -> BadOutput:
        name = "None" if given is None else f"an object of type {type(given).__name__}"
        return BadOutput(f"stream gave {name}; {_WANTED}")
