"""Opaque state between two exchanges of one session: what the client could not keep goes back to its provider.

A client of another format has no place for a thought signature or an encrypted reasoning block. The session keeps them
by the call they came with, and puts them back when that very call stands in the history of the next request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .intermediate import Conversation, Item, Opaque, Reply, UniversalToolCall
from .jsontext import digest


@dataclass(slots=True)
class _Kept:
    raw_context: dict[str, Any]
    before: list[Opaque]


class StateMemory:
    """What one session remembers, by call."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}

    def keep(self, reply: Reply, ids: dict[str, str]) -> None:
        """Remember a reply's state under the ids that the client was given."""
        before = [item for item in reply.items if isinstance(item, Opaque)]
        for call in reply.calls:
            if (call.raw_context or before) and call.id in ids:
                self._kept[_key(ids[call.id], call)] = _Kept(dict(call.raw_context), before)
            before = []  # all of it belongs before the first call

    def restore(self, conversation: Conversation, upstream: str) -> None:
        """Put state of ``upstream`` back where its calls stand."""
        for turn in conversation.turns:
            returned: list[Item] = []
            for call in turn.calls:
                kept = self._kept.get(_key(call.given_id or "", call))
                if kept is None:
                    continue
                if not call.raw_context and upstream in kept.raw_context:
                    call.raw_context = {upstream: kept.raw_context[upstream]}
                returned += [item for item in kept.before if item.origin == upstream]
            turn.items[:0] = returned


def _key(given_id: str, call: UniversalToolCall) -> str:
    return digest(given_id, call.name, call.arguments, call.text if not call.readable else None)
