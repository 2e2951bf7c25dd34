"""Rule functions register here under the id that the corpus gives their rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from toolcall_conformance.findings import MISSING
from toolcall_conformance.reading import Reading

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """A body under the rules of its own format. ``model`` is the model it goes to or comes from, if known.

    ``views`` holds what was made of the body so far.
    """

    format: str
    direction: str
    body: Any
    reading: Reading
    model: str | None = None
    views: dict[Callable[[Any], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def view(self, make: Callable[[Any], T]) -> T:
        """``make(body)``: what many rule functions look at is made once for all of them, and changed by none."""
        if make not in self.views:
            self.views[make] = make(self.body)
        found: T = self.views[make]
        return found


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken; the rule's level and sentence are in the corpus."""

    pointer: str
    message: str = ""
    want: Any = MISSING
    got: Any = MISSING
    element: str = ""
    subject: str = ""


RuleFunction = Callable[[Subject], Iterable[Breach]]

_functions: dict[str, tuple[frozenset[str], RuleFunction]] = {}
_by_format: dict[str, list[tuple[str, frozenset[str], RuleFunction]]] = {}


def rule(rule_id: str, *directions: str) -> Callable[[RuleFunction], RuleFunction]:
    """Register a function for ``rule_id``; it is called for bodies of these directions (``request``, ``response``)."""

    def register(function: RuleFunction) -> RuleFunction:
        if rule_id in _functions:
            raise ValueError(f"two functions are registered for the rule {rule_id}")
        applies = frozenset(directions or ("request", "response"))
        _functions[rule_id] = (applies, function)
        _by_format.setdefault(rule_id.split("/")[0], []).append((rule_id, applies, function))
        return function

    return register


def functions() -> dict[str, tuple[frozenset[str], RuleFunction]]:
    """All registered functions by rule id, with the directions each applies to."""
    return dict(_functions)


def functions_of(format_name: str, direction: str) -> list[tuple[str, RuleFunction]]:
    """The functions that apply to bodies of a format and direction, each with its rule id."""
    found = _by_format.get(format_name, ())
    return [(rule_id, function) for rule_id, directions, function in found if direction in directions]
