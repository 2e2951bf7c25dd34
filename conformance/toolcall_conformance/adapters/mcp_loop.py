"""Both ends of a library that calls the tools of an MCP server: a server with fixed answers, and a provider."""

from __future__ import annotations

import json
from typing import Any

import httpx2
from mcp import ClientSession
from mcp.types import CallToolResult, ListToolsResult

from toolcall_conformance.basics.contract import Body, Refused

QUESTION = "."
_EMPTY: Body = {"content": []}


def tool_of(call: Body) -> Body:
    """A server's list that has the called tool."""
    return {"tools": [{"name": call["name"], "inputSchema": {"type": "object"}}]}


class Server(ClientSession):  # type: ignore[misc]  # its package is not there where types are checked
    """The client's session with a server that answers each call with ``result``. It opens no connection."""

    def __init__(self, listed: Body, result: Body = _EMPTY) -> None:
        self.listed = _as(ListToolsResult, listed)
        self.result = _as(CallToolResult, result)

    async def list_tools(self, *_: Any, **__: Any) -> Any:
        return self.listed

    async def call_tool(self, *_: Any, **__: Any) -> Any:
        return self.result


def _as(kind: Any, sent: Body) -> Any:
    try:
        return kind.model_validate(sent)
    except ValueError as error:
        raise Refused(f"the client of this version of MCP does not take it: {error}") from None


class Provider:
    """A provider's API in memory. It gives its replies in order and stores the requests in ``requests``."""

    def __init__(self, replies: list[Body]) -> None:
        self._replies = iter(replies)
        self.requests: list[Body] = []

    def transport(self) -> httpx2.MockTransport:
        return httpx2.MockTransport(self._answer)

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=self.transport())

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        return httpx2.Response(200, json=next(self._replies))


def anthropic_reply(stop: str, block: Body) -> Body:
    reply = {"id": "msg_1", "type": "message", "role": "assistant", "model": "any", "content": [block]}
    return {**reply, "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}


def gemini_reply(part: Body) -> Body:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}


def chat_reply(finish: str, message: Body) -> Body:
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice]}


def responses_reply(item: Body) -> Body:
    reply = {"id": "1", "object": "response", "created_at": 1, "model": "any", "status": "completed"}
    return {**reply, "output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


_TEXT: Body = {"type": "output_text", "text": ".", "annotations": []}
_MESSAGE: Body = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [_TEXT]}
# The reply that ends a run: a text.
LAST = {
    "anthropic": anthropic_reply("end_turn", {"type": "text", "text": "."}),
    "gemini": gemini_reply({"text": "."}),
    "openai_chat": chat_reply("stop", {"content": "."}),
    "openai_responses": responses_reply(_MESSAGE),
}


def call_in(format_name: str, call: Body) -> Body:
    """The reply that makes a call. Gemini's have an id only where the provider gave one."""
    name, arguments = call["name"], call["arguments"]
    if format_name == "anthropic":
        return anthropic_reply("tool_use", {"type": "tool_use", "id": call["id"], "name": name, "input": arguments})
    if format_name == "gemini":
        identity = {"id": call["id"]} if call["id"] else {}
        return gemini_reply({"functionCall": {**identity, "name": name, "args": arguments}})
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    if format_name == "openai_chat":
        return chat_reply("tool_calls", {"tool_calls": [{"id": call["id"], "type": "function", "function": function}]})
    item = {"type": "function_call", "id": "fc_1", "status": "completed", "call_id": call["id"]}
    return responses_reply({**item, **function})
