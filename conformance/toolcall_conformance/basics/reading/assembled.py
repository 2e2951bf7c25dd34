"""An assembled stream: the reply that a client builds from its events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toolcall_conformance.basics.jsonvalue import join_text
from toolcall_conformance.basics.reading.breach import Breach


@dataclass(frozen=True, slots=True)
class StreamedCall:
    """A call as streamed: the ``fragments`` of its arguments in order, and ``whole_text`` if an event has it as well.

    ``pointer`` is that of the event that opened it; ``closed`` says that a client may run it: its block, its item or
    its reply was ended in order. ``pointers`` are those to everything in the stream that is about this call alone.
    """

    pointer: str
    id: str | None
    name: str | None
    fragments: tuple[str, ...] = ()
    whole_text: str | None = None
    closed: bool = False
    pointers: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The raw text of its arguments, as far as it was received."""
        return self.whole_text if self.whole_text is not None else join_text(self.fragments)


@dataclass(frozen=True, slots=True)
class Assembled:
    """An assembled stream.

    ``body`` is the reply as it would be unary, as far as received; None before the first event that belongs to one.
    ``end`` is ``whole`` after the API's own end of a reply, ``failed`` after an error event, ``open`` otherwise.
    ``has_stop_reason``: the reply has a reason for its end and nothing of it is open, with or without the API's last
    event. ``error`` is the error event's error as the body of an error reply has it. ``breaches`` are rule ids, each
    with a pointer into the stream (``/events/3/data/index``) and, if it needs one, a sentence.
    ``body_without_stop_reason`` is the reply as clients take it if the API's last event was received and no reason for
    the end; a translator must not write such an end, and must take one.
    """

    body: dict[str, Any] | None
    end: Literal["whole", "failed", "open"]
    calls: tuple[StreamedCall, ...] = ()
    error: Any = None
    breaches: tuple[tuple[str, Breach], ...] = field(default=())
    has_stop_reason: bool = False
    body_without_stop_reason: dict[str, Any] | None = None

    @property
    def as_sent(self) -> Assembled:
        """The stream taken as an upstream's: whole, too, if only the stop reason is missing."""
        if self.end != "open" or self.body_without_stop_reason is None:
            return self
        return replace(self, body=self.body_without_stop_reason, end="whole")

    @property
    def finished(self) -> bool:
        """Whether the reply is complete, with or without the API's last event."""
        return self.end == "whole" or self.has_stop_reason
