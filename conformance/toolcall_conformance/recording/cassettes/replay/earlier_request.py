"""The request before a recorded reply: the recorded one in the client's format, or one that takes its place.

A translator may do one route and not the way back. Then a small request of the corpus takes the place of the recorded
one, so that the session gets a request before a reply, as always. It declares the tools of the recorded request, for
some translators look up the tool of a call. Nothing else of the two requests is the same, so the reply is judged
without its request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve, to_json, unescape
from toolcall_conformance.basics.reading import Tool
from toolcall_conformance.checks.base import OpenSession, Tally
from toolcall_conformance.drivers import (
    FailedOutcome,
    Opened,
    Produced,
    RefusedOutcome,
    SessionDriver,
    UnsupportedOutcome,
)
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.library import Corpus


def substitute_request(corpus: Corpus, route: Route, recorded: Any) -> dict[str, Any] | None:
    """A request of ``route.client`` with the tools of the ``recorded`` one; None where the corpus has none to make."""
    golden = _smallest_request(corpus, route.client)
    if golden is None:
        return None
    body: dict[str, Any] = deep_copy(golden)
    if "model" in body:
        body["model"] = route.client_model
    [declared] = formats.read(route.client, "request", body).tools
    tools = formats.read(route.upstream, "request", recorded).tools
    above, _, index = declared.pointer.rpartition("/")
    declarations = [
        _declaration(body, declared, tool) for tool in tools if tool.kind != "hosted" and tool.name is not None
    ]
    if declarations:
        resolve(body, above)[int(index) : int(index) + 1] = declarations
    return body


def _declaration(body: Any, declared: Tool, tool: Tool) -> Any:
    """The declaration of ``body`` with another tool's name and description, and any arguments."""
    entry: dict[str, Any] = {"tool": deep_copy(resolve(body, declared.pointer))}
    members = (
        (declared.name_pointer, tool.name),
        (declared.description_pointer, tool.description or tool.name),
        (declared.schema_pointer, {"type": "object", "properties": {}}),
    )
    for pointer, value in members:
        if pointer is not None:
            parent, _, key = pointer.removeprefix(declared.pointer).rpartition("/")
            resolve(entry["tool"], parent)[unescape(key)] = value
    return entry["tool"]


@cache
def _smallest_request(corpus: Corpus, client: str) -> dict[str, Any] | None:
    """The shortest first request of a format that declares one function and has no history."""
    return min(_plain_requests(corpus, client), key=lambda body: len(to_json(body)), default=None)


def _plain_requests(corpus: Corpus, client: str) -> Iterator[dict[str, Any]]:
    for case in corpus.cases.values():
        if client not in case.formats or client in case.dialects or case.scenario.get("may_refuse"):
            continue
        body = case.exchanges(client)[0].request
        reading = formats.read(client, "request", body)
        tools = reading.tools
        if len(tools) == 1 and tools[0].kind == "function" and tools[0].schema_pointer and not reading.calls:
            yield body


_NO_PATCH: Mapping[str, Any] = MappingProxyType({})

UNANSWERED: Final = {"status": 500, "headers": {}, "body": {}}
"""For media in which a request stays open; no check reads this answer."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A session that has sent a request, in the client's format and the upstream's; None for what it does not send.

    ``is_substitute``: the client's request is no translation of the recorded one, so the reply is judged without it.
    """

    session: SessionDriver
    client: Any = None
    upstream: Any = None
    is_substitute: bool = False

    def names(self, judge: Judge, recorded: Any, route: Route) -> Mapping[str, str]:
        """The names under which the recorded request's tools were declared upstream, as far as they are known."""
        return {} if self.upstream is None else judge.declared_names(recorded, self.upstream, route.upstream)

    def requests(self, names: Mapping[str, str]) -> Requests:
        """The requests for the judge; a substitute only where it renamed tools."""
        renamed = any(old != new for old, new in names.items())
        return Requests() if self.is_substitute and not renamed else Requests(self.client, self.upstream)


def send_recorded(
    recorded: Any,
    route: Route,
    open_session: OpenSession,
    tally: Tally,
    patch: Mapping[str, Any] = _NO_PATCH,
) -> SentRequest | None:
    """Send the recorded request in the client's format, or a substitute.

    ``patch`` has the keys of a streaming request in the client's API.
    """
    asking, alone = recorded, False
    if route.client != route.upstream:
        translation = _translate_back(recorded, route, open_session)
        if isinstance(translation, Produced):
            asking = {**translation.value, **patch}
        elif isinstance(translation, (UnsupportedOutcome, RefusedOutcome)) and (
            (body := substitute_request(tally.corpus, route, recorded)) is not None
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


def _translate_back(recorded: Any, route: Route, open_session: OpenSession) -> Produced | FailedOutcome:
    """The recorded request in the client's format, by the translator itself."""
    back = Route(route.upstream, route.client, route.upstream_model, route.client_model, stream=route.stream)
    opened = open_session(back)
    if not isinstance(opened, Opened):
        return opened
    if "request" not in opened.session.operations:
        return UnsupportedOutcome("it translates no requests")
    outcome = opened.session.request(recorded)
    opened.session.finish_exchange(UNANSWERED)
    return outcome
