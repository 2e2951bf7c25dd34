"""Running a double: through the judge at a place, and through a check as a translator of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doubles.catalogue import Double
from doubles.draft import Draft, Skip
from doubles.places import Changed, Place, apply, places, translated
from judging import judge
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.python import PythonDriver
from toolcall_conformance.engine.run import bind
from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

JUDGES = bind(load_corpus())


def judged(place: Place, output: Any) -> tuple[Finding, ...]:
    """What the judge says of an output at a place."""
    return judge(
        place.source,
        output,
        client=place.client,
        upstream=place.upstream,
        direction=place.check,
        client_model=place.client_model,
        upstream_model=place.upstream_model,
        request=place.asked if place.check == "response" else None,
    ).findings


def rules(findings: tuple[Finding, ...], level: Level) -> set[str]:
    """The rules that were named at a level."""
    return {finding.rule for finding in findings if finding.level is level}


def surprise(double: Double, findings: tuple[Finding, ...]) -> str:
    """What is wrong with the judge's word on a double, empty if nothing is."""
    must, should = rules(findings, Level.MUST), rules(findings, Level.SHOULD)
    if double.kind == "broken":
        return "" if must & set(double.rules) else f"missed: MUST {sorted(must)}, SHOULD {sorted(should)}"
    if double.kind == "warning":
        told = should & set(double.rules) and not must
        return "" if told else f"not told as a SHOULD alone: MUST {sorted(must)}, SHOULD {sorted(should)}"
    extra = must | (should - set(double.warns))
    return f"false alarm: {sorted(extra)}" if extra else ""


def changed(double: Double, most: int | None = None) -> Iterator[Changed]:
    """Places where a double changes the body: all, or ``most`` of them spread over its sources and the corpus."""
    for source in double.sources:
        every = [place for place in places(double.check, source, double.target) if double.takes(place.case, source)]
        found = 0
        for place in _spread(every) if most else every:
            if most and found >= -(-most // len(double.sources)):
                break
            output = apply(double, place)
            if output is not None:
                found += 1
                yield Changed(place, output)


def _spread(every: list[Place]) -> list[Place]:
    """The places in an order that jumps about the corpus, always the same."""
    step = next(step for step in (61, 67, 71) if len(every) % step or len(every) < step)
    return [every[index * step % len(every)] for index in range(len(every))] if len(every) > step else every


class Doubled:
    """A translator: the reference with a double's change in what it produces."""

    def __init__(self, double: Double) -> None:
        self.double = double

    def open(self, route: Route, /) -> DoubledSession:
        return DoubledSession(self.double, route)


class DoubledSession:
    """One conversation of a doubled translator."""

    def __init__(self, double: Double, route: Route) -> None:
        self._double = double
        self._route = route
        self._session = ReferenceTranslator().open(route)
        self._asked: dict[str, Any] = {}

    def request(self, body: dict[str, Any], /) -> Any:
        self._asked = body
        made = self._session.request(body)
        return self._changed("request", body, self._route.client, made, self._route.upstream)

    def response(self, body: dict[str, Any], /) -> Any:
        made = self._session.response(body)
        return self._changed("response", body, self._route.upstream, made, self._route.client)

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        given = {"status": status, "headers": headers, "body": body}
        made = translated(self._session, "error", given)
        changed = self._changed("error", given, self._route.upstream, made, self._route.client)
        return changed["status"], changed["body"], changed.get("headers")

    def _changed(self, check: str, body: Any, source: str, made: Any, target: str) -> Any:
        if check != self._double.check:
            return made
        try:
            return self._double.apply(Draft.of(made, target, body, source, self._asked))
        except Skip:
            return made


def play(double: Double, case: Case, route: Route) -> ItemResult:
    """A case on a route through the check, with a double as the translator."""
    driver = PythonDriver(Doubled(double), f"double:{double.name}")
    check = "response" if double.check == "error" else double.check
    return CHECKS[check](case, route, driver.open, JUDGES, "", None)
