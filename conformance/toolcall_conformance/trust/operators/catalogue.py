"""The operators by name: each puts one fault into a copy of a body, at one place.

They know no format: only members, items, texts and numbers. ``corpus/mutations/operators.json`` lists them, and what
each applies to.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal
from toolcall_conformance.trust.nodes import holder_of
from toolcall_conformance.trust.operators import foreign_values, items, values
from toolcall_conformance.trust.operators.spots import OPERATORS, Spot, Unfit, fit

__all__ = ["OPERATORS", "Unfit", "apply_operator"]

MODULES = (foreign_values, items, values)
"""The modules whose import fills the table."""


def apply_operator(name: str, body: Any, pointer: str, donor: Any = None) -> Any:
    """A copy of ``body`` with the fault of an operator at a place. Raises Unfit where that changes nothing."""
    changed = deep_copy(body)
    OPERATORS[name](Spot(changed, pointer, *holder_of(changed, pointer), donor))
    fit(not equal(changed, body))
    return changed
