"""The form between two streams: what happens to a reply while it is being written.

A reply is started; its texts and calls are opened, grow and are closed, several at a time if the source has it so; all
other items come whole. It ends, or it fails. ``place`` numbers what is opened, in the order of opening.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Item, Reply, Text, UniversalToolCall


@dataclass(slots=True)
class ReplyStarted:
    """``reply`` has its key, and as much else as is known; its items stay empty."""

    reply: Reply


@dataclass(slots=True)
class ItemOpened:
    """A text that is to grow, its ``text`` empty, or a call whose arguments are to come."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class ItemPiece:
    """A piece of a text, or of a call's argument text."""

    place: int
    text: str


@dataclass(slots=True)
class ItemClosed:
    """The item is complete: a call with its arguments, a text with its state (its ``text`` stays empty)."""

    place: int
    item: Text | UniversalToolCall


@dataclass(slots=True)
class WholeItem:
    """An item that does not grow: opaque state, a step that the provider ran itself, media."""

    item: Item


@dataclass(slots=True)
class ReplyEnded:
    """The normal end; the reply has its finish and usage."""

    reply: Reply


@dataclass(slots=True)
class ReplyFailed:
    """The end of a reply that the provider broke off. What is open stays open."""

    failure: Failure


Delta = ReplyStarted | ItemOpened | ItemPiece | ItemClosed | WholeItem | ReplyEnded | ReplyFailed
END_DELTAS = (ReplyEnded, ReplyFailed)


class ReplyAssembler:
    """One reply that grows."""

    def __init__(self) -> None:
        self.reply: Reply | None = None
        self._items: dict[object, Item] = {}
        self._pieces: dict[int, list[str]] = {}

    def add(self, delta: Delta) -> bool:
        """What happens to the reply; whether it is over."""
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
        """The reply as far as it came; None where none was begun."""
        if self.reply is not None:
            self.reply.items = [self._join_pieces(place, item) for place, item in self._items.items()]
        return self.reply

    def _join_pieces(self, place: object, item: Item) -> Item:
        if isinstance(item, Text) and isinstance(place, int):
            return replace(item, text="".join(self._pieces[place]))
        return item
