"""The items of a run: every case, check and route that applies to the translator, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from toolcall_conformance.checks import CHECKS, NEEDS, variants
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Driver, Opened, TimedOut, UnsupportedOutcome
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.engine.selection import PREFIX
from toolcall_conformance.library import Case, Corpus

Ends = tuple[str, str]


class UnusableSessionError(Exception):
    """A session that has none of the operations; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One item: a case, played on a route, in one check."""

    case: Case
    check: str
    route: Route
    variant: str = ""

    @property
    def nodeid(self) -> str:
        return f"{PREFIX}::{self.case.id}::{self.check}::{self.name}"

    @property
    def name(self) -> str:
        """The last part of the node id: the route, and the variant if it has one."""
        return f"{self.route}-{self.variant}" if self.variant else str(self.route)


@dataclass(frozen=True, slots=True)
class Support:
    """What a translator does: by (client, upstream), the operations; ``reasons`` has its words on the other routes."""

    operations: Mapping[Ends, frozenset[str]]
    reasons: Mapping[Ends, str]

    def applies(self, check: str, client: str, upstream: str) -> bool:
        """Whether a check applies on a route."""
        return NEEDS[check] <= self.operations.get((client, upstream), frozenset())


def route_of(case: Case, client: str, upstream: str) -> Route:
    """A case's route between two formats that it has been rendered in."""
    return Route(client, upstream, case.model(client), case.model(upstream), stream=False)


def items(corpus: Corpus) -> Iterator[Planned]:
    """Every item of a corpus, whatever the translator does."""
    for case in corpus.cases.values():
        for check in CHECKS:
            for client in case.formats:
                names = variants(corpus, check, case, client)
                for upstream in case.formats:
                    for name in names:
                        yield Planned(case, check, route_of(case, client, upstream), name)


def probe(driver: Driver, corpus: Corpus) -> Support:
    """Find out which routes and operations the translator does, by asking once for each route.

    A session is opened and given the first exchange of one case; only Unsupported counts, all other faults are left
    for the items to find. After a call that did not return nothing more is asked: what is not known is taken as done.
    Raises UnusableSessionError.
    """
    operations: dict[Ends, frozenset[str]] = {}
    reasons: dict[Ends, str] = {}
    hangs = False
    for client, upstream in ((client, upstream) for client in corpus.formats for upstream in corpus.formats):
        example = next((case for case in corpus.cases.values() if {client, upstream} <= set(case.formats)), None)
        if example is None:
            continue
        ends = client, upstream
        operations[ends] = driver.carries
        if hangs:
            continue
        opened = driver.open(route_of(example, client, upstream))
        if isinstance(opened, UnsupportedOutcome):
            operations[ends] = frozenset()
            reasons[ends] = opened.reason
        elif isinstance(opened, Opened):
            offered = opened.session.operations & driver.carries
            if not offered:
                raise UnusableSessionError(
                    f"{driver.spec}: the session that open returned for {client}-to-{upstream} has neither request "
                    "nor response; give it one of them, or raise an exception named Unsupported from open"
                )
            bodies = example.exchanges(client)[0].request, example.exchanges(upstream)[0].response
            for name, body in zip(OPERATIONS, bodies, strict=True):
                if name in offered and not hangs:
                    outcome = getattr(opened.session, name)(body)
                    hangs = isinstance(outcome, TimedOut)
                    if isinstance(outcome, UnsupportedOutcome):
                        offered -= {name}
                        reasons[ends] = outcome.reason
            operations[ends] = offered
        hangs = hangs or isinstance(opened, TimedOut)
    return Support(operations, reasons)
