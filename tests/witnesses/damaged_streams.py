"""Streams with one fault each, by the operators of ``mutate``: of the corpus, and recorded where there are any.

A fault has a name, ``STREAM::OPERATOR@POINTER``, and a run with one seed always makes the same ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.library import Corpus
from toolcall_conformance.streaming import dump, parse
from toolcall_conformance.trust.mutation import as_sent
from toolcall_conformance.trust.nodes import Node, nodes, pattern_of
from toolcall_conformance.trust.operators import Unfit, mutated
from toolcall_conformance.trust.table import Applies, Table

LONGEST = 80
"""Streams of more events are left out: they take long, and hold nothing that shorter ones have not."""

NODES = 12
"""At how many members of one stream an operator is tried."""

OWN = ("properties", "input", "args", "response", "arguments")
"""Below these stands what a user wrote: all places there are one."""


@dataclass(frozen=True)
class Source:
    """A stream without a fault, as ``streaming.parse`` has it, by its name."""

    name: str
    format: str
    stream: Any

    @cached_property
    def nodes(self) -> list[Node]:
        return [one for one in nodes(self.stream) if one.pointer != "/events"]

    def pattern(self, pointer: str) -> str:
        """Which member of which kind of event it is."""
        tokens = pointer.split("/")
        end = next((place for place, token in enumerate(tokens) if token in OWN), len(tokens))
        below = "/**" if end + 1 < len(tokens) else ""
        kind = formats.event_kind(self.format, self.stream["events"][int(tokens[2])])
        return f"{kind} {pattern_of('/'.join(tokens[3 : end + 1]))}{below}".rstrip()


@dataclass(frozen=True)
class Damaged:
    """A stream with one fault. ``pattern`` is the kind of event and the member at which it is."""

    source: Source
    operator: str
    pointer: str
    stream: Any

    @property
    def name(self) -> str:
        return f"{self.source.name}::{self.operator}@{self.pointer}"

    @property
    def pattern(self) -> str:
        return self.source.pattern(self.pointer)

    @property
    def format(self) -> str:
        return self.source.format


def sources(corpus: Corpus, name: str, cases: Iterable[str], *, recorded: bool) -> list[Source]:
    """The whole streams of a format: those of cases of the corpus, then the recorded ones; each once."""
    found: dict[bytes, Source] = {}
    for where, data in chain(_golden(corpus, name, cases), _recorded(name) if recorded else ()):
        stream = {"events": parse(data)["events"]}
        if 0 < len(stream["events"]) <= LONGEST and formats.assembled(name, stream).end == "whole":
            found.setdefault(dump(stream["events"]), Source(where, name, stream))
    return list(found.values())


def _golden(corpus: Corpus, name: str, cases: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for case in map(corpus.cases.__getitem__, cases):
        for exchange in case.exchanges(name) if name in case.formats and name not in case.dialects else ():
            if exchange.stream_path is not None:
                yield f"{case.id}/{exchange.number:02}", exchange.stream_path.read_bytes()


def _recorded(name: str) -> Iterator[tuple[str, bytes]]:
    for record in records(name) if TRAFFIC.is_dir() else ():
        if record.content["sse"] and record.content["stream_format"] == "sse" and record.is_official(name):
            yield record.path, record.content["sse"].encode("utf-8", "surrogatepass")


def drawn(table: Table, given: Sequence[Source], count: int, seed: int) -> Iterator[Damaged]:
    """``count`` different faults, each operator in turn, at the members that were damaged least so far."""
    chance = random.Random(f"{seed} {given[0].format}")
    made: Counter[tuple[str, str]] = Counter()
    names: set[str] = set()
    while len(names) < count:
        before = len(names)
        for applies in table.operators:
            one = _one(applies, given, chance, made, names) if len(names) < count else None
            if one is not None:
                made[one.operator, one.pattern] += 1
                names.add(one.name)
                yield one
        if len(names) == before:
            return


def _one(
    applies: Applies,
    given: Sequence[Source],
    chance: random.Random,
    made: Counter[tuple[str, str]],
    names: set[str],
) -> Damaged | None:
    source, donor = chance.choice(given), chance.choice(given)
    fitting = [one for one in source.nodes if applies.fits(one)]
    chance.shuffle(fitting)
    fitting.sort(key=lambda one: made[applies.name, source.pattern(one.pointer)])
    for node in fitting[:NODES]:
        one = damaged(source, applies.name, node.pointer, donor.stream)
        if one is not None and one.name not in names:
            return one
    return None


def damaged(source: Source, operator: str, pointer: str, donor: Any = None) -> Damaged | None:
    """The stream with that fault; None where the operator changes nothing that can be sent."""
    try:
        stream = as_sent(mutated(operator, source.stream, pointer, donor), source.stream)
    except Unfit:
        return None
    return Damaged(source, operator, pointer, stream)
