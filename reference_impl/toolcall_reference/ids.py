"""Ids of calls: legal in the target, one rewrite for call, result and history, no two calls mistaken for each other.

An id that the target takes is never changed. Any other is rewritten by a pure function of the id (cleaned, cut, and
told apart by a hash), so that a second replica rewrites it alike. A call without an id gets one from its position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from .intermediate import UniversalToolCall
from .jsontext import digest

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH = 10


@dataclass(frozen=True, slots=True)
class IdRule:
    """What a format takes as a call id.

    ``unique`` says how far an id must not be used again: within one ``batch`` of calls, or the whole ``request``.
    ``optional``: the format takes calls without any id.
    """

    pattern: str = r".+"
    limit: int | None = None
    unique: str = "batch"
    optional: bool = False

    def allows(self, value: str) -> bool:
        """Whether the format takes ``value`` as it is."""
        return re.fullmatch(self.pattern, value, re.DOTALL) is not None and (
            self.limit is None or len(value) <= self.limit
        )


def fit(value: str, rule: IdRule) -> str:
    """``value`` if ``rule`` allows it, else its rewrite: at most 40 characters of ``[a-zA-Z0-9_-]``."""
    if rule.allows(value):
        return value
    clean = _UNSAFE.sub("_", value).strip("_") or "call"
    return f"{clean[: 39 - _HASH]}_{digest('id', value, length=_HASH)}"


def mint(*seed: object) -> str:
    """An id for a call that came without one, in the common shape ``call_`` and 24 characters."""
    return "call_" + digest("call", *[str(part) for part in seed])


def assign(calls: Iterable[UniversalToolCall], rule: IdRule, taken: Iterable[str] = ()) -> dict[str, str]:
    """The target's id of each call, by its universal id.

    ``taken`` are ids that the conversation has used before; they are avoided where ids are unique in the request.
    A call without an id gets none where the format does not need it: it is then not in the answer.
    """
    found: dict[str, str] = {}
    used = set(taken) if rule.unique == "request" else set()
    batch: int | None = None
    for call in calls:
        if rule.unique == "batch" and call.batch != batch:
            batch, used = call.batch, set()
        if call.given_id is None and rule.optional:
            continue
        base = call.id if call.given_id is None else call.given_id
        value, again = fit(base, rule), 1
        while value in used:
            again += 1
            value = fit(f"{base}#{again}", IdRule(r"[a-zA-Z0-9_-]+", 40))
        used.add(value)
        found[call.id] = value
    return found


@dataclass(slots=True)
class IdMemory:
    """What one session knows of ids that it had to rewrite for its client: the provider gets its own back."""

    given: dict[str, str] = field(default_factory=dict)

    def keep(self, calls: Iterable[UniversalToolCall], written: dict[str, str]) -> None:
        """Remember the ids of a reply's calls; ``written`` are those that the client got, by universal id."""
        for call in calls:
            wire = written.get(call.id)
            if wire is not None and call.given_id is not None and wire != call.given_id:
                self.given[wire] = call.given_id

    def restore(self, calls: Iterable[UniversalToolCall]) -> None:
        """Put the provider's ids back on the calls of a history. What another session rewrote stays as it is."""
        for call in calls:
            call.given_id = self.given.get(call.given_id or "", call.given_id)
