"""An assembled stream: the reply that a client puts together from its events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolcall_conformance.basics.jsonvalue import together
from toolcall_conformance.basics.reading.breach import Breach


@dataclass(frozen=True, slots=True)
class StreamedCall:
    """A call as it came: ``fragments`` of its arguments in order, and the whole text if the stream says it as well.

    ``pointer`` is that of the event that opened it; ``closed`` says that a client may run it: its block, its item, or
    the reply that it stands in was ended in order. ``places`` are pointers to all that is said of it alone.
    """

    pointer: str
    id: str | None
    name: str | None
    fragments: tuple[str, ...] = ()
    whole: str | None = None
    closed: bool = False
    places: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of its arguments as far as it came."""
        return self.whole if self.whole is not None else together(self.fragments)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A stream, put together.

    ``body`` is the reply as it would be unary, as far as it came; None before the first event that belongs to one.
    ``end`` is ``whole`` after the API's own end of a reply, ``failed`` after an error event, ``open`` otherwise.
    ``finished``: the reply has said how it ended and nothing of it is open, whether or not the API's last word came.
    ``error`` is that event's error as the body of an error reply has it. ``breaches`` are what the grammar
    reports: rule ids, each with a pointer into the stream (``/events/3/data/index``) and, if it needs one, a sentence.
    ``unreasoned``: the reply as clients take it where the API's last word came and nothing said why the reply ended;
    a translator must not write such an end, and must take one.
    """

    body: dict[str, Any] | None
    end: Literal["whole", "failed", "open"]
    calls: tuple[StreamedCall, ...] = ()
    error: Any = None
    breaches: tuple[tuple[str, Breach], ...] = field(default=())
    said_how: bool = False
    unreasoned: dict[str, Any] | None = None

    @property
    def sent(self) -> Assembled:
        """The stream as one that an upstream sent: whole, too, where only the reason is missing."""
        if self.end != "open" or self.unreasoned is None:
            return self
        return replace(self, body=self.unreasoned, end="whole")

    @property
    def finished(self) -> bool:
        return self.end == "whole" or self.said_how
