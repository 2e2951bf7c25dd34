"""Faults in how ids and results are linked across the exchanges of a conversation, and habits that look like them."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, DoubledSession, broken, harmless
from toolcall_conformance.basics.contract import Route

CASE = "shell/same-tool-twice"


def blocks(body: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """All blocks of a type in an Anthropic request."""
    return [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == kind
    ]


def chat_calls(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a Chat reply."""
    calls: list[dict[str, Any]] = body["choices"][0]["message"].get("tool_calls") or []
    return calls


@broken("swapped", rule="translation/results-linked", case=CASE, client=CHAT, upstream=ANTHROPIC)
class ResultsByPosition(DoubledSession):
    """Attaches results to calls in the order in which they come."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        calls, results = blocks(body, "tool_use"), blocks(body, "tool_result")
        messages = [message for message in self.asked["messages"] if message["role"] == "tool"]
        for call, result, message in zip(calls, results, messages, strict=True):
            result.update(tool_use_id=call["id"], content=message["content"])
        return body


@broken(
    "interleaved",
    rule=("anthropic/calls-answered", "anthropic/result-of-known-call"),
    case=CASE,
    client=CHAT,
    upstream=ANTHROPIC,
)
class StateSharedByAll(DoubledSession):
    """Keeps the ids of the last reply for everybody, and puts them into the next request, whoever asks."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.shared["ids"] = [call["id"] for call in chat_calls(body)] or self.shared.get("ids", [])
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for call, call_id in zip(blocks(body, "tool_use"), self.shared.get("ids", []), strict=False):
            call["id"] = call_id
        return body


@broken("swapped", rule="translation/results-linked", case=CASE, client=CHAT, upstream=ANTHROPIC)
class OneIdForAll(DoubledSession):
    """Gives every call of a reply the same id, so that only their order tells results apart."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in chat_calls(body):
            call["id"] = "call_1"
        return body


@broken(rule="translation/loop-broken", case=CASE, client=CHAT, upstream=ANTHROPIC)
class CallLostInReply(DoubledSession):
    """Gives the client only the first of two calls."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        message = body["choices"][0]["message"]
        if message.get("tool_calls"):
            message["tool_calls"] = message["tool_calls"][:1]
        return body


@broken(rule="translation/call-lost", case=CASE, client=CHAT, upstream=ANTHROPIC)
class ForgetsTheFirstCall(DoubledSession):
    """Sends only the end of the history, as a translator does that cuts it by count."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if len(body["messages"]) > 2:
            del body["messages"][1]["content"][0]
        return body


@broken(rule="translation/crashed", case=CASE, client=CHAT, upstream=ANTHROPIC)
class FallsOverHistory(DoubledSession):
    """Falls over a history, never over a first request."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if any(message["role"] == "tool" for message in body["messages"]):
            raise KeyError("tool_call_id")
        return body


@harmless(CASE, CHAT, ANTHROPIC)
class Itself(DoubledSession):
    """The reference as it is."""


@harmless(CASE, CHAT, ANTHROPIC, warns=("translation/ids-kept", "translation/ids-returned"))
class IdsOfItsOwn(DoubledSession):
    """Gives the client ids of its own, and the provider's back."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.known: dict[str, str] = {}

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in chat_calls(body):
            own = f"call_{len(self.known):024d}"
            self.known[own] = call["id"]
            call["id"] = own
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in blocks(body, "tool_use"):
            call["id"] = self.known.get(call["id"], call["id"])
        for result in blocks(body, "tool_result"):
            result["tool_use_id"] = self.known.get(result["tool_use_id"], result["tool_use_id"])
        return body
