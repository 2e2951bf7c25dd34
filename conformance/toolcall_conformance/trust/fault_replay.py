"""Makes one fault again, by its name, to look at it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.trust.mutation import Mutation, SoundOutput
from toolcall_conformance.trust.nodes import nodes
from toolcall_conformance.trust.operators.catalogue import OPERATORS, Unfit
from toolcall_conformance.trust.places import DIRECTIONS
from toolcall_conformance.trust.sampling import Lot, Sampler

_MAX_PLACES = 12
_MAX_LENGTH = 300


class FaultReplay:
    """Makes the faults of a sampler by name. Every method raises LookupError for a name that is none."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def mutation(self, name: str) -> Mutation:
        """What becomes of the fault."""
        baseline, operator, pointer, output = self._replay(name)
        return self._sampler.workshop.judge_output(baseline, operator, pointer, output)

    def findings(self, name: str) -> Sequence[Finding]:
        """All that the judge says of the damaged output."""
        baseline, _, _, output = self._replay(name)
        return self._sampler.workshop.findings(baseline.place, output)

    def differences(self, name: str) -> Iterator[str]:
        """The places of the output that differ, before and after."""
        baseline, _, _, output = self._replay(name)
        yield from differences(baseline.place.output, output)

    def _replay(self, name: str) -> tuple[SoundOutput, str, str, Any]:
        parts = name.split("::", 4)
        if len(parts) != 5 or "@" not in parts[4]:
            raise LookupError(f"{name!r} is no fault; one is CASE::DIRECTION::ROUTE::NUMBER::OPERATOR@POINTER")
        case, direction, route, number, fault = parts
        operator, _, pointer = fault.partition("@")
        client, _, upstream = route.partition("-to-")
        shop = self._sampler.workshop
        if case not in shop.harness.corpus.cases or direction not in DIRECTIONS or operator not in OPERATORS:
            raise LookupError(f"{name!r}: there is no such case, direction or operator")
        lot = Lot(direction, client, upstream, operator, None, 0)
        for place in self._sampler.of_case(lot, case):
            baseline = shop.baseline(place) if f"{place.number:02}" == number else None
            if baseline is not None:
                donor = self._sampler.donor_output(lot, place) if shop.table.operator(operator).donates else None
                try:
                    return baseline, operator, pointer, shop.apply(place, operator, pointer, donor)
                except (Unfit, LookupError, AttributeError, TypeError):  # an operator of lists at a member, and so on
                    raise LookupError(f"{name!r}: the operator changes nothing there") from None
        raise LookupError(f"{name!r}: the translator produces no such body")


def differences(before: Any, after: Any) -> Iterator[str]:
    """The first places of two bodies that differ, before and after."""
    old_values, new_values = (
        {node.pointer: node.value for node in nodes(body) if node.kind not in ("list", "object") or not node.value}
        for body in (before, after)
    )
    common = old_values.keys() & new_values.keys()
    changed = [
        pointer
        for pointer in {**old_values, **new_values}
        if pointer not in common or not equal(old_values[pointer], new_values[pointer])
    ]
    for pointer in changed[:_MAX_PLACES]:
        yield f"  {pointer}: {_text(old_values, pointer)} -> {_text(new_values, pointer)}"
    if len(changed) > _MAX_PLACES:
        yield f"  and {pluralize(len(changed) - _MAX_PLACES, 'more place')}"


def _text(values: dict[str, Any], pointer: str) -> str:
    text = json.dumps(values[pointer], ensure_ascii=False) if pointer in values else "(absent)"
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"
