"""A streamed reply as a whole one."""

from __future__ import annotations

from collections.abc import Iterable

from toolcall_reference.conversation.intermediate import Body, Reply
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats import Format
from toolcall_reference.streaming import streams
from toolcall_reference.streaming.deltas import Delta
from toolcall_reference.streaming.gathered import Gathered
from toolcall_reference.streaming.streams import Decoder


class _Observing:
    """A decoder that gets every event as an observer of its format reads it."""

    def __init__(self, decoder: Decoder, spoken: Format) -> None:
        self._decoder, self._event = decoder, spoken.observed.event

    def event(self, body: Body, /) -> Iterable[Delta]:
        """What an event tells."""
        return self._decoder.event(self._event(body))

    def done(self, *, marked: bool) -> Iterable[Delta]:
        """What the end of the stream tells."""
        return self._decoder.done(marked=marked)


def gathered(chunks: Iterable[bytes], spoken: Format, losses: Losses) -> Reply | None:
    """The reply that a stream says, as far as it came; None where it begins none."""
    reply = Gathered()
    for delta in streams.deltas(chunks, _Observing(spoken.stream_decoder(losses), spoken)):
        if reply.take(delta):
            break
    return reply.whole()
