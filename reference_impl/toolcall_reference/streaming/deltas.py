"""The intermediate form of a stream: deltas of a reply while it is being written.

A reply starts; its texts and calls are opened, grow piece by piece and are closed, several at a time if the source does
so; all other items come whole. The reply ends or fails. ``place`` numbers the opened items, in the order of opening.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Item, Reply, Text, UniversalToolCall


@dataclass(slots=True)
class ReplyStarted:
    """The reply starts: ``reply`` has its key and what else is known; its items stay empty."""

    reply: Reply


@dataclass(slots=True)
class ItemOpened:
    """An item is opened: a text, its ``text`` still empty, or a call whose arguments follow."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class ItemPiece:
    """A piece of an open text, or of an open call's argument text."""

    place: int
    text: str


@dataclass(slots=True)
class ItemClosed:
    """An item is complete: a call with its arguments, a text with its state (its ``text`` stays empty)."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class WholeItem:
    """An item that comes in one: opaque state, a step that the provider ran itself, media."""

    item: Item


@dataclass(slots=True)
class ReplyEnded:
    """The reply ends normally; it has its finish and usage."""

    reply: Reply


@dataclass(slots=True)
class ReplyFailed:
    """The provider breaks the reply off. Open items are not closed."""

    failure: Failure


Delta = ReplyStarted | ItemOpened | ItemPiece | ItemClosed | WholeItem | ReplyEnded | ReplyFailed
END_DELTAS = (ReplyEnded, ReplyFailed)


class ReplyAssembler:
    """Assembles a whole reply from its deltas."""

    def __init__(self) -> None:
        self.reply: Reply | None = None
        self._items: dict[object, Item] = {}
        self._pieces: dict[int, list[str]] = {}

    def add(self, delta: Delta) -> bool:
        """Add a delta. Returns whether the reply is over."""
        if isinstance(delta, ReplyStarted):
            self.reply = delta.reply
        elif isinstance(delta, ItemOpened):
            self._items[delta.place], self._pieces[delta.place] = delta.item, []
        elif isinstance(delta, ItemPiece):
            self._pieces[delta.place].append(delta.text)
        elif isinstance(delta, ItemClosed):
            self._items[delta.place] = delta.item
        elif isinstance(delta, WholeItem):
            self._items[("whole", len(self._items))] = delta.item
        elif isinstance(delta, ReplyEnded):
            self.reply = delta.reply
        elif self.reply is not None:
            self.reply.finish = "error"
            self.reply.message = delta.failure.message
        return isinstance(delta, (ReplyEnded, ReplyFailed))

    def assembled_reply(self) -> Reply | None:
        """The reply so far; None if none has started."""
        if self.reply is not None:
            self.reply.items = [self._join_pieces(place, item) for place, item in self._items.items()]
        return self.reply

    def _join_pieces(self, place: object, item: Item) -> Item:
        if isinstance(item, Text) and isinstance(place, int):
            return replace(item, text="".join(self._pieces[place]))
        return item
