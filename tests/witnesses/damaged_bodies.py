"""Unary bodies with one fault each: what the official client makes of them, and what the judge says.

    python tests witnesses.damaged_bodies --count 8000 --seed 1

prints what the client refuses, and what the judge finds no fault with; each such difference has its reason in
``damaged_bodies.json``, or is printed. A reply is given to the client, and its user walks through it; replies and
requests are held against the client's types. Recorded bodies are damaged, too, where there are any. Needs the extra
``witnesses``. The exit code is 1 where a difference is unexplained.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import pack
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.trust.table import MutationTable
from toolcall_conformance.trust.witnesses.compare import differences
from toolcall_conformance.trust.witnesses.model import Sdk
from toolcall_conformance.trust.witnesses.questions import words
from toolcall_conformance.trust.witnesses.sdk_types import problems
from witnesses.damage_generator import DamagedBody, Source, draw_damaged
from witnesses.known_differences import BODIES, entries, unexplained_differences
from witnesses.wire import sdk

SHOWN = 60
KINDS = {
    "taken": "the client takes it as the judge reads it",
    "both": "the client does not, and the judge finds a fault, if only to warn of it",
    "fails": "the client or its user's code fails, and the judge finds no fault",
    "other": "its user sees another reply than the judge reads, and the judge finds no fault",
    "untyped": "its types do not take it, and the judge finds no fault",
}
DIFFERENCES = ("fails", "other", "untyped")


def bodies(corpus: Corpus, name: str, direction: str, cases: Iterable[str], *, recorded: bool) -> list[Source]:
    """The bodies of a format: those of cases of the corpus, then the recorded ones; each once."""
    sources_by_body: dict[bytes, Source] = {}
    for where, body in chain(
        _golden(corpus, name, direction, cases), _recorded_bodies(name, direction) if recorded else ()
    ):
        sources_by_body.setdefault(pack(body), Source(where, name, body, direction))
    return list(sources_by_body.values())


def _golden(corpus: Corpus, name: str, direction: str, cases: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for case in map(corpus.cases.__getitem__, cases):
        for exchange in case.exchanges(name) if name in case.formats and name not in case.dialects else ():
            body = exchange.response if direction == "response" else exchange.request
            if body is not None:
                yield f"{case.id}/{exchange.number:02}/{direction}", body


def _recorded_bodies(name: str, direction: str) -> Iterator[tuple[str, Any]]:
    for record in records(name) if TRAFFIC.is_dir() else ():
        if record.is_official(name):
            yield from ((f"{record.path}/{way}", body) for way, body in record.bodies if way == direction)


@dataclass(frozen=True)
class BodyComparison:
    """What the client does with one body. ``kind`` is one of :data:`KINDS`, ``says`` what it says."""

    kind: str
    says: str = ""


@dataclass(frozen=True)
class Difference:
    """A damaged body that only the client finds fault with."""

    fault: DamagedBody
    found: BodyComparison

    def __str__(self) -> str:
        return f"{self.found.kind} {self.fault.format} {self.fault.pattern}: {self.fault.name}\n    {self.found.says}"


@dataclass
class Comparer:
    """Compares faults of bodies with the bodies as they were."""

    corpus: Corpus
    _usual: dict[str, tuple[set[Any], set[Any]]] = field(default_factory=dict)

    def compare(self, subject: DamagedBody) -> BodyComparison:
        """What the client does with a damaged body, and whether the judge finds a fault in it, too."""
        source = subject.source
        if source.name not in self._usual:
            places = {place for place, _ in _untyped(sdk(subject.format), source.direction, source.body)}
            self._usual[source.name] = places, self.rules(source.format, source.direction, source.body)
        types, rules = self._usual[source.name]
        kind, says = _client_outcome(sdk(subject.format), subject, types)
        if kind != "taken" and self.rules(subject.format, subject.direction, subject.body) - rules:
            return BodyComparison("both", says)
        return BodyComparison(kind, says)

    def rules(self, name: str, direction: str, body: Any) -> set[Any]:
        """What the judge finds in a body, by rule and place."""
        return {(finding.rule, finding.pointer) for finding in check_body(self.corpus, name, direction, body)}


def _client_outcome(client: Sdk, fault: DamagedBody, usual: set[Any]) -> tuple[str, str]:
    """The gravest thing that there is to say: it fails, its user sees something else, its types refuse it."""
    if fault.direction == "response":
        own = formats.read(fault.format, "response", fault.body)
        client.wire.lay(fault.body)
        try:
            view = client.see(client.reply())
        except Exception as error:
            return "fails", words(error)
        other = differences(view, own, own)
        if other:
            return "other", "; ".join(other)
    new = [
        f"{place or 'the body'}: {message}"
        for place, message in _untyped(client, fault.direction, fault.body)
        if place not in usual
    ]
    return ("untyped", new[0]) if new else ("taken", "")


def _untyped(client: Sdk, direction: str, body: Any) -> list[tuple[str, str]]:
    """What its types do not take; a type that fails at a value refuses it, too."""
    try:
        return client.request_problems(body) if direction == "request" else problems(client.reply_type(), body)
    except Exception as error:
        return [("", words(error))]


def find_differences(comparer: Comparer, faults: Iterable[DamagedBody], counts: Counter[str]) -> Iterator[Difference]:
    """The differences among faults; ``counts`` gets how many there are of each kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # words that a client does not know
        for fault in faults:
            comparison = comparer.compare(fault)
            counts[comparison.kind] += 1
            if comparison.kind in DIFFERENCES:
                yield Difference(fault, comparison)


def usable(comparer: Comparer, candidates: Iterable[Source]) -> list[Source]:
    """The bodies that the client's user reads as the judge does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # see above
        return [source for source in candidates if comparer.compare(source.undamaged()).kind == "taken"]


def main(argv: list[str]) -> int:
    """Damage, compare and print."""
    parser = argparse.ArgumentParser(
        prog="python tests witnesses.damaged_bodies", description="Damaged bodies, read twice."
    )
    parser.add_argument("--count", type=int, default=8000, help="how many faults, over all formats and directions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--formats", nargs="+", choices=formats.names(), default=list(formats.names()))
    options = parser.parse_args(argv)
    corpus = load_corpus()
    comparer, table, listed = Comparer(corpus), MutationTable(corpus), entries(BODIES)
    left: list[Difference] = []
    for name in options.formats:
        for direction in ("response", "request"):
            began = time.monotonic()
            right = usable(comparer, bodies(corpus, name, direction, corpus.cases, recorded=True))
            kinds: Counter[str] = Counter()
            reasons: Counter[str] = Counter()
            faults = draw_damaged(table, right, options.count // len(options.formats) // 2, options.seed)
            new = unexplained_differences(listed, find_differences(comparer, faults, kinds), reasons)
            left += new
            print(
                f"{name} {direction}: {kinds.total()} faults in {len(right)} bodies, {time.monotonic() - began:.0f} s"
            )
            for kind, meaning in KINDS.items():
                print(f"  {kinds[kind]:6} {kind}: {meaning}")
            for reason, count in reasons.most_common():
                print(f"  {count:6} explained: {reason}")
            print(f"  {len(new):6} unexplained", flush=True)
    for difference in left[:SHOWN]:
        print(difference)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
