"""A streamed reply as a whole one."""

from __future__ import annotations

from dataclasses import replace

from toolcall_reference.conversation.intermediate import Item, Reply, Text
from toolcall_reference.streaming.deltas import Closed, Delta, Ended, Failed, Grown, Opened, Started, Whole


class Gathered:
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
