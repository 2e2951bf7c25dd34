"""The request before a recorded reply: the recorded one in the client's format, or one that stands in for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Failed, OpenSession, Tally
from toolcall_conformance.drivers import Opened, Produced, RefusedOutcome, SessionDriver, UnsupportedOutcome
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.recording.cassettes.stand_in import stand_in

_NOTHING: Mapping[str, Any] = MappingProxyType({})

UNANSWERED: Final = {"status": 500, "headers": {}, "body": {}}
"""For media in which a request stays open; no check reads this answer."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A session that has sent a request: the one in the client's format, and the upstream's, None if it sends none.

    ``alone``: the client's request is no translation of the recorded one, so the reply is judged without it.
    """

    session: SessionDriver
    client: Any = None
    upstream: Any = None
    alone: bool = False

    def names(self, judge: Judge, recorded: Any, route: Route) -> Mapping[str, str]:
        """The names under which the recorded request's tools were declared upstream, as far as they are known."""
        return {} if self.upstream is None else judge.declared_names(recorded, self.upstream, route.upstream)

    def requests(self, names: Mapping[str, str]) -> Requests:
        """What is known of the requests: of one that stands in only its tools, where they were renamed."""
        renamed = any(old != new for old, new in names.items())
        return Requests() if self.alone and not renamed else Requests(self.client, self.upstream)


def ask(
    recorded: Any,
    route: Route,
    open_session: OpenSession,
    tally: Tally,
    patch: Mapping[str, Any] = _NOTHING,
) -> SentRequest | None:
    """Send the recorded request in the client's format, or one that stands in for it.

    ``patch`` has the keys of a streaming request in the client's API.
    """
    asking, alone = recorded, False
    if route.client != route.upstream:
        translation = _translated_back(recorded, route, open_session)
        if isinstance(translation, Produced):
            asking = {**translation.value, **patch}
        elif isinstance(translation, (UnsupportedOutcome, RefusedOutcome)) and (
            (body := stand_in(tally.corpus, route, recorded)) is not None
        ):
            asking, alone = {**body, **patch}, True
            tally.allowed = (
                f"judged without its request: there is no {route.upstream} → {route.client} for the recorded one "
                f"({translation.reason or 'no reason given'})"
            )
        else:
            tally.block("request", translation, f"the recorded request for a client of {route.client}")
            return None
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.block("open", opened, "session")
        return None
    if "request" not in opened.session.operations:
        return SentRequest(opened.session)
    outcome = opened.session.request(asking)
    if not isinstance(outcome, Produced):
        tally.block("request", outcome, "a request in place of the recorded one" if alone else "request")
        return None
    return SentRequest(opened.session, asking, outcome.value, alone)


def _translated_back(recorded: Any, route: Route, open_session: OpenSession) -> Produced | Failed:
    """The recorded request as the translator itself says it in the client's format."""
    back = Route(route.upstream, route.client, route.upstream_model, route.client_model, stream=route.stream)
    opened = open_session(back)
    if not isinstance(opened, Opened):
        return opened
    if "request" not in opened.session.operations:
        return UnsupportedOutcome("it translates no requests")
    outcome = opened.session.request(recorded)
    opened.session.finish_exchange(UNANSWERED)
    return outcome
