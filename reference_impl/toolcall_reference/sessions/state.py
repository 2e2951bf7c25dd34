"""Opaque state between two exchanges of one session: what the client could not keep goes back to its provider.

A client of another format has no place for a thought signature or an encrypted reasoning block. The session keeps them
by what the client does keep: each stretch of a reply up to a call by that call, and an answer in words by its words.
They go back when that very call or answer stands in the history of a later request, an answer only behind the same
words of the user: elsewhere it may be the answer to something else. Of words only a digest is kept, which is made piece
by piece, so that a reply that streams need not be held.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.store import Shelf
from toolcall_reference.conversation.intermediate import (
    Conversation,
    Item,
    Opaque,
    Reply,
    Text,
    Turn,
    UniversalToolCall,
)
from toolcall_reference.streaming.deltas import Delta, ItemClosed, ItemOpened, ItemPiece, WholeItem

MOST_ALIKE = 64
"""Of equal calls or answers only so many last ones are told apart."""


@dataclass(slots=True)
class _Stretch:
    """The items of an assistant's turn up to a call, or behind the last one (``call`` is then None).

    ``key`` is what it is known by on both sides: the call, the call before it, or its words.
    """

    items: list[Item] = field(default_factory=list)
    call: UniversalToolCall | None = None
    key: str | None = None

    @property
    def texts(self) -> list[Text]:
        return [item for item in self.items if isinstance(item, Text) and item.text.strip()]


@dataclass(slots=True)
class _Kept:
    """State of one stretch: blocks before and behind its text, signatures on its texts, and what is on its call."""

    ahead: list[Opaque] = field(default_factory=list)
    behind: list[Opaque] = field(default_factory=list)
    signed: dict[str, dict[str, Any]] = field(default_factory=dict)
    raw_context: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.ahead or self.behind or self.signed or self.raw_context)

    @property
    def said(self) -> list[Any]:
        """All that it holds, as JSON values."""
        return [[item.value for item in (*self.ahead, *self.behind)], self.signed, self.raw_context]


class _Words:
    """The digest of words, of whatever pieces they come in and whatever white space stands between them."""

    def __init__(self) -> None:
        self._digest: Any = None  # made when something is said: most words are never asked for
        self.any = False

    def add(self, text: str) -> None:
        words = "".join(text.split())
        if words:
            self.any = True
            self._digest = self._digest or hashlib.sha256()
            self._digest.update(words.encode("utf-8", "surrogatepass"))

    @property
    def key(self) -> str:
        return "words " + (self._digest or hashlib.sha256()).hexdigest()


class PrecedingWords:
    """What the user had said in words before a reply."""

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self._turns = turns

    @cached_property
    def key(self) -> str:
        """The digest of it, made when it is needed: few replies have state that stands behind words alone."""
        words = _Words()
        for turn in self._turns:
            for item in turn.items if turn.side == "user" else ():
                if isinstance(item, Text):
                    words.add(item.text)
        return words.key


MOST_HELD = 4096
"""So many characters of a reply wait until they are digested together."""


class Gathering:
    """The state of one reply as it comes: pieces of text, texts that are complete, calls, and all else."""

    def __init__(self) -> None:
        self.calls: list[UniversalToolCall] = []
        self._called: list[_Kept] = []
        self._texts: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self._kept, self._all, self._one, self._spoken = _Kept(), _Words(), _Words(), False
        self._pieces: list[str] = []  # not yet digested
        self._held = 0
        self._before = 0  # how many of them are of texts that are complete

    def said(self, piece: str) -> None:
        """A piece of the current text."""
        self._spoken = True
        self._pieces.append(piece)
        self._held += len(piece)
        if self._held > MOST_HELD:
            self._digest()

    def _digest(self) -> None:
        self._all.add("".join(self._pieces))
        self._one.add("".join(self._pieces[self._before :]))
        self._pieces, self._held, self._before = [], 0, 0

    def text_done(self, text: Text) -> None:
        """The current text is complete; ``text`` tells what state it carries."""
        if text.raw_context:
            self._digest()
            self._kept.signed[self._one.key] = dict(text.raw_context)
        self._one, self._before = _Words(), len(self._pieces)

    def other(self, item: Item) -> None:
        """Something that is neither text nor a call."""
        if isinstance(item, Opaque):
            (self._kept.behind if self._spoken else self._kept.ahead).append(item)

    def called(self, call: UniversalToolCall) -> None:
        """A call that is complete."""
        self._kept.raw_context = dict(call.raw_context)
        self.calls.append(call)
        self._called.append(self._kept)
        self._begin()

    def take(self, delta: Delta) -> None:
        """What happens to a reply that streams."""
        if isinstance(delta, ItemPiece):
            if delta.place in self._texts:
                self.said(delta.text)
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._texts.add(delta.place)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, Text):
            self.text_done(delta.item)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self.called(delta.item)
        elif isinstance(delta, WholeItem):
            self.other(delta.item)

    @property
    def has_state(self) -> bool:
        """Whether there is anything to keep."""
        return bool(self._kept) or any(self._called)

    def found(self, ids: dict[str, str], request: PrecedingWords) -> Iterator[tuple[str, _Kept]]:
        """What to keep, by what it is known by. ``ids`` are those that the client has been given, by universal id."""
        self._digest()
        for call, state in zip(self.calls, self._called, strict=True):
            yield _key_of_call(call, ids.get(call.id)), state
        if self.calls and (self._kept or self._spoken):
            yield _key_of_call(self.calls[-1], ids.get(self.calls[-1].id), is_after=True), self._kept
        elif self._all.any and not self.calls:
            yield request.key + self._all.key, self._kept


class StateMemory:
    """What is remembered for one client."""

    def __init__(self, shelf: Shelf) -> None:
        self._kept = shelf

    def keep(self, reply: Reply, ids: dict[str, str], request: PrecedingWords) -> None:
        """Remember a reply's state under the ids that the client was given."""
        gathering = Gathering()
        for item in reply.items:
            if isinstance(item, Text):
                gathering.said(item.text)
                gathering.text_done(item)
            elif isinstance(item, UniversalToolCall):
                gathering.called(item)
            else:
                gathering.other(item)
        self.keep_gathered(gathering, ids, request)

    def keep_gathered(self, gathering: Gathering, ids: dict[str, str], request: PrecedingWords) -> None:
        """Remember what was gathered of a complete reply."""
        if not gathering.has_state and not len(self._kept):
            return
        for key, state in gathering.found(ids, request):
            every = self._every(key)
            # Another one of the same key counts even without state, so that the last ones are told apart.
            if state or every:
                every = [*every, state][-MOST_ALIKE:]
                self._kept.put(key, every, [state.said for state in every])

    def _every(self, key: str | None) -> list[_Kept]:
        return (None if key is None else self._kept.get(key)) or []

    def restore(self, conversation: Conversation, upstream: str) -> None:
        """Put state of ``upstream`` back to its place. Where the same thing was said twice, the last is the last."""
        if not len(self._kept):
            return
        turns = list(_spoken(conversation))
        left = Counter(stretch.key for _, stretches in turns for stretch in stretches)
        for turn, stretches in turns:
            items: list[Item] = []
            for stretch in stretches:
                every = self._every(stretch.key)
                place = len(every) - left[stretch.key]
                left[stretch.key] -= 1
                items += _restored(stretch, every[place], upstream) if place >= 0 else [*stretch.items]
                items += [] if stretch.call is None else [stretch.call]
            turn.items = items


def _spoken(conversation: Conversation) -> Iterator[tuple[Turn, list[_Stretch]]]:
    """The assistant's turns in their stretches."""
    words = _Words()
    for turn in conversation.turns:
        for item in turn.items if turn.side == "user" else ():
            if isinstance(item, Text):
                words.add(item.text)
        if turn.side == "assistant":
            yield turn, list(_stretches(turn.items, words))


def _stretches(items: list[Item], request: _Words) -> Iterator[_Stretch]:
    stretch, after = _Stretch(), None
    for item in items:
        if isinstance(item, UniversalToolCall):
            stretch.call, stretch.key = item, _key_of_call(item, item.given_id)
            yield stretch
            stretch, after = _Stretch(), item
        else:
            stretch.items.append(item)
    if stretch.items:
        words = _key_of_words(stretch.texts)
        if after is not None:
            stretch.key = _key_of_call(after, after.given_id, is_after=True)
        elif words is not None:
            stretch.key = request.key + words
        yield stretch


def _key_of_call(call: UniversalToolCall, wire_id: str | None, *, is_after: bool = False) -> str:
    raw_text = call.text if not call.readable else None
    return digest(wire_id or "", call.name, call.arguments, raw_text, is_after)


def _key_of_words(texts: list[Text]) -> str | None:
    words = _Words()
    for text in texts:
        words.add(text.text)
    return words.key if words.any else None


def _restored(stretch: _Stretch, stretch_state: _Kept, upstream: str) -> list[Item]:
    """The stretch with its state; what the client itself brought back stays."""
    call = stretch.call
    if call is not None and not call.raw_context and upstream in stretch_state.raw_context:
        call.raw_context = {upstream: stretch_state.raw_context[upstream]}
    for text in stretch.texts:
        state = stretch_state.signed.get(_key_of_words([text]) or "", {})
        if not text.raw_context and upstream in state:
            text.raw_context = {upstream: state[upstream]}
    if any(isinstance(item, Opaque) and item.origin == upstream for item in stretch.items):
        return stretch.items
    own = [[item for item in items if item.origin == upstream] for items in (stretch_state.ahead, stretch_state.behind)]
    return [*own[0], *stretch.items, *own[1]]
