"""The right bodies that are rewritten in another notation: a translator's output, its source, and the goldens alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.trust.elements import Elements
from toolcall_conformance.trust.harmless.notations import is_there
from toolcall_conformance.trust.mutation import Workshop
from toolcall_conformance.trust.places import Direction, Place, findings
from toolcall_conformance.trust.table import MutationTable

Side = Literal["output", "source", "golden"]
WAYS: tuple[Direction, ...] = ("request", "response", "stream")
"""The directions whose bodies are rewritten."""

SIDES: tuple[Side, ...] = ("output", "source", "golden")
"""A translator's output; its source; a golden file, under its own format's rules alone."""


@dataclass
class Base:
    """A right body. ``judge`` gives the findings of the body in another notation, ``rule_counts`` counts its own."""

    name: str
    side: Side
    format: str
    direction: Direction
    body: Any
    judge: Callable[[Any], Iterable[Finding]]
    rule_counts: Counter[str]
    _elements: Elements | None = None

    def element(self, pointer: str, table: MutationTable) -> str:
        """What a place of the body is of, or the one around it where the body has none there."""
        while pointer and not is_there(self.body, pointer):
            pointer = pointer.rpartition("/")[0]
        if pointer in ("", "/events"):
            return "body"
        if self._elements is None:
            self._elements = Elements(self.format, self.direction, self.body, table.tops)
        return self._elements.at(pointer)

    def new(self, body: Any) -> list[Finding]:
        """The findings of another notation that the body does not have, by their rules."""
        left = Counter(self.rule_counts)
        new_findings = []
        for finding in self.judge(body):
            if left[finding.rule] and not finding.is_must:
                left[finding.rule] -= 1
            else:
                new_findings.append(finding)
        return new_findings


def _base(
    name: str, side: Side, form: tuple[str, Direction], body: Any, judge: Callable[[Any], Iterable[Finding]]
) -> Iterator[Base]:
    """A base, unless the judge finds a fault in it."""
    body_findings = list(judge(body))
    if not any(finding.is_must for finding in body_findings):
        yield Base(name, side, *form, body, judge, Counter(finding.rule for finding in body_findings))


def place_bases(shop: Workshop, place: Place, side: Side) -> Iterator[Base]:
    """The output of a place, or its source."""
    if side == "output":
        yield from _base(
            f"output::{place.name}",
            side,
            (place.target, place.direction),
            place.output,
            lambda body: findings(shop.driver, shop.harness, place, body),
        )
    else:
        source_format = place.route.client if place.direction == "request" else place.route.upstream
        source = {"events": place.source["events"]} if place.direction == "stream" else place.source
        yield from _base(
            f"source::{place.name}",
            side,
            (source_format, place.direction),
            source,
            lambda body: findings(shop.driver, shop.harness, replace(place, source=body), place.output),
        )


def golden_bases(corpus: Corpus, case: Case, name: str, direction: Direction) -> Iterator[Base]:
    """The golden files of a case in a format."""
    if name not in case.formats:
        return
    for exchange in case.exchanges(name):
        body: Any
        if direction == "stream":
            body = {"events": parse(exchange.stream())["events"]} if exchange.stream_path else None
        else:
            body = exchange.request if direction == "request" else exchange.response
        if body is not None:
            yield from _base(
                f"golden::{case.id}::{direction}::{name}-to-{name}::{exchange.number:02}",
                "golden",
                (name, direction),
                body,
                lambda body: check_body(corpus, name, direction, body, model=case.model(name)),
            )
