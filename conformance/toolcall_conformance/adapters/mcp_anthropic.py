"""The MCP helpers of Anthropic's SDK, judged in process by the check ``mcp``.

``async_mcp_tool`` makes the tools, and the SDK's own tool runner calls them; the bodies are those that it sends.
https://github.com/anthropics/anthropic-sdk-python/blob/main/helpers.md

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.mcp_anthropic:Translator toolcall::``.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import anthropic
from anthropic.lib.tools.mcp import async_mcp_tool

from toolcall_conformance.adapters.mcp_loop import LAST, QUESTION, Provider, Server, call_in, tool_of
from toolcall_conformance.basics.contract import Body, Route, Unsupported


class Session:
    """One conversation with Anthropic."""

    def __init__(self, model: str) -> None:
        self._model = model

    async def mcp_tools(self, listed: Body) -> list[Body]:
        """The tools of the first request."""
        tools: list[Body] = (await self._run(Server(listed), [LAST["anthropic"]]))[0].get("tools", [])
        return tools

    async def mcp_result(self, call: Body, result: Body) -> list[Body]:
        """The last message of the second request, which follows the reply; the SDK may leave out earlier ones."""
        replies = [call_in("anthropic", call), LAST["anthropic"]]
        messages: list[Body] = (await self._run(Server(tool_of(call), result), replies))[1]["messages"][-1:]
        return messages

    async def _run(self, server: Server, replies: list[Body]) -> list[Body]:
        """The bodies of the requests of one run."""
        provider = Provider(replies)
        client = anthropic.AsyncAnthropic(api_key="none", http_client=provider.client(), max_retries=0)
        question: Any = {"role": "user", "content": QUESTION}
        tools = [async_mcp_tool(tool, server) for tool in server.listed.tools]
        runner = client.beta.messages.tool_runner(model=self._model, max_tokens=64, tools=tools, messages=[question])
        await runner.until_done()
        return provider.requests


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "anthropic-mcp"
    version = version("anthropic")

    def open(self, route: Route) -> Session:
        if (route.client, route.upstream) != ("anthropic", "anthropic"):
            raise Unsupported("the SDK speaks with Anthropic only")
        return Session(route.client_model)
