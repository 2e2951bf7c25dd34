"""Plays a source to a translator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts, dump, parse
from toolcall_conformance.checks.conversation.golden_replies import rename_calls, rename_calls_in_stream
from toolcall_conformance.drivers import (
    Driver,
    Opened,
    Produced,
    RefusedOutcome,
    SessionDriver,
    Source,
    Streamed,
    UnsupportedOutcome,
)
from toolcall_conformance.judge import Judge, Requests
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.trust.dialects import Dialects
from toolcall_conformance.trust.sources.bodies import SourceBody
from toolcall_conformance.trust.sources.draws import Draw

UNKNOWN = Requests()


@dataclass(frozen=True, slots=True)
class PlayedSource:
    """The outcome of a source. ``kind`` is ``output``, ``refused``, ``unsupported`` or ``failed``; ``reason`` says why.

    ``source`` is what was given: in a reply, calls have the names that the translator declared. ``requests`` are those
    before a reply, as far as there were any; ``losses`` what the translator says it lost.
    """

    kind: str
    route: Route
    source: Any
    output: Any = None
    reason: str = ""
    requests: Requests = UNKNOWN
    losses: tuple[str, ...] = ()


class Player:
    """Gives sources to a translator, each in a session of its own."""

    def __init__(self, driver: Driver, judge: Judge) -> None:
        self._driver, self._judge = driver, judge
        self._models = _usual_models(judge.corpus)

    def play(self, draw: Draw) -> PlayedSource:
        """What the translator makes of a draw. A reply of the corpus follows its request; others follow none."""
        source, body = draw.source, draw.body
        route = self.route(draw)
        opened = self._driver.open(route)
        if not isinstance(opened, Opened):
            return _no_output(opened, "open", route, body)
        session = opened.session
        if source.way == "request":
            return _played_source(session.request(body), "request", route, body)
        requests, before = self._send_request(session, source, route)
        if before is not None:
            return replace(before, source=body, reason=f"the request before it: {before.reason}")
        if source.way == "response":
            reply = self._with_declared_names(source, route, body, requests)
            return replace(_played_source(session.response(reply), "response", route, reply), requests=requests)
        data = self._reframe(draw, self._with_declared_names(source, route, dump(body["events"]), requests))
        outcome = session.stream(Source(cuts.split_events(data)))
        return replace(_played_source(outcome, "stream", route, {"events": parse(data)["events"]}), requests=requests)

    def _reframe(self, draw: Draw, data: bytes) -> bytes:
        if not draw.habits:
            return data
        return Dialects(self._judge.corpus, draw.source.format).reframe(draw.habits, data)

    def route(self, draw: Draw) -> Route:
        """The route of a draw, with the models that the case names, or the source, or that are usual."""
        source = draw.source
        models = {**self._models}
        if source.case is not None:
            models |= {name: source.case.model(name) for name in source.case.formats}
        else:
            keys = self._judge.corpus.format(source.format)["model_keys"]
            named = (source.body.get(key) for key in keys)
            models[source.format] = next(
                (model for model in named if isinstance(model, str) and model), models[source.format]
            )
        streams = source.way == "stream"
        return Route(draw.client, draw.upstream, models[draw.client], models[draw.upstream], stream=streams)

    def _send_request(
        self, session: SessionDriver, source: SourceBody, route: Route
    ) -> tuple[Requests, PlayedSource | None]:
        """Send the request before a reply of the corpus. The second of the pair is why there is no reply to translate.

        A client whose format the case has not asked nothing.
        """
        case = source.case
        if case is None or route.client not in case.formats or "request" not in session.operations:
            return UNKNOWN, None
        request = case.exchanges(route.client)[source.exchange].request
        if route.stream:
            request = {**request, **self._judge.corpus.transports[route.client]["stream"].get("body", {})}
        sent = session.request(request)
        if not isinstance(sent, Produced):
            return UNKNOWN, _no_output(sent, "request", route, request)
        return Requests(request, sent.value), None

    def _with_declared_names(self, source: SourceBody, route: Route, reply: Any, requests: Requests) -> Any:
        """A reply with the tool names that the translator declared, if it did."""
        if source.case is None or requests.upstream is None:
            return reply
        golden = source.case.exchanges(route.upstream)[source.exchange].request
        names = self._judge.declared_names(golden, requests.upstream, route.upstream)
        if isinstance(reply, bytes):
            return rename_calls_in_stream(reply, names, self._judge.corpus.transports[route.upstream]["stream"])
        return rename_calls(route.upstream, reply, names)


def _usual_models(corpus: Corpus) -> dict[str, str]:
    """A model of each format: that of the first case that every format has."""
    first: Case = next(case for case in corpus.cases.values() if {*corpus.formats} <= {*case.formats})
    return {name: first.model(name) for name in corpus.formats}


def _played_source(outcome: Any, operation: str, route: Route, source: Any) -> PlayedSource:
    if isinstance(outcome, Produced):
        return PlayedSource("output", route, source, outcome.value, losses=outcome.losses)
    if isinstance(outcome, Streamed) and outcome.raised is None:
        return PlayedSource("output", route, source, {"events": parse(outcome.data)["events"]}, losses=outcome.losses)
    return _no_output(outcome.raised if isinstance(outcome, Streamed) else outcome, operation, route, source)


def _no_output(outcome: Any, operation: str, route: Route, source: Any) -> PlayedSource:
    """No output, and why."""
    if isinstance(outcome, RefusedOutcome):
        return PlayedSource("refused", route, source, reason=outcome.reason)
    if isinstance(outcome, UnsupportedOutcome):
        return PlayedSource("unsupported", route, source, reason=outcome.reason)
    sentence = getattr(outcome, "sentence", None) or f"took longer than {getattr(outcome, 'timeout', '?')} s"
    return PlayedSource("failed", route, source, reason=f"{operation} {sentence}")
