"""Playing a session double through every check, and what each of them said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from doubles.running import JUDGES
from doubles.sessions.model import Doubled, SessionDouble
from toolcall_conformance.checks import CHECKS, ItemResult, needs, variants
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.python import PythonDriver
from toolcall_conformance.findings import MISSING, Level
from toolcall_conformance.library import Case, load_corpus


def items(double: SessionDouble) -> list[tuple[str, str]]:
    """The checks of its case and route, each with its variant, in the order in which they run."""
    corpus = load_corpus()
    case = corpus.cases[double.case]
    every = [
        (check, name) for check in CHECKS for name in variants(corpus, check, case, double.client, double.upstream)
    ]
    # Where one has no hooks for it, a stream would go past what the double changes.
    return [
        (check, name)
        for check, name in every
        if double.streams or "stream" not in needs(check, case, double.upstream, name)
    ]


@cache
def play(double: SessionDouble, check: str, variant: str) -> ItemResult:
    """What a check says of the double; every item has a translator of its own."""
    case = load_corpus().cases[double.case]
    route = _route(double, case)
    driver = PythonDriver(Doubled(double), f"double:{double.name}")
    return CHECKS[check](
        case, route, driver.open, JUDGES, variant, _neighbour(case) if variant == "interleaved" else None
    )


def _neighbour(case: Case) -> Case:
    """The next case with as many exchanges, so that a second conversation is always under way."""
    fitting = [
        each
        for each in load_corpus().cases.values()
        if len(each.exchanges("anthropic")) >= len(case.exchanges("anthropic"))
    ]
    return fitting[(fitting.index(case) + 1) % len(fitting)]


def told(result: ItemResult, level: Level) -> set[str]:
    """The rules named at a level."""
    return {finding.rule for finding in result.findings if finding.level is level}


def first_seen(double: SessionDouble) -> str | None:
    """The first item, in the order in which they run, that names the fault: ``request``, ``agent_loop-swapped``."""
    level = Level.MUST if double.kind == "broken" else Level.SHOULD
    for check, variant in items(double):
        if told(play(double, check, variant), level):
            return f"{check}-{variant}" if variant else check
    return None


@dataclass(frozen=True, slots=True)
class Heard:
    """A request that a double sent upstream in the loop, and what it is judged by.

    ``golden`` is the upstream's own request, ``request`` the client's; ``first`` the item that saw the fault first.
    """

    route: Route
    number: int
    variant: str
    golden: Any
    request: Any
    output: Any
    first: str | None


def heard(double: SessionDouble) -> Heard | None:
    """The request in which the double's fault stands (of a harmless one the last); None if none does."""
    if double.check != "agent_loop":
        return None
    case = load_corpus().cases[double.case]
    variant = double.variants[0] if double.variants else ""
    result = play(double, "agent_loop", variant)
    guilty = {finding.body for finding in result.findings if finding.rule in double.rules}
    for played in reversed(result.played):
        if not played.name.endswith("-request") or (double.rules and played.name not in guilty):
            continue
        number = int(played.name[:2])
        if played.produced is MISSING or number == 1:
            return None
        request = case.exchanges(double.client)[number - 1].request
        golden, output = played.golden, played.produced
        return Heard(_route(double, case), number, variant, golden, request, output, first_seen(double))
    return None


def _route(double: SessionDouble, case: Case) -> Route:
    return Route(double.client, double.upstream, case.model(double.client), case.model(double.upstream))
