"""Opaque state between two exchanges of one session: what the client could not keep goes back to its provider.

A client of another format has no place for a thought signature or an encrypted reasoning block. The session keeps them
by what the client does keep: each stretch of a reply up to a call by that call, and an answer in words by its words.
They go back when that very call or answer stands in the history of the next request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .intermediate import Conversation, Item, Opaque, Reply, Text, UniversalToolCall
from .jsontext import digest


@dataclass(slots=True)
class _Stretch:
    """The items of an assistant's turn up to a call, or behind the last one (``call`` is then None)."""

    items: list[Item] = field(default_factory=list)
    call: UniversalToolCall | None = None
    after: UniversalToolCall | None = None

    @property
    def texts(self) -> list[Text]:
        return [item for item in self.items if isinstance(item, Text) and item.text.strip()]


@dataclass(slots=True)
class _Kept:
    """State of one stretch: blocks before and behind its text, signatures on its texts, and what is on its call."""

    ahead: list[Opaque]
    behind: list[Opaque]
    signed: dict[str, dict[str, Any]]
    raw_context: dict[str, Any]

    def __bool__(self) -> bool:
        return bool(self.ahead or self.behind or self.signed or self.raw_context)


class StateMemory:
    """What one session remembers."""

    def __init__(self) -> None:
        self._kept: dict[str, list[_Kept]] = {}

    def keep(self, reply: Reply, ids: dict[str, str]) -> None:
        """Remember a reply's state under the ids that the client was given."""
        for stretch in _stretches(reply.items):
            key, kept = _key(stretch, lambda call: ids.get(call.id)), _state(stretch)
            # Another one of the same key counts even without state, so that the last ones are told apart.
            if key is not None and (kept or key in self._kept):
                self._kept.setdefault(key, []).append(kept)

    def restore(self, conversation: Conversation, upstream: str) -> None:
        """Put state of ``upstream`` back to its place. Where the same thing was said twice, the last is the last."""
        if not self._kept:
            return
        left = Counter(key for turn in conversation.turns for _, key in _keyed(turn.items))
        for turn in conversation.turns:
            if turn.side != "assistant":
                continue
            items: list[Item] = []
            for stretch, key in _keyed(turn.items):
                every = self._kept.get(key or "", [])
                place = len(every) - left[key]
                left[key] -= 1
                items += _restored(stretch, every[place], upstream) if place >= 0 else [*stretch.items]
                items += [] if stretch.call is None else [stretch.call]
            turn.items = items


def _keyed(items: list[Item]) -> Iterator[tuple[_Stretch, str | None]]:
    return ((stretch, _key(stretch, lambda call: call.given_id)) for stretch in _stretches(items))


def _stretches(items: list[Item]) -> Iterator[_Stretch]:
    found = _Stretch()
    for item in items:
        if isinstance(item, UniversalToolCall):
            found.call = item
            yield found
            found = _Stretch(after=item)
        else:
            found.items.append(item)
    if found.items:
        yield found


def _key(stretch: _Stretch, wire_id: Callable[[UniversalToolCall], str | None]) -> str | None:
    """What the stretch is known by on both sides: a call, the call before it, or its words."""
    call = stretch.call or stretch.after
    if call is not None:
        said = call.text if not call.readable else None
        return digest(wire_id(call) or "", call.name, call.arguments, said, stretch.call is None)
    words = _squeezed("".join(text.text for text in stretch.texts))
    return digest("words", words) if words else None


def _state(stretch: _Stretch) -> _Kept:
    ahead: list[Opaque] = []
    behind: list[Opaque] = []
    signed: dict[str, dict[str, Any]] = {}
    spoken = False
    for item in stretch.items:
        spoken = spoken or isinstance(item, Text)
        if isinstance(item, Opaque):
            (behind if spoken else ahead).append(item)
        elif isinstance(item, Text) and item.raw_context:
            signed[_squeezed(item.text)] = dict(item.raw_context)
    return _Kept(ahead, behind, signed, dict(stretch.call.raw_context) if stretch.call is not None else {})


def _restored(stretch: _Stretch, kept: _Kept, upstream: str) -> list[Item]:
    """The stretch with its state; what the client itself brought back stays."""
    call = stretch.call
    if call is not None and not call.raw_context and upstream in kept.raw_context:
        call.raw_context = {upstream: kept.raw_context[upstream]}
    for text in stretch.texts:
        state = kept.signed.get(_squeezed(text.text), {})
        if not text.raw_context and upstream in state:
            text.raw_context = {upstream: state[upstream]}
    if any(isinstance(item, Opaque) and item.origin == upstream for item in stretch.items):
        return stretch.items
    own = [[item for item in items if item.origin == upstream] for items in (kept.ahead, kept.behind)]
    return [*own[0], *stretch.items, *own[1]]


def _squeezed(text: str) -> str:
    return "".join(text.split())
