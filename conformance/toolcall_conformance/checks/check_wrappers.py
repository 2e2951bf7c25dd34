"""Wraps checks: excuses requests that another API of the provider serves, and records what adapters made up."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.made_up_places import MadeUpPlaces
from toolcall_conformance.drivers import (
    Inapplicable,
    Misdirected,
    Opened,
    OpenOutcome,
    Outcome,
    Produced,
    SessionDriver,
    Source,
    StreamOutcome,
)
from toolcall_conformance.judge.translation.settings.other_api import find_other_api
from toolcall_conformance.library import Case, Corpus

if TYPE_CHECKING:
    from toolcall_conformance.checks.base import Check, Harness, ItemResult, OpenSession


def excuse_elsewhere(check: Check) -> Check:
    """Wrap a check so that it does not judge requests that another API of the provider serves."""

    @functools.wraps(check)
    def run(
        case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str, other: Case | None
    ) -> ItemResult:
        def opened(session_route: Route) -> OpenOutcome:
            return _wrap_session(harness.corpus, session_route, open_session(session_route))

        return check(case, route, opened, harness, variant, other)

    return run


def _wrap_session(corpus: Corpus, route: Route, opened: OpenOutcome) -> OpenOutcome:
    are_readable = {route.client, route.upstream} <= set(formats.names())
    if not isinstance(opened, Opened) or not are_readable or not corpus.format(route.upstream).get("served_elsewhere"):
        return opened
    return Opened(cast("SessionDriver", _ExcusingSession(corpus, route, opened.session)))


class _ExcusingSession:
    """A session that makes a request inapplicable if it rightly goes to another API; the rest is the session's own."""

    def __init__(self, corpus: Corpus, route: Route, session: SessionDriver) -> None:
        self._corpus = corpus
        self._route = route
        self.session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source
    ) -> tuple[StreamOutcome, StreamOutcome]:
        return self.session.stream_interleaved(source, getattr(other, "session", other), other_source)

    def request(self, body: dict[str, Any]) -> Outcome:
        outcome = self.session.request(body)
        actual_formats = self._actual_formats(outcome)
        if not actual_formats:
            return outcome
        route = self._route
        reading = formats.read(route.client, "request", body)
        entry = find_other_api(self._corpus, route.upstream, route.upstream_model, reading)
        if entry is None or entry["by"] not in actual_formats:
            return outcome
        title = self._corpus.format(entry["by"])["title"]
        return Inapplicable(f"this body goes by {title} for {route.upstream_model}: {entry['why']}")

    def _actual_formats(self, outcome: Outcome) -> frozenset[str]:
        """The formats whose API was called, or in which the body is; empty if it is in the route's own."""
        if isinstance(outcome, Misdirected):
            return frozenset({outcome.api} - {""})
        if not isinstance(outcome, Produced) or not isinstance(outcome.value, dict):
            return frozenset()
        holds = {
            name
            for name in self._corpus.formats
            if any(key in outcome.value for key in self._corpus.format(name)["containers"]["request"])
        }
        return frozenset() if self._route.upstream in holds else frozenset(holds)


def record_made_up(check: Check) -> Check:
    """Wrap a check so that it marks findings at places that its sessions declare as made up by the adapter."""

    @functools.wraps(check)
    def run(
        case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str, other: Case | None
    ) -> ItemResult:
        made_up_places = MadeUpPlaces()
        return check(
            case,
            route,
            lambda opened: made_up_places.record(opened, open_session(opened)),
            replace(harness, made_up_places=made_up_places),
            variant,
            other,
        )

    return run
