"""Ids of calls: legal in the target, one rewrite for call, result and history, no two calls mistaken for each other.

An id that the target takes is never changed. Any other is rewritten by a pure function of the id (cleaned, cut, and
told apart by a hash), so that a second replica rewrites it alike. A call without an id gets one from its position.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.store import Shelf
from toolcall_reference.conversation.intermediate import UniversalToolCall

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH = 10


@dataclass(frozen=True)
class IdRule:
    """What a format takes as a call id.

    ``pattern`` is what an id looks like; without one any text will do that is not empty. ``unique`` says how far an id
    must not be used again: within one ``batch`` of calls, or the whole ``request``.
    ``optional``: the format takes calls without any id.
    """

    pattern: str | None = None
    limit: int | None = None
    unique: str = "batch"
    optional: bool = False

    def allows(self, value: str) -> bool:
        """Whether the format takes ``value`` as it is."""
        if self.limit is not None and len(value) > self.limit:
            return False
        return value != "" if self._matched is None else self._matched(value) is not None

    @cached_property
    def _matched(self) -> Callable[[str], object] | None:
        return None if self.pattern is None else re.compile(self.pattern).fullmatch


_SAFE = IdRule(r"[a-zA-Z0-9_-]+", 40)


def fit(value: str, rule: IdRule) -> str:
    """``value`` if ``rule`` allows it, else its rewrite: at most 40 characters of ``[a-zA-Z0-9_-]``."""
    if rule.allows(value):
        return value
    clean = _UNSAFE.sub("_", value).strip("_") or "call"
    return f"{clean[: 39 - _HASH]}_{digest('id', value, length=_HASH)}"


@lru_cache(maxsize=4096)  # a request's ids are made of places alone
def mint(*seed: object) -> str:
    """An id for a call that came without one, in the common shape ``call_`` and 24 characters."""
    return "call_" + digest("call", *[str(part) for part in seed])


class Assigner:
    """Gives the calls of one body the target's ids, one after the other.

    ``taken`` are ids that the conversation has used before; they are avoided where ids are unique in the request.
    """

    def __init__(self, rule: IdRule, reserved_ids: Iterable[str] = ()) -> None:
        self._rule, self._per_batch = rule, rule.unique == "batch"
        self._used = set() if self._per_batch else set(reserved_ids)
        self._batch = -1

    def next(self, call: UniversalToolCall) -> str | None:
        """The id of the next call; None for one without an id where the format does not need it."""
        if call.batch != self._batch and self._per_batch:
            self._batch = call.batch
            self._used.clear()
        if call.given_id is None and self._rule.optional:
            return None
        base = call.id if call.given_id is None else call.given_id
        value = base if self._rule.allows(base) else fit(base, self._rule)
        if value in self._used:
            value = self._another(base)
        self._used.add(value)
        return value

    def _another(self, base: str) -> str:
        numbered = (fit(f"{base}#{number}", _SAFE) for number in itertools.count(2))
        return next(value for value in numbered if value not in self._used)


def assign(calls: Iterable[UniversalToolCall], rule: IdRule, reserved_ids: Iterable[str] = ()) -> dict[str, str]:
    """The target's id of each call, by its universal id; a call that needs none is not in the answer."""
    assigner = Assigner(rule, reserved_ids)
    return {call.id: value for call in calls if (value := assigner.next(call)) is not None}


class IdMemory:
    """What is known of ids that had to be rewritten for a client: the provider gets its own back."""

    def __init__(self, shelf: Shelf) -> None:
        self._given = shelf

    def keep(self, calls: Iterable[UniversalToolCall], written: dict[str, str]) -> None:
        """Remember the ids of a reply's calls; ``written`` are those that the client got, by universal id."""
        for call in calls:
            wire = written.get(call.id)
            if wire is not None and call.given_id is not None and wire != call.given_id:
                self._given.put(wire, call.given_id, call.given_id)

    def restore(self, calls: Iterable[UniversalToolCall]) -> None:
        """Put the provider's ids back on the calls of a history. What another session rewrote stays as it is."""
        for call in calls if len(self._given) else ():
            if call.given_id is not None:
                call.given_id = self._given.get(call.given_id) or call.given_id
