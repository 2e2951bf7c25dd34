"""What a correct translator makes of the corpus: the bodies and streams that faults are put into."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import cuts, parse
from toolcall_conformance.checks import Harness
from toolcall_conformance.checks.conversation.golden_replies import rename_calls
from toolcall_conformance.checks.streams.exchange import BlockedExchange, begin_exchange
from toolcall_conformance.drivers import Driver, Opened, Produced, SessionDriver, Source, Streamed
from toolcall_conformance.judge import Requests
from toolcall_conformance.library import Case, Exchange
from toolcall_conformance.trust import loops

Direction = Literal["request", "response", "stream", "error", "loop"]
DIRECTIONS: tuple[Direction, ...] = ("request", "response", "stream", "error", "loop")


@dataclass(frozen=True, slots=True)
class Place:
    """A translation: its ``source`` and its ``output``. A stream is as ``streaming.parse`` has it.

    ``requests`` are those before a reply; ``declared`` is what the translator says it lost. In the direction ``loop``
    both are all bodies of a conversation, as :mod:`loops` has them.
    """

    case: str
    number: int
    direction: Direction
    route: Route
    source: Any
    output: Any
    requests: Requests
    declared: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The format of the output; of a conversation, that of its replies."""
        return self.route.upstream if self.direction == "request" else self.route.client

    def part(self, pointer: str) -> tuple[Place, str]:
        """The body that a place of the output is in, and the pointer into that: itself, but for a conversation."""
        if self.direction != "loop":
            return self, pointer
        number, part, rest = loops.parts_of(pointer)
        source, output = (body["exchanges"][number] for body in (self.source, self.output))
        requests = Requests(source["request"], output["request"])
        way: Direction = "request" if part == "request" else "response"
        return Place(self.case, number + 1, way, self.route, source[part], output[part], requests), rest

    @property
    def name(self) -> str:
        return f"{self.case}::{self.direction}::{self.route}::{self.number:02}"


def findings(
    driver: Driver, harness: Harness, place: Place, output: Any, checks: Sequence[str] = loops.CONVERSATION_CHECKS
) -> tuple[Finding, ...]:
    """What the judge says of an output at a place; of a conversation, what ``checks`` say that play it again."""
    judge = harness.judge
    if place.direction == "loop":
        case = harness.corpus.cases[place.case]
        return loops.findings(driver, harness, case, place.route, place.output, output, checks)
    if place.direction == "error":
        return judge.error(place.source, output, place.route).findings
    if place.direction == "request":
        return judge.request(place.source, output, place.route, declared=place.declared).findings
    if place.direction == "stream":
        return judge.stream(place.source, output, place.route, requests=place.requests, captured=True).findings
    return judge.response(
        place.source,
        output,
        place.route,
        requests=place.requests,
        vendor=place.route.upstream in harness.corpus.cases[place.case].dialects,
        declared=place.declared,
    ).findings


def places(driver: Driver, harness: Harness, case: Case, direction: Direction, ends: tuple[str, str]) -> list[Place]:
    """What the translator makes of the exchanges of a case on the route between two formats, the client's first.

    Empty where the case is not on that route. An exchange that is refused ends it.
    """
    client, upstream = ends
    if not {client, upstream} <= set(case.formats):
        return []
    route = Route(client, upstream, case.model(client), case.model(upstream))
    if direction in ("response", "stream", "loop") and not case.replies(client, upstream):
        return []
    return list(_MADE[direction](driver, harness, case, direction, route))


def _pairs(case: Case, route: Route) -> Iterator[tuple[Exchange, Exchange]]:
    return zip(case.exchanges(route.client), case.exchanges(route.upstream), strict=True)


def _translate_requests(
    driver: Driver, case: Case, route: Route
) -> Iterator[tuple[SessionDriver, Exchange, Exchange, Produced]]:
    """The exchanges of a case in one session, each with its translated request, up to one that is refused."""
    opened = driver.open(route)
    if not isinstance(opened, Opened):
        return
    for client, upstream in _pairs(case, route):
        sent = opened.session.request(client.request)
        if not isinstance(sent, Produced):
            return
        yield opened.session, client, upstream, sent


def _bodies(driver: Driver, harness: Harness, case: Case, direction: Direction, route: Route) -> Iterator[Place]:
    for session, client, upstream, sent in _translate_requests(driver, case, route):
        requests = Requests(client.request, sent.value)
        if direction == "request":
            yield Place(case.id, client.number, direction, route, client.request, sent.value, requests, sent.losses)
        elif upstream.response is not None:
            yield from _reply(harness, session, case, upstream, route, requests)


def _errors(driver: Driver, harness: Harness, case: Case, direction: Direction, route: Route) -> Iterator[Place]:
    del harness  # as all that make places are called
    for session, client, upstream, sent in _translate_requests(driver, case, route):
        outcome = session.error(upstream.error) if upstream.error is not None else None
        if isinstance(outcome, Produced):
            requests = Requests(client.request, sent.value)
            yield Place(
                case.id, client.number, direction, route, upstream.error, outcome.value, requests, outcome.losses
            )


def _loops(driver: Driver, harness: Harness, case: Case, direction: Direction, route: Route) -> Iterator[Place]:
    played = loops.play_case(driver, harness, case, route)
    if played is not None:
        yield Place(case.id, 1, direction, route, *played, Requests(None, None))


def _reply(
    harness: Harness, session: SessionDriver, case: Case, upstream: Exchange, route: Route, requests: Requests
) -> Iterator[Place]:
    declared = harness.judge.declared_names(upstream.request, requests.upstream, route.upstream)
    reply = rename_calls(route.upstream, upstream.response, declared)
    outcome = session.response(reply)
    if isinstance(outcome, Produced):
        yield Place(case.id, upstream.number, "response", route, reply, outcome.value, requests, outcome.losses)


def _streams(driver: Driver, harness: Harness, case: Case, direction: Direction, route: Route) -> Iterator[Place]:
    if not case.streams(route.client, route.upstream):
        return
    for client, upstream in _pairs(case, route):
        if upstream.stream_path is None:
            continue
        exchange = begin_exchange(client, upstream, replace(route, stream=True), driver.open, harness)
        if isinstance(exchange, BlockedExchange):
            return
        outcome = exchange.play(Source(cuts.split_events(exchange.stream), reply=upstream.response))
        if isinstance(outcome, Streamed) and outcome.raised is None:
            requests = exchange.requests
            source, output = parse(exchange.stream), {"events": parse(outcome.data)["events"]}
            yield Place(case.id, client.number, direction, route, source, output, requests, outcome.losses)


_MADE: dict[Direction, Callable[[Driver, Harness, Case, Direction, Route], Iterator[Place]]] = {
    "request": _bodies,
    "response": _bodies,
    "stream": _streams,
    "error": _errors,
    "loop": _loops,
}
