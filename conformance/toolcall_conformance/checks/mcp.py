"""The check ``mcp``: tools and results of an MCP server, as a bridge puts them into one format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.checks.adapter import follow_up, results_behind, rounds
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced, SessionDriver
from toolcall_conformance.library import Case


def variants(case: Case, name: str) -> tuple[str, ...]:
    """How a case is played in a format: only where it says what an MCP server sends."""
    return ("",) if "mcp" in case.scenario and name in formats.names() else ()


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Declares the tools that an MCP server lists, and puts what it returns for each call behind the reply."""
    del variant, other
    tally = Tally.of(harness, case, "mcp", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.fail("open", opened, "")
        return tally.result()
    tools = _declared(opened.session, case, tally, harness)
    if tools is not None:
        for request, calls in _answered(case, route.client):
            if not _play(opened.session, _Round(case, request, calls, tools), tally, harness):
                break
    return tally.result()


def _declared(session: SessionDriver, case: Case, tally: Tally, harness: Harness) -> list[Any] | None:
    """Judge the declarations; None where none came."""
    name, listed = tally.route.client, case.scenario["mcp"]["tools"]
    outcome = session.call("mcp_tools", listed)
    first = case.exchanges(name)[0].request
    tally.played.append(PlayedBodies("tools", listed, produced(outcome), first.get("tools")))
    if not isinstance(outcome, Produced):
        tally.fail("mcp_tools", outcome, "tools")
        return None
    tally.observe("mcp_tools", outcome, "tools")
    tally.note(harness.judge.mcp_tools(name, first, listed, outcome.value, model=tally.route.client_model), "tools")
    declarations: list[Any] = outcome.value
    return declarations


class _Round:
    """One reply's calls with the request that answers them, once the tools are declared by the session."""

    def __init__(self, case: Case, golden: Any, calls: Mapping[int, Any], tools: list[Any]) -> None:
        self._case, self._golden, self.results, self._tools = case, golden, calls, tools

    def request(self, name: str, names: Mapping[str, str]) -> Any:
        """The golden request with the session's declarations, by whose names all calls and results go."""
        body = deep_copy(self._golden)
        body["tools"] = deep_copy(self._tools)
        reading = formats.read(name, "request", body)
        for call in reading.calls:
            _rename(body, call.name_pointer, names)
        for result in reading.results:
            _rename(body, result.name_pointer, names)
        return body

    def names(self, harness: Harness, name: str) -> dict[str, str]:
        """The session's names of the tools by those of the golden request."""
        listed = self._case.scenario["mcp"]["tools"]
        golden = harness.judge.mcp_names(name, listed, self._golden)
        session_names = harness.judge.mcp_names(name, listed, {**self._golden, "tools": self._tools})
        return {ours: session_names[own] for own, ours in golden.items() if own in session_names}


def _rename(body: Any, pointer: str | None, names: Mapping[str, str]) -> None:
    """Give what is called by its name at this place, if anything is, the session's name."""
    if pointer is not None:
        holder, _, key = pointer.rpartition("/")
        resolve(body, holder)[key] = names.get(resolve(body, pointer), resolve(body, pointer))


def _play(session: SessionDriver, played: _Round, tally: Tally, harness: Harness) -> bool:
    """Judge what stands behind one reply; whether the conversation can go on."""
    name = tally.route.client
    request = played.request(name, played.names(harness, name))
    calls = formats.read(name, "request", request).calls
    entries: list[Any] = []
    for ordinal, result in played.results.items():
        call = calls[ordinal]
        call_body = {"id": call.id, "name": call.name, "arguments": call.arguments}
        outcome = session.call("mcp_result", call_body, result)
        body = f"result-{ordinal + 1}"
        tally.played.append(PlayedBodies(body, {"call": call_body, "result": result}, produced(outcome), None))
        if not isinstance(outcome, Produced):
            tally.fail("mcp_result", outcome, body)
            return False
        tally.observe("mcp_result", outcome, body)
        entries += outcome.value
    if len(played.results) > 1:
        entries = formats.get(name).client.merge_results(entries)
    sent = follow_up(name, request, entries, {})
    judged = harness.judge.mcp_result(name, request, sent, played.results, model=tally.route.client_model)
    body = f"result-{max(played.results) + 1}"
    tally.note(judged, body)
    return True


def _answered(case: Case, name: str) -> Iterator[tuple[Any, dict[int, Any]]]:
    """Each golden request with results of the server's, and these by the ordinals of their calls, in order."""
    results_by_key = case.scenario["mcp"].get("results", {})
    keys = [
        part["call"]["key"]
        for turn in case.scenario["conversation"]
        for part in turn.get("content", [])
        if "call" in part
    ]
    for _, following in rounds(case, name):
        ordinals = sorted(result.call for result in results_behind(name, following.request) if result.call is not None)
        results = {ordinal: results_by_key[keys[ordinal]] for ordinal in ordinals if keys[ordinal] in results_by_key}
        if results and len(results) == len(ordinals):
            yield following.request, results
