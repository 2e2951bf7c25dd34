"""Call ids: legal in the target, the same rewrite for call, result and history, and distinct for distinct calls.

An id that the target allows is never changed. Any other is rewritten by a pure function of the id (cleaned, cut, and
made distinct by a hash), so that a second replica rewrites it alike. A call without an id gets one from its position.
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

_UNSAFE_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH_LENGTH = 10


@dataclass(frozen=True)
class IdRule:
    """The call ids that a format allows.

    ``pattern`` is the regular expression of an id; without one any text that is not empty is legal. ``unique`` is the
    range in which ids must be unique: one ``batch`` of calls, or the whole ``request``. ``optional``: calls may have no
    id.
    """

    pattern: str | None = None
    limit: int | None = None
    unique: str = "batch"
    optional: bool = False

    def allows(self, value: str) -> bool:
        """Whether ``value`` is legal unchanged."""
        if self.limit is not None and len(value) > self.limit:
            return False
        return value != "" if self._full_match is None else self._full_match(value) is not None

    @cached_property
    def _full_match(self) -> Callable[[str], object] | None:
        return None if self.pattern is None else re.compile(self.pattern).fullmatch


_SAFE_RULE = IdRule(r"[a-zA-Z0-9_-]+", 40)


def fit_id(value: str, rule: IdRule) -> str:
    """``value`` if ``rule`` allows it, else its rewrite: at most 40 characters of ``[a-zA-Z0-9_-]``."""
    if rule.allows(value):
        return value
    clean = _UNSAFE_CHARACTERS.sub("_", value).strip("_") or "call"
    return f"{clean[: 39 - _HASH_LENGTH]}_{digest('id', value, length=_HASH_LENGTH)}"


@lru_cache(maxsize=4096)  # a request's ids depend on positions alone
def mint_call_id(*seed: object) -> str:
    """An id derived from ``seed`` for a call without one: ``call_`` and 24 characters."""
    return "call_" + digest("call", *[str(part) for part in seed])


class IdAssigner:
    """Assigns the target's ids to the calls of one body, one after the other.

    ``reserved_ids`` are in use in the conversation; they are avoided if ids must be unique in the request.
    """

    def __init__(self, rule: IdRule, reserved_ids: Iterable[str] = ()) -> None:
        self._rule, self._per_batch = rule, rule.unique == "batch"
        self._used = set() if self._per_batch else set(reserved_ids)
        self._batch = -1

    def assign_next(self, call: UniversalToolCall) -> str | None:
        """The id of the next call; None if it has none and the format needs none."""
        if call.batch != self._batch and self._per_batch:
            self._batch = call.batch
            self._used.clear()
        if call.given_id is None and self._rule.optional:
            return None
        base = call.id if call.given_id is None else call.given_id
        value = base if self._rule.allows(base) else fit_id(base, self._rule)
        if value in self._used:
            value = self._numbered_id(base)
        self._used.add(value)
        return value

    def _numbered_id(self, base: str) -> str:
        numbered = (fit_id(f"{base}#{number}", _SAFE_RULE) for number in itertools.count(2))
        return next(value for value in numbered if value not in self._used)


def assign_ids(calls: Iterable[UniversalToolCall], rule: IdRule, reserved_ids: Iterable[str] = ()) -> dict[str, str]:
    """The target's id of each call, by its universal id; a call that needs none is left out."""
    assigner = IdAssigner(rule, reserved_ids)
    return {call.id: value for call in calls if (value := assigner.assign_next(call)) is not None}


class IdMemory:
    """Remembers the provider's ids that were rewritten for a client, to restore them in its next requests."""

    def __init__(self, shelf: Shelf) -> None:
        self._provider_ids = shelf

    def keep_ids(self, calls: Iterable[UniversalToolCall], written: dict[str, str]) -> None:
        """Store the provider's ids of a reply's calls; ``written`` are the client's ids by universal id."""
        for call in calls:
            wire = written.get(call.id)
            if wire is not None and call.given_id is not None and wire != call.given_id:
                self._provider_ids.put(wire, call.given_id, call.given_id)

    def restore_ids(self, calls: Iterable[UniversalToolCall]) -> None:
        """Restore the provider's ids in the calls of a history. Unknown ids are left unchanged."""
        for call in calls if len(self._provider_ids) else ():
            if call.given_id is not None:
                call.given_id = self._provider_ids.get(call.given_id) or call.given_id
