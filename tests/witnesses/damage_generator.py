"""Bodies and streams with one fault each, by the operators of ``mutate``.

A fault has a name, ``SOURCE::OPERATOR@POINTER``, and a run with one seed always makes the same ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.trust.mutation import as_sent
from toolcall_conformance.trust.nodes import PlacedValue, nodes, pattern_of
from toolcall_conformance.trust.operators.catalogue import Unfit, apply_operator
from toolcall_conformance.trust.table import Applies, MutationTable

NODES = 12
"""At how many members of one body an operator is tried."""

OWN = ("properties", "input", "args", "response", "arguments", "input_schema", "parameters", "schema")
"""Below these stands what a user wrote: all places there are one."""


@dataclass(frozen=True)
class Source:
    """A body without a fault, a stream as ``streaming.parse`` has it, by its name."""

    name: str
    format: str
    body: Any
    direction: str = "stream"

    @cached_property
    def nodes(self) -> list[PlacedValue]:
        return [node for node in nodes(self.body) if node.pointer != "/events"]

    def pattern(self, pointer: str) -> str:
        """Which member it is, in streams of which kind of event."""
        tokens = pointer.split("/")
        start = 3 if self.direction == "stream" else 1
        top = start + 1 if self.direction == "request" else start  # one format calls the conversation its input
        end = next((place for place, token in enumerate(tokens) if token in OWN and place >= top), len(tokens))
        below = "/**" if end + 1 < len(tokens) else ""
        kind = self.direction
        if kind == "stream":
            kind = formats.event_kind(self.format, self.body["events"][int(tokens[2])])
        member = pattern_of("/".join(tokens[start : end + 1]))
        return f"{kind} {member}{below}".rstrip()

    def undamaged(self) -> DamagedBody:
        """Itself, with no fault."""
        return DamagedBody(self, "", "", self.body)


@dataclass(frozen=True)
class DamagedBody:
    """A body with one fault. ``pattern`` is the member at which it is."""

    source: Source
    operator: str
    pointer: str
    body: Any

    @property
    def name(self) -> str:
        return f"{self.source.name}::{self.operator}@{self.pointer}"

    @property
    def pattern(self) -> str:
        return self.source.pattern(self.pointer)

    @property
    def format(self) -> str:
        return self.source.format

    @property
    def direction(self) -> str:
        return self.source.direction


def draw_damaged(table: MutationTable, sources: Sequence[Source], count: int, seed: int) -> Iterator[DamagedBody]:
    """``count`` different faults, each operator in turn, at the members that were damaged least so far."""
    chance = random.Random(f"{seed} {sources[0].format}")
    counts: Counter[tuple[str, str]] = Counter()
    names: set[str] = set()
    # Some operators take what stands in another exchange of a conversation, or at another event of a stream.
    operators = [operator for operator in table.operators if not operator.across or sources[0].direction == "stream"]
    while len(names) < count:
        before = len(names)
        for applies in operators:
            fault = _draw_damaged(applies, sources, chance, counts, names) if len(names) < count else None
            if fault is not None:
                counts[fault.operator, fault.pattern] += 1
                names.add(fault.name)
                yield fault
        if len(names) == before:
            return


def _draw_damaged(
    applies: Applies,
    sources: Sequence[Source],
    chance: random.Random,
    counts: Counter[tuple[str, str]],
    names: set[str],
) -> DamagedBody | None:
    source, donor = chance.choice(sources), chance.choice(sources)
    fitting = [node for node in source.nodes if applies.fits(node)]
    chance.shuffle(fitting)
    fitting.sort(key=lambda node: counts[applies.name, source.pattern(node.pointer)])
    for node in fitting[:NODES]:
        fault = damage_body(source, applies.name, node.pointer, donor.body)
        if fault is not None and fault.name not in names:
            return fault
    return None


def damage_body(source: Source, operator: str, pointer: str, donor: Any = None) -> DamagedBody | None:
    """The body with that fault; None where the operator changes nothing that can be sent."""
    try:
        body = apply_operator(operator, source.body, pointer, donor)
        if source.direction == "stream":
            body = as_sent(body, source.body)
    except Unfit:
        return None
    return DamagedBody(source, operator, pointer, body)
