"""Rules that a schema cannot express: a small pure function each, with the id that the corpus gives the rule.

``@rule(id, direction …)`` makes a :class:`RuleCheck` of a function, and :func:`rules_of` collects those of a format's
modules in the order in which they stand there. So a new rule is a new function and no other line.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import ModuleType
from typing import Any, TypeVar

from toolcall_conformance.basics.findings import NOT_KNOWN, Form
from toolcall_conformance.basics.jsonvalue import JSONError, constant_in, parse_arguments
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.wanted import OBJECT, OBJECT_TEXT, another, first_of

T = TypeVar("T")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """A body under the rules of its own format. ``model`` is the model it goes to or comes from, if known.

    ``views`` caches what rules derived from the body.
    """

    format: str
    direction: str
    body: Any
    reading: Reading
    model: str | None = None
    views: dict[Callable[[Any], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def view(self, make: Callable[[Any], T]) -> T:
        """``make(body)``, made once for all rule functions that look at it; none may change it."""
        if make not in self.views:
            self.views[make] = make(self.body)
        view: T = self.views[make]
        return view


def same_id(call: Call, other: Call, ids: Sequence[str]) -> Breach:
    """The breach of a call whose id an earlier one has; ``ids`` are the ``first_of`` those that may stand once."""
    message = f"call {other.ordinal + 1}, {other.name}, at {other.pointer} has this id already; it must be another"
    want = another(str(call.id), ids)
    return Breach(
        call.id_pointer or call.pointer, message, want, call.id, subject=f"call {call.ordinal + 1}, {call.name}"
    )


def wrong_id(waiting: Collection[str]) -> str:
    """What is said of a result whose id is of no call, by the ids of the calls ``waiting`` for theirs."""
    first = [*waiting][:_NAMED]
    more = [f"{len(waiting) - len(first)} more"] if len(waiting) > len(first) else []
    wait = f"{' and '.join([*first, *more])} {'has' if len(waiting) == 1 else 'have'} no result"
    return f"a wrong id: {wait}, and no call of this id waits for one"


def ids_once_in_batch(calls: Iterable[Call]) -> Iterator[Breach]:
    """The breaches of calls whose id an earlier one of the same batch has. Those without an id are left out."""
    for _, together in groupby(calls, lambda call: call.batch):
        batch = list(together)
        ids = first_of(call.id for call in batch)
        first_calls: dict[str, Call] = {}
        for call in batch:
            if call.id is not None and (first := first_calls.setdefault(call.id, call)) is not call:
                yield same_id(call, first, ids)


LONGEST_LITERAL = 50_000


def meant_text(text: str) -> Any:
    """The JSON text of the object that ``text`` means: quoted once too often, or written as Python; else its form."""
    python_value = python_object(text)
    if python_value is not NOT_KNOWN:
        return json.dumps(python_value, ensure_ascii=False)
    try:
        inner = parse_arguments(text)
        inner_value = parse_arguments(inner) if isinstance(inner, str) else None
    except JSONError:
        return OBJECT_TEXT
    return inner if isinstance(inner_value, dict) else OBJECT_TEXT


def why_no_json(text: Any, otherwise: str = "") -> str:
    """What is said of a text that must be JSON: which number in it JSON does not have, or ``otherwise``."""
    name = constant_in(text)
    return f"{name} in it is a number which JSON does not have" if name else otherwise


def meant_object(data: Any, otherwise: Form = OBJECT) -> Any:
    """The object that the data of an event means in the way of Python; ``otherwise`` if it means none."""
    python_value = python_object(data)
    return otherwise if python_value is NOT_KNOWN else python_value


def python_object(text: Any) -> Any:
    """The object that ``text`` writes as Python does, ``{'a': True}``, as ``str(dict)`` makes it; else NOT_KNOWN."""
    if not isinstance(text, str) or not text.startswith("{'") or len(text) > LONGEST_LITERAL:
        return NOT_KNOWN
    try:
        value = json.loads(json.dumps(ast.literal_eval(text), allow_nan=False))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return NOT_KNOWN
    return value if isinstance(value, dict) else NOT_KNOWN


RuleFunction = Callable[[Subject], Iterable[Breach]]


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """The check of a rule: its id, the directions of the bodies that it looks at, and what yields its breaches."""

    id: str
    directions: frozenset[str]
    breaches: RuleFunction
    module: str


def rule(rule_id: str, *directions: str) -> Callable[[RuleFunction], RuleCheck]:
    """Make a check of a function. It looks at bodies of these directions, by default ``request`` and ``response``."""

    def decorate(function: RuleFunction) -> RuleCheck:
        return RuleCheck(rule_id, frozenset(directions or ("request", "response")), function, function.__module__)

    return decorate


def rules_of(*modules: ModuleType) -> tuple[RuleCheck, ...]:
    """The checks that these modules define. Raises ValueError for an id that two functions have."""
    checks = tuple(check for module in modules for check in _defined_in(module))
    ids = [check.id for check in checks]
    twice = sorted({rule_id for rule_id in ids if ids.count(rule_id) > 1})
    if twice:
        raise ValueError(f"two functions check the same rule: {', '.join(twice)}")
    return checks


def _defined_in(module: ModuleType) -> Iterator[RuleCheck]:
    """The checks that a module defines, without those that it imports."""
    members = vars(module).values()
    return (member for member in members if isinstance(member, RuleCheck) and member.module == module.__name__)
