"""Conversations as one body: what a translator made in each exchange, so that faults can be put across exchanges.

Such a body is ``{"exchanges": [{"request": …, "response": …}, …]}``. A damaged one is played by a session that returns
the damaged bodies of it and else translates what it is given: what comes after a fault is built on the fault.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import deep_copy, equal
from toolcall_conformance.checks import CHECKS, Harness
from toolcall_conformance.drivers import Driver, Opened, OpenOutcome, Outcome, Produced, SessionDriver
from toolcall_conformance.drivers.streams import Source, StreamOutcome
from toolcall_conformance.library import Case

CONVERSATION_CHECKS = ("agent_loop", "request", "response")
"""The checks that play all exchanges of a conversation in one session, and compare them."""

Body = dict[str, Any]
_Key = tuple[int, str]


class _Session:
    """A session that replaces some outputs of another one by ``bodies``; it stores all ``sources`` and ``outputs``."""

    def __init__(self, inner: SessionDriver, bodies: Mapping[_Key, Any]) -> None:
        self.inner, self._bodies = inner, bodies
        self._number = 0
        self.sources: dict[_Key, Any] = {}
        self.outputs: dict[_Key, Any] = {}

    @property
    def operations(self) -> frozenset[str]:
        return self.inner.operations

    @property
    def own_history(self) -> bool:
        return self.inner.own_history

    @property
    def made_up(self) -> Mapping[str, tuple[str, ...]]:
        return self.inner.made_up

    @property
    def costly_pieces(self) -> bool:
        return self.inner.costly_pieces

    def request(self, body: Body, /) -> Outcome:
        return self._record((self._number, "request"), body, self.inner.request(body))

    def response(self, body: Body, /) -> Outcome:
        key = (self._number, "response")
        self._number += 1
        return self._record(key, body, self.inner.response(body))

    def error(self, reply: Body, /) -> Outcome:
        return self.inner.error(reply)

    def stream(self, source: Source, /) -> StreamOutcome:
        return self.inner.stream(source)

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source, /
    ) -> tuple[StreamOutcome, StreamOutcome]:
        inner = other.inner if isinstance(other, type(self)) else other
        return self.inner.stream_interleaved(source, inner, other_source)

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        return self.inner.call(operation, *arguments)

    def finish_exchange(self, reply: Body, /) -> None:
        self._number += 1
        self.inner.finish_exchange(reply)

    def _record(self, key: _Key, source: Any, outcome: Outcome) -> Outcome:
        """Store a translation; return its outcome, or the body that replaces it."""
        if isinstance(outcome, Produced):
            self.sources[key], self.outputs[key] = deep_copy(source), deep_copy(outcome.value)
        return Produced(deep_copy(self._bodies[key])) if key in self._bodies else outcome


class _Player:
    """Opens such sessions, and keeps the last one."""

    def __init__(self, driver: Driver, bodies: Mapping[_Key, Any]) -> None:
        self._driver, self._bodies = driver, bodies
        self.session: _Session | None = None

    def open(self, route: Route) -> OpenOutcome:
        opened = self._driver.open(route)
        if not isinstance(opened, Opened):
            return opened
        self.session = _Session(opened.session, self._bodies)
        return Opened(self.session)


def play_case(driver: Driver, harness: Harness, case: Case, route: Route) -> tuple[Body, Body] | None:
    """The source and the output of each exchange of a case.

    None where fewer than two exchanges are played, or one is an error.
    """
    if len(case.exchanges(route.client)) < 2 or any(
        exchange.error is not None for exchange in case.exchanges(route.client)
    ):
        return None
    player = _Player(driver, {})
    CHECKS["agent_loop"](case, route, player.open, harness, "", None)
    if player.session is None or (1, "request") not in player.session.outputs:
        return None
    return _conversation_body(player.session.sources), _conversation_body(player.session.outputs)


def _conversation_body(bodies: Mapping[_Key, Any]) -> Body:
    exchanges: list[Body] = [{} for _ in range(1 + max(number for number, _ in bodies))]
    for (number, part), body in bodies.items():
        exchanges[number][part] = body
    return {"exchanges": exchanges}


def findings(
    driver: Driver,
    harness: Harness,
    case: Case,
    route: Route,
    sound: Body,
    damaged: Body,
    checks: Sequence[str] = CONVERSATION_CHECKS,
) -> tuple[Finding, ...]:
    """What the checks say of a conversation that was ``sound`` and is ``damaged``, when it is played again."""
    bodies = {(number, part): _body_at(damaged, number, part) for number, part in changed_bodies(sound, damaged)}
    results = (CHECKS[name](case, route, _Player(driver, bodies).open, harness, "", None) for name in checks)
    return tuple(finding for result in results for finding in result.findings)


def changed_bodies(sound: Body, damaged: Body) -> list[tuple[int, str]]:
    """The bodies of a conversation that differ, by the number of the exchange and the part of it."""
    return [
        (number, part)
        for number, exchange in enumerate(sound["exchanges"])
        for part in exchange
        if not equal(exchange[part], _body_at(damaged, number, part))
    ]


def _body_at(body: Body, number: int, part: str) -> Any:
    return body["exchanges"][number][part]


def parts_of(pointer: str) -> tuple[int, str, str]:
    """A pointer into a conversation as the number of the exchange, the part of it, and the pointer into that."""
    _, _, number, part, *rest = pointer.split("/")
    return int(number), part, "".join(f"/{token}" for token in rest)
