"""The check ``mcp``: tools and results of an MCP server, translated by a bridge into one format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.checks.adapter import call_rounds, new_results, put_entries
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally, produced_body
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import Opened, Produced, SessionDriver
from toolcall_conformance.library import Case


def variants(case: Case, format_name: str) -> tuple[str, ...]:
    """The variants of a case in a format: the plain one if it has an MCP server's messages, else none."""
    return ("",) if "mcp" in case.scenario and format_name in formats.names() else ()


def run(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Declares the tools that an MCP server lists, and puts what it returns for each call after the reply."""
    del variant, other
    tally = Tally.of(harness, case, "mcp", route)
    opened = open_session(route)
    if not isinstance(opened, Opened):
        tally.fail("open", opened, "")
        return tally.result()
    tools = _declare_tools(opened.session, case, tally, harness)
    if tools is not None:
        for request, calls in _requests_with_results(case, route.client):
            if not _play(opened.session, _AnsweredCalls(case, request, calls, tools), tally, harness):
                break
    return tally.result()


def _declare_tools(session: SessionDriver, case: Case, tally: Tally, harness: Harness) -> list[Any] | None:
    """Judge the session's declarations and return them; None if there are none."""
    format_name, list_tools_result = tally.route.client, case.scenario["mcp"]["tools"]
    outcome = session.call("mcp_tools", list_tools_result)
    first = case.exchanges(format_name)[0].request
    tally.played.append(PlayedBodies("tools", list_tools_result, produced_body(outcome), first.get("tools")))
    if not isinstance(outcome, Produced):
        tally.fail("mcp_tools", outcome, "tools")
        return None
    tally.add_side_effects("mcp_tools", outcome, "tools")
    tally.add_judgement(
        harness.judge.mcp_tools(format_name, first, list_tools_result, outcome.value, model=tally.route.client_model),
        "tools",
    )
    declarations: list[Any] = outcome.value
    return declarations


class _AnsweredCalls:
    """The calls of one reply with the golden request that answers them, and the session's declared tools."""

    def __init__(self, case: Case, golden: Any, calls: Mapping[int, Any], tools: list[Any]) -> None:
        self._case, self._golden, self.results, self._tools = case, golden, calls, tools

    def request(self, format_name: str, names: Mapping[str, str]) -> Any:
        """The golden request with the session's declarations, and its calls and results renamed by ``names``."""
        body = deep_copy(self._golden)
        body["tools"] = deep_copy(self._tools)
        reading = formats.read(format_name, "request", body)
        for call in reading.calls:
            _rename(body, call.name_pointer, names)
        for result in reading.results:
            _rename(body, result.name_pointer, names)
        return body

    def names(self, harness: Harness, format_name: str) -> dict[str, str]:
        """The session's names of the tools by those of the golden request."""
        list_tools_result = self._case.scenario["mcp"]["tools"]
        golden = harness.judge.mcp_names(format_name, list_tools_result, self._golden)
        session_names = harness.judge.mcp_names(format_name, list_tools_result, {**self._golden, "tools": self._tools})
        return {ours: session_names[own] for own, ours in golden.items() if own in session_names}


def _rename(body: Any, pointer: str | None, names: Mapping[str, str]) -> None:
    """Replace the name at a pointer, if there is one, in place."""
    if pointer is not None:
        holder, _, key = pointer.rpartition("/")
        resolve(body, holder)[key] = names.get(resolve(body, pointer), resolve(body, pointer))


def _play(session: SessionDriver, answered_calls: _AnsweredCalls, tally: Tally, harness: Harness) -> bool:
    """Judge the session's entries after one reply; return whether the conversation can go on."""
    format_name = tally.route.client
    request = answered_calls.request(format_name, answered_calls.names(harness, format_name))
    calls = formats.read(format_name, "request", request).calls
    entries: list[Any] = []
    for ordinal, result in answered_calls.results.items():
        call = calls[ordinal]
        call_body = {"id": call.id, "name": call.name, "arguments": call.arguments}
        outcome = session.call("mcp_result", call_body, result)
        body_label = f"result-{ordinal + 1}"
        tally.played.append(
            PlayedBodies(body_label, {"call": call_body, "result": result}, produced_body(outcome), None)
        )
        if not isinstance(outcome, Produced):
            tally.fail("mcp_result", outcome, body_label)
            return False
        tally.add_side_effects("mcp_result", outcome, body_label)
        entries += outcome.value
    if len(answered_calls.results) > 1:
        entries = formats.get(format_name).client.merge_results(entries)
    sent = put_entries(format_name, request, entries, {})
    judgement = harness.judge.mcp_result(
        format_name, request, sent, answered_calls.results, model=tally.route.client_model
    )
    body_label = f"result-{max(answered_calls.results) + 1}"
    tally.add_judgement(judgement, body_label)
    return True


def _requests_with_results(case: Case, format_name: str) -> Iterator[tuple[Any, dict[int, Any]]]:
    """Each golden request with results of the server, and these results by the ordinals of their calls."""
    results_by_key = case.scenario["mcp"].get("results", {})
    keys = [
        part["call"]["key"]
        for turn in case.scenario["conversation"]
        for part in turn.get("content", [])
        if "call" in part
    ]
    for _, following in call_rounds(case, format_name):
        ordinals = sorted(
            result.call for result in new_results(format_name, following.request) if result.call is not None
        )
        results = {ordinal: results_by_key[keys[ordinal]] for ordinal in ordinals if keys[ordinal] in results_by_key}
        if results and len(results) == len(ordinals):
            yield following.request, results
