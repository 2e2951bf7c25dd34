"""Calls made at once, in a conversation: state that is too small, too coarse, or trusts the order of arrival."""

from __future__ import annotations

from typing import Any

from doubles.draft import Draft
from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless
from doubles.sessions.ids import OwnIds
from doubles.wire import Call
from toolcall_conformance.basics.contract import Route

EQUAL = "parallel/same-arguments-twice"
RENAMED = ("translation/ids-kept", "translation/ids-returned")


@broken("swapped", rule="translation/results-linked", case=EQUAL, client=CHAT, upstream=GEMINI)
class InOrderOfArrival(DoubledSession):
    """Leaves ids out for a provider that has none, and the results in the order in which the client gave them."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        client_draft = Draft(self.asked, self.route.client)
        draft = Draft(body, self.route.upstream)
        calls = [call.id for call in client_draft.calls]
        places = [calls.index(result.id) for result in client_draft.results]
        entries = [result.entry["functionResponse"] for result in draft.results]
        for result, place in zip(draft.results, places, strict=True):
            result.entry["functionResponse"] = entries[place]
        for handle in [*draft.calls, *draft.results]:
            handle.drop_id()
        return body


@broken(
    rule=("anthropic/result-once", "anthropic/calls-answered"), case="parallel/seed", client=CHAT, upstream=ANTHROPIC
)
class RemembersOneCallATool(DoubledSession):
    """Remembers the call of a reply by its tool's name, so that all results of a tool answer its last call."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.latest: dict[str, str] = {}

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.latest |= {call.name: call.id for call in Draft(body, self.route.upstream).calls}
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft = Draft(body, self.route.upstream)
        names = {call.id: call.name for call in draft.calls}
        for result in draft.results:
            result.id = self.latest.get(names.get(result.id, ""), result.id)
        return body


@broken(
    rule=("openai_responses/call-answered", "translation/result-lost"),
    case="parallel/three-tools",
    client=CHAT,
    upstream=RESPONSES,
)
class RemembersTwoCalls(OwnIds):
    """Remembers the last two calls, and drops results of calls that it does not know."""

    def own(self, call: Call) -> str:
        del call
        return f"call_{len(self.known):024d}"

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        output = super().after_response(body)
        self.known = dict(list(self.known.items())[-2:])
        return output

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        output = super().after_request(body)
        for result in Draft(output, self.route.upstream).results if self.known else ():
            if result.id not in self.known.values():
                result.remove()
        return output


@broken(rule="translation/calls-merged", case="parallel/two-rounds", client=ANTHROPIC, upstream=CHAT)
class OneTurnForAllCalls(DoubledSession):
    """Gathers the calls of all replies it has seen in the first of them, with all results behind it."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.seen: set[str] = set()

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.seen |= {str(call.id) for call in Draft(body, self.route.upstream).calls}
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        rows = body["messages"]
        calling = [row for row in rows if any(call["id"] in self.seen for call in row.get("tool_calls") or [])]
        if len(calling) > 1:
            calling[0]["tool_calls"] += calling[1].pop("tool_calls")
            results = [row for row in rows if row["role"] == "tool"]
            rows[:] = [row for row in rows if row["role"] != "tool" and (row.get("content") or row.get("tool_calls"))]
            at = rows.index(calling[0]) + 1
            rows[at:at] = results
        return body


@harmless("parallel/results-swapped", ANTHROPIC, RESPONSES, beside="translation/results-linked")
class InOrderOfTheCalls(DoubledSession):
    """Brings results into the order of their calls."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft = Draft(body, self.route.upstream)
        order = {call.id: place for place, call in enumerate(draft.calls)}
        entries = sorted((result.entry for result in draft.results), key=lambda entry: order[entry["call_id"]])
        places = [result.place for result in draft.results]
        for place, entry in zip(places, entries, strict=True):
            draft.messages[place] = entry
        return body
