"""Ids of calls that are other ones, or none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from toolcall_conformance.findings import MISSING
from toolcall_conformance.reading import Reading, Result
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


@tolerance("id-rewritten")
def id_rewritten(bodies: Bodies) -> Iterator[Occurrence]:
    """A call has another id than before."""
    source, output = bodies.pair.source.calls, bodies.pair.output.calls
    for left, right in bodies.pair.calls.items():
        old, new = source[left], output[right]
        if old.id and new.id and old.id != new.id:
            yield Occurrence(new.id_pointer or new.pointer, old.id_pointer, old.id, new.id)


@tolerance("optional-id-dropped")
def optional_id_dropped(bodies: Bodies) -> Iterator[Occurrence]:
    """A call has an id on one side only."""
    source, output = bodies.pair.source.calls, bodies.pair.output.calls
    for left, right in bodies.pair.calls.items():
        old, new = source[left], output[right]
        if bool(old.id) != bool(new.id):
            yield Occurrence(new.id_pointer or new.pointer, old.id_pointer, old.id or MISSING, new.id or MISSING)


@tolerance("order-of-results-linked-by-id")
def order_of_results_linked_by_id(bodies: Bodies) -> Iterator[Occurrence]:
    """The results of a turn answer the same calls in another order."""
    orders: dict[tuple[int, ...], dict[tuple[int, ...], None]] = {}
    for turn in _turns(bodies.pair.source):
        order = tuple(-1 if result.call is None else bodies.pair.calls.get(result.call, -1) for result in turn)
        orders.setdefault(tuple(sorted(order)), {})[order] = None
    for turn in _turns(bodies.pair.output):
        order = tuple(-1 if result.call is None else result.call for result in turn)
        for other in orders.get(tuple(sorted(order)), ()):
            if order != other and -1 not in order:
                yield Occurrence(turn[0].pointer, None, other, order)


def _turns(reading: Reading) -> Iterator[list[Result]]:
    """The rows of results of a body."""
    for turn in reading.turns:
        for answered, items in groupby(turn.items, key=lambda item: isinstance(item, Result)):
            if answered:
                yield [item for item in items if isinstance(item, Result)]
