"""Rules that a schema cannot express: a small pure function each, with the id that the corpus gives the rule.

``@rule(id, direction …)`` makes a :class:`RuleCheck` of a function, and :func:`rules_of` collects those of a format's
modules in the order of their definition. So a new rule is a new function and no other line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import ModuleType
from typing import Any, TypeVar

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.expected_values import another_text, first_choices

T = TypeVar("T")
_MAX_NAMED_CALLS = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """A body that the rules of its own format check. ``model`` is the model that it goes to or comes from, if known.

    ``derived`` caches what rules derive from the body.
    """

    format: str
    direction: str
    body: Any
    reading: Reading
    model: str | None = None
    derived: dict[Callable[[Any], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def derive(self, make: Callable[[Any], T]) -> T:
        """Return ``make(body)``, computed once for all rule functions: none may change it."""
        if make not in self.derived:
            self.derived[make] = make(self.body)
        view: T = self.derived[make]
        return view


def duplicate_id_breach(call: Call, other: Call, ids: Sequence[str]) -> Breach:
    """Return the breach of a call whose id an earlier call has; ``ids`` are the first ids that it may not have."""
    message = f"call {other.ordinal + 1}, {other.name}, at {other.pointer} has this id already; it must be another"
    want = another_text(str(call.id), ids)
    return Breach(
        call.id_pointer or call.pointer, message, want, call.id, subject=f"call {call.ordinal + 1}, {call.name}"
    )


def wrong_id_message(waiting: Collection[str]) -> str:
    """Return the message for a result whose id no call has; ``waiting`` are the ids of calls without a result."""
    first = [*waiting][:_MAX_NAMED_CALLS]
    more = [f"{len(waiting) - len(first)} more"] if len(waiting) > len(first) else []
    wait = f"{' and '.join([*first, *more])} {'has' if len(waiting) == 1 else 'have'} no result"
    return f"a wrong id: {wait}, and no call of this id waits for one"


def duplicate_ids_in_batches(calls: Iterable[Call]) -> Iterator[Breach]:
    """Yield a breach for each call whose id an earlier call of its batch has; calls without an id are skipped."""
    for _, together in groupby(calls, lambda call: call.batch):
        batch = list(together)
        ids = first_choices(call.id for call in batch)
        first_calls: dict[str, Call] = {}
        for call in batch:
            if call.id is not None and (first := first_calls.setdefault(call.id, call)) is not call:
                yield duplicate_id_breach(call, first, ids)


RuleFunction = Callable[[Subject], Iterable[Breach]]


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """The check of a rule: its id, the directions of the bodies that it checks, and the function with its breaches."""

    id: str
    directions: frozenset[str]
    breaches: RuleFunction
    module: str


def rule(rule_id: str, *directions: str) -> Callable[[RuleFunction], RuleCheck]:
    """Make a function the check of a rule for these directions of bodies, by default ``request`` and ``response``."""

    def decorate(function: RuleFunction) -> RuleCheck:
        return RuleCheck(rule_id, frozenset(directions or ("request", "response")), function, function.__module__)

    return decorate


def rules_of(*modules: ModuleType) -> tuple[RuleCheck, ...]:
    """Return the checks that these modules define. Raises ValueError if two functions check one rule."""
    checks = tuple(check for module in modules for check in _checks_defined_in(module))
    ids = [check.id for check in checks]
    twice = sorted({rule_id for rule_id in ids if ids.count(rule_id) > 1})
    if twice:
        raise ValueError(f"two functions check the same rule: {', '.join(twice)}")
    return checks


def _checks_defined_in(module: ModuleType) -> Iterator[RuleCheck]:
    """Yield the checks that a module defines, without those that it imports."""
    members = vars(module).values()
    return (member for member in members if isinstance(member, RuleCheck) and member.module == module.__name__)


def repeated_indexes(entries: Any, pointer: str) -> Iterator[tuple[str, int]]:
    """Yield the pointer and ``index`` of each entry whose index an earlier entry has; absent or null means 0."""
    indexes: set[int] = set()
    for place, entry in enumerate(entries if isinstance(entries, list) else ()):
        if not isinstance(entry, dict):
            continue
        index = 0 if entry.get("index") is None else entry["index"]
        if isinstance(index, int) and index in indexes:
            yield join(pointer, place), index
        indexes.add(index if isinstance(index, int) else -1)
