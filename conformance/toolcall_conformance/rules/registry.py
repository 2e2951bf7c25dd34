"""Rule functions register here under the id that the corpus gives their rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.reading import Reading


@dataclass(frozen=True, slots=True)
class Subject:
    """A body under the rules of its own format. ``model`` is the model it goes to or comes from, if known."""

    format: str
    direction: str
    body: Any
    reading: Reading
    model: str | None = None


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


def rule(rule_id: str, *directions: str) -> Callable[[RuleFunction], RuleFunction]:
    """Register a function for ``rule_id``; it is called for bodies of these directions (``request``, ``response``)."""

    def register(function: RuleFunction) -> RuleFunction:
        if rule_id in _functions:
            raise ValueError(f"two functions are registered for the rule {rule_id}")
        _functions[rule_id] = (frozenset(directions or ("request", "response")), function)
        return function

    return register


def functions() -> dict[str, tuple[frozenset[str], RuleFunction]]:
    """All registered functions by rule id, with the directions each applies to."""
    return dict(_functions)
