"""The operators by name: each puts one fault into a copy of a body, at a place that it is given.

They know nothing of formats: members, items, texts and numbers are all they see. Which there are, and what each applies
to, stands in ``corpus/mutations/operators.json``.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, equal
from toolcall_conformance.trust.nodes import holder_of
from toolcall_conformance.trust.operators import across_exchanges as across_operators
from toolcall_conformance.trust.operators import foreign_values as other_operators
from toolcall_conformance.trust.operators import items as item_operators
from toolcall_conformance.trust.operators import merging as merge_operators
from toolcall_conformance.trust.operators import values as value_operators
from toolcall_conformance.trust.operators.spots import OPERATORS, Spot, Unfit, fit

__all__ = ["OPERATORS", "Unfit", "mutated"]

MODULES = (across_operators, item_operators, merge_operators, other_operators, value_operators)
"""The modules whose import fills the table."""


def mutated(name: str, body: Any, pointer: str, donor: Any = None) -> Any:
    """A copy of ``body`` with the fault of an operator at a place. Raises Unfit where that changes nothing."""
    changed = deep_copy(body)
    OPERATORS[name](Spot(changed, pointer, *holder_of(changed, pointer), donor))
    fit(not equal(changed, body))
    return changed
