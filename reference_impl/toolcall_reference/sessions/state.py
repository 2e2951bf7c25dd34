"""Opaque state between exchanges: what the client's format cannot hold is stored and restored for its provider.

A client of another format has no place for a thought signature or an encrypted reasoning block. The session stores
them under what the client does send back: each stretch of a reply up to a call under that call, and a text answer under
its words. They are restored when the same call or answer is in the history of a later request; an answer only after the
same words of the user, for elsewhere it may answer something else. Words are stored as a digest, computed piece by
piece, so that a streamed reply need not be held.
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

MAX_EQUAL_ENTRIES = 64
"""The number of latest equal calls or answers that are distinguished."""


@dataclass(slots=True)
class _Stretch:
    """The items of an assistant's turn up to a call, or after the last one (``call`` is then None).

    ``key`` identifies it on both sides: by the call, the call before it, or its words.
    """

    items: list[Item] = field(default_factory=list)
    call: UniversalToolCall | None = None
    key: str | None = None

    @property
    def texts(self) -> list[Text]:
        return [item for item in self.items if isinstance(item, Text) and item.text.strip()]


@dataclass(slots=True)
class _StretchState:
    """The state of one stretch: blocks before and after its text, signatures of its texts, its call's state."""

    blocks_before: list[Opaque] = field(default_factory=list)
    blocks_after: list[Opaque] = field(default_factory=list)
    signed_texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    raw_context: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.blocks_before or self.blocks_after or self.signed_texts or self.raw_context)

    @property
    def as_json(self) -> list[Any]:
        """Its content as JSON values."""
        return [[item.value for item in (*self.blocks_before, *self.blocks_after)], self.signed_texts, self.raw_context]


class _Words:
    """A digest of words that does not depend on white space or on how the text is cut into pieces."""

    def __init__(self) -> None:
        self._digest: Any = None  # created by the first word: most digests are never needed
        self.has_words = False

    def add(self, text: str) -> None:
        words = "".join(text.split())
        if words:
            self.has_words = True
            self._digest = self._digest or hashlib.sha256()
            self._digest.update(words.encode("utf-8", "surrogatepass"))

    @property
    def key(self) -> str:
        return "words " + (self._digest or hashlib.sha256()).hexdigest()


class PrecedingWords:
    """The user's words before a reply."""

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self._turns = turns

    @cached_property
    def key(self) -> str:
        """Their digest, computed on demand: few replies have state that only words identify."""
        words = _Words()
        for turn in self._turns:
            for item in turn.items if turn.side == "user" else ():
                if isinstance(item, Text):
                    words.add(item.text)
        return words.key


MAX_BUFFERED_CHARACTERS = 4096
"""The number of characters of a reply that are buffered before they are digested together."""


class StateCollector:
    """Collects the state of one reply while it arrives: pieces of text, complete texts, calls, and other items."""

    def __init__(self) -> None:
        self.calls: list[UniversalToolCall] = []
        self._call_states: list[_StretchState] = []
        self._texts: set[int] = set()
        self._begin()

    def _begin(self) -> None:
        self._state, self._words, self._text_words, self._has_text = _StretchState(), _Words(), _Words(), False
        self._pieces: list[str] = []  # not yet digested
        self._held = 0
        self._before = 0  # how many of them are of texts that are complete

    def add_text(self, piece: str) -> None:
        """Add a piece of the current text."""
        self._has_text = True
        self._pieces.append(piece)
        self._held += len(piece)
        if self._held > MAX_BUFFERED_CHARACTERS:
            self._digest()

    def _digest(self) -> None:
        self._words.add("".join(self._pieces))
        self._text_words.add("".join(self._pieces[self._before :]))
        self._pieces, self._held, self._before = [], 0, 0

    def end_text(self, text: Text) -> None:
        """End the current text; ``text`` has its state."""
        if text.raw_context:
            self._digest()
            self._state.signed_texts[self._text_words.key] = dict(text.raw_context)
        self._text_words, self._before = _Words(), len(self._pieces)

    def add_item(self, item: Item) -> None:
        """Add an item that is neither a text nor a call."""
        if isinstance(item, Opaque):
            (self._state.blocks_after if self._has_text else self._state.blocks_before).append(item)

    def add_call(self, call: UniversalToolCall) -> None:
        """Add a complete call, which ends the stretch."""
        self._state.raw_context = dict(call.raw_context)
        self.calls.append(call)
        self._call_states.append(self._state)
        self._begin()

    def add_delta(self, delta: Delta) -> None:
        """Add a delta of a streamed reply."""
        if isinstance(delta, ItemPiece):
            if delta.place in self._texts:
                self.add_text(delta.text)
        elif isinstance(delta, ItemOpened) and isinstance(delta.item, Text):
            self._texts.add(delta.place)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, Text):
            self.end_text(delta.item)
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self.add_call(delta.item)
        elif isinstance(delta, WholeItem):
            self.add_item(delta.item)

    @property
    def has_state(self) -> bool:
        """Whether there is any state to store."""
        return bool(self._state) or any(self._call_states)

    def keyed_states(self, ids: dict[str, str], request: PrecedingWords) -> Iterator[tuple[str, _StretchState]]:
        """The states to store, with their keys. ``ids`` are the client's call ids by universal id."""
        self._digest()
        for call, state in zip(self.calls, self._call_states, strict=True):
            yield _key_of_call(call, ids.get(call.id)), state
        if self.calls and (self._state or self._has_text):
            yield _key_of_call(self.calls[-1], ids.get(self.calls[-1].id), is_after=True), self._state
        elif self._words.has_words and not self.calls:
            yield request.key + self._words.key, self._state


class StateMemory:
    """The opaque state that is stored for one client."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

    def keep_state(self, reply: Reply, ids: dict[str, str], request: PrecedingWords) -> None:
        """Store a reply's state under the client's call ids."""
        collector = StateCollector()
        for item in reply.items:
            if isinstance(item, Text):
                collector.add_text(item.text)
                collector.end_text(item)
            elif isinstance(item, UniversalToolCall):
                collector.add_call(item)
            else:
                collector.add_item(item)
        self.keep_collected(collector, ids, request)

    def keep_collected(self, collector: StateCollector, ids: dict[str, str], request: PrecedingWords) -> None:
        """Store the collected state of a complete reply."""
        if not collector.has_state and not len(self._shelf):
            return
        for key, state in collector.keyed_states(ids, request):
            states = self._states_of(key)
            # An occurrence without state counts, too, so that the latest ones are distinguished.
            if state or states:
                states = [*states, state][-MAX_EQUAL_ENTRIES:]
                self._shelf.put(key, states, [state.as_json for state in states])

    def _states_of(self, key: str | None) -> list[_StretchState]:
        return (None if key is None else self._shelf.get(key)) or []

    def restore_state(self, conversation: Conversation, upstream: str) -> None:
        """Restore the state of ``upstream`` in a history. Equal calls or answers are matched from the last one back."""
        if not len(self._shelf):
            return
        turns = list(_assistant_stretches(conversation))
        left = Counter(stretch.key for _, stretches in turns for stretch in stretches)
        for turn, stretches in turns:
            items: list[Item] = []
            for stretch in stretches:
                states = self._states_of(stretch.key)
                place = len(states) - left[stretch.key]
                left[stretch.key] -= 1
                items += _restore_items(stretch, states[place], upstream) if place >= 0 else [*stretch.items]
                items += [] if stretch.call is None else [stretch.call]
            turn.items = items


def _assistant_stretches(conversation: Conversation) -> Iterator[tuple[Turn, list[_Stretch]]]:
    """Each turn of the assistant with its stretches."""
    words = _Words()
    for turn in conversation.turns:
        for item in turn.items if turn.side == "user" else ():
            if isinstance(item, Text):
                words.add(item.text)
        if turn.side == "assistant":
            yield turn, list(_split_stretches(turn.items, words))


def _split_stretches(items: list[Item], request: _Words) -> Iterator[_Stretch]:
    """Split an assistant's items into stretches with their keys."""
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
    return words.key if words.has_words else None


def _restore_items(stretch: _Stretch, stretch_state: _StretchState, upstream: str) -> list[Item]:
    """The items of a stretch with its state; state that the client itself sent back is kept."""
    call = stretch.call
    if call is not None and not call.raw_context and upstream in stretch_state.raw_context:
        call.raw_context = {upstream: stretch_state.raw_context[upstream]}
    for text in stretch.texts:
        state = stretch_state.signed_texts.get(_key_of_words([text]) or "", {})
        if not text.raw_context and upstream in state:
            text.raw_context = {upstream: state[upstream]}
    if any(isinstance(item, Opaque) and item.origin == upstream for item in stretch.items):
        return stretch.items
    before, after = (
        [item for item in items if item.origin == upstream]
        for items in (stretch_state.blocks_before, stretch_state.blocks_after)
    )
    return [*before, *stretch.items, *after]
