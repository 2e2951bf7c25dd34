"""Classes of faults, and which items of the corpus can show one.

A translator is seldom wrong in one body alone: it leaves a member out wherever the member comes. So a *class* is an
operator, a kind of place and an element, on one route in one direction. An item *hosts* a class where its bodies have
such a place, and kills it if a fault of the class, made there, breaks a MUST.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from toolcall_conformance import formats
from toolcall_conformance.trust.mutation import Mutation, SoundOutput, without_own
from toolcall_conformance.trust.nodes import PlacedValue, nodes, pattern_of
from toolcall_conformance.trust.operators.catalogue import Unfit
from toolcall_conformance.trust.places import Place
from toolcall_conformance.trust.sampling import Lot, Sampler

CHECK = {"request": "request", "response": "response", "error": "response", "stream": "stream", "loop": "agent_loop"}
"""The check whose items show the faults of a direction."""

TRIES = 4
"""How many places of an item get a fault of a class, before the item counts as one that does not kill it."""

Class = tuple[str, str, str]
"""The operator, the kind of place, and the element."""

Kind = tuple[str, str]
Shape = tuple[str, ...]


def class_of(mutation: Mutation) -> Class:
    """The class of a fault. In a stream the kind of the event and the member tell the element."""
    return mutation.operator, mutation.pattern, "" if mutation.direction == "stream" else mutation.element


def is_killed(mutation: Mutation) -> bool:
    """Whether a fault makes an item fail."""
    return mutation.outcome in ("killed", "beside")


@dataclass
class CaseIndex:
    """What the cases of one route and direction can show. A case is one item: all its bodies are played."""

    sampler: Sampler
    lot: Lot
    """Any lot of the route and direction."""
    _kinds: dict[str, dict[Kind, list[tuple[Place, PlacedValue]]]] = field(default_factory=dict, init=False)
    _shapes: dict[str, frozenset[Shape]] = field(default_factory=dict, init=False)
    _kills: dict[tuple[str, Class, Sequence[str]], bool] = field(default_factory=dict, init=False)

    def kinds(self, case: str) -> Mapping[Kind, list[tuple[Place, PlacedValue]]]:
        """The places of a case by their kind and element."""
        if case not in self._kinds:
            nodes_by_kind: dict[Kind, list[tuple[Place, PlacedValue]]] = {}
            for baseline in self._baselines(case):
                for node in baseline.nodes:
                    nodes_by_kind.setdefault(_kind(baseline, node), []).append((baseline.place, node))
            self._kinds[case] = nodes_by_kind
        return self._kinds[case]

    def shapes(self, case: str) -> frozenset[Shape]:
        """The shapes of a case's sources: members with their types, words of the format, events in a row."""
        if case not in self._shapes:
            places = self.sampler.of_case(self.lot, case)
            self._shapes[case] = frozenset(shape for place in places for shape in _shapes(place))
        return self._shapes[case]

    def cost(self, case: str) -> float:
        """What it takes to play a case, by the size of what is judged; 0 for one that is not on the route."""
        sizes = [len(baseline.nodes) for baseline in self._baselines(case)]
        return sum(sizes) + _EACH * len(sizes)

    def hosts(self, case: str, mutant_class: Class) -> bool:
        """Whether the case has a place of the kind that a class of faults needs."""
        operator, *kind = mutant_class
        applies = self.sampler.workshop.table.operator(operator)
        return any(applies.fits(node) for _, node in self.kinds(case).get((kind[0], kind[1]), ()))

    def kills(self, case: str, mutant_class: Class, checks: Sequence[str] = ("agent_loop",)) -> bool:
        """Whether a case kills a class: a fault of it is made there, and judged; in a conversation, by some checks."""
        if (case, mutant_class, checks) not in self._kills:
            self._kills[case, mutant_class, checks] = any(self._grave(case, mutant_class, checks))
        return self._kills[case, mutant_class, checks]

    def _grave(self, case: str, mutant_class: Class, checks: Sequence[str]) -> Iterator[bool]:
        """Of each place that is tried, whether a fault there breaks a MUST."""
        operator, *kind = mutant_class
        applies, tried = self.sampler.workshop.table.operator(operator), 0
        for place, node in self.kinds(case).get((kind[0], kind[1]), ()):
            if applies.fits(node) and tried < TRIES:
                donor = self.sampler.donor_output(self.lot, place) if applies.donates else None
                try:
                    output = self.sampler.workshop.apply(place, operator, node.pointer, donor)
                except Unfit:
                    continue
                tried += 1
                yield self.sampler.workshop.breaks(place, output, checks)

    def _baselines(self, case: str) -> Sequence[SoundOutput]:
        candidates = (self.sampler.workshop.baseline(place) for place in self.sampler.of_case(self.lot, case))
        return [baseline for baseline in candidates if baseline is not None]


#: What playing a body takes beside what grows with it, in places of one.
_EACH = 60


def _kind(baseline: SoundOutput, node: PlacedValue) -> Kind:
    stream = baseline.place.direction == "stream"
    return baseline.pattern(node.pointer), "" if stream else baseline.element(node.pointer)


def _shapes(place: Place) -> Iterator[Shape]:
    stream = place.direction == "stream"
    for node in nodes(place.source):
        pointer = without_own(node.pointer, 4 if stream else 1)
        last = node.pointer.rpartition("/")[2] if pointer != node.pointer else ""
        # Short words in small letters are those of the format: roles, types, reasons.
        is_word = isinstance(node.value, str) and re.fullmatch(r"[a-z_.]{2,24}", node.value)
        yield pattern_of(pointer), last, node.kind, node.value if is_word else ""
    if stream:
        kinds = [formats.event_kind(place.route.upstream, event) for event in place.source["events"]]
        yield from (("events", *pair) for pair in pairwise(["", *kinds, ""]))
