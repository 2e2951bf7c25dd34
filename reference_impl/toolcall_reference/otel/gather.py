"""A streamed reply as a whole one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from toolcall_reference import streams
from toolcall_reference.deltas import Closed, Delta, Ended, Failed, Grown, Opened, Started, Whole
from toolcall_reference.formats import Format
from toolcall_reference.intermediate import Body, Item, Reply, Text
from toolcall_reference.losses import Losses
from toolcall_reference.streams import Decoder


class _Observing:
    """A decoder that gets every event as an observer of its format reads it."""

    def __init__(self, decoder: Decoder, spoken: Format) -> None:
        self._decoder, self._event = decoder, spoken.observed.event

    def event(self, body: Body, /) -> Iterator[Delta]:
        """What an event tells."""
        return self._decoder.event(self._event(body))

    def done(self, *, marked: bool) -> Iterator[Delta]:
        """What the end of the stream tells."""
        return self._decoder.done(marked=marked)


class _Gathered:
    """One reply that grows."""

    def __init__(self) -> None:
        self.reply: Reply | None = None
        self._items: dict[object, Item] = {}
        self._pieces: dict[int, list[str]] = {}

    def take(self, delta: Delta) -> bool:
        """What happens to the reply; whether it is over."""
        if isinstance(delta, Started):
            self.reply = delta.reply
        elif isinstance(delta, Opened):
            self._items[delta.place], self._pieces[delta.place] = delta.item, []
        elif isinstance(delta, Grown):
            self._pieces[delta.place].append(delta.text)
        elif isinstance(delta, Closed):
            self._items[delta.place] = delta.item
        elif isinstance(delta, Whole):
            self._items[("whole", len(self._items))] = delta.item
        elif isinstance(delta, Ended):
            self.reply = delta.reply
        elif self.reply is not None:
            self.reply.finish = "error"
            self.reply.message = delta.failure.message
        return isinstance(delta, (Ended, Failed))

    def whole(self) -> Reply | None:
        """The reply as far as it came; None where none was begun."""
        if self.reply is not None:
            self.reply.items = [self._joined(place, item) for place, item in self._items.items()]
        return self.reply

    def _joined(self, place: object, item: Item) -> Item:
        if isinstance(item, Text) and isinstance(place, int):
            return replace(item, text="".join(self._pieces[place]))
        return item


def gathered(chunks: Iterable[bytes], spoken: Format, losses: Losses) -> Reply | None:
    """The reply that a stream says, as far as it came; None where it begins none."""
    found = _Gathered()
    for delta in streams.deltas(chunks, _Observing(spoken.stream_decoder(losses), spoken)):
        if found.take(delta):
            break
    return found.whole()
