"""An MCP server of an agent of OpenAI's Agents SDK, judged in process by the check ``mcp``.

The SDK's runner lists and calls the server's tools; the bodies are those that it sends, in both of OpenAI's formats.
https://openai.github.io/openai-agents-python/mcp/

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.mcp_openai_agents:Translator toolcall::``.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import openai
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServer

from toolcall_conformance.adapters.mcp_loop import LAST, QUESTION, Provider, Server, call_in, tool_of
from toolcall_conformance.basics.contract import Body, Route, Unsupported

set_tracing_disabled(disabled=True)


class _Server(MCPServer):  # type: ignore[misc]  # as ``Server``
    """The session as the SDK wants it."""

    def __init__(self, session: Server) -> None:
        super().__init__()
        self._session = session

    @property
    def name(self) -> str:
        return "server"

    async def connect(self) -> None: ...
    async def cleanup(self) -> None: ...

    async def list_tools(self, *_: Any) -> Any:
        return self._session.listed.tools

    async def call_tool(self, *_: Any, **__: Any) -> Any:
        return self._session.result

    async def list_prompts(self) -> Any:
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: Any = None) -> Any:
        raise NotImplementedError


# The model of each format, and where its request has the conversation.
FORMATS: dict[str, tuple[Any, str]] = {
    "openai_chat": (OpenAIChatCompletionsModel, "messages"),
    "openai_responses": (OpenAIResponsesModel, "input"),
}


class Session:
    """One conversation in one of OpenAI's formats."""

    def __init__(self, format_name: str, model: str) -> None:
        self._name, self._model = format_name, model

    async def mcp_tools(self, listed: Body) -> list[Body]:
        """The tools of the first request."""
        tools: list[Body] = (await self._run(Server(listed), [LAST[self._name]]))[0].get("tools", [])
        return tools

    async def mcp_result(self, call: Body, result: Body) -> list[Body]:
        """The messages or items of the second request after the reply."""
        replies = [call_in(self._name, call), LAST[self._name]]
        requests = await self._run(Server(tool_of(call), result), replies)
        entries: list[Body] = requests[1][FORMATS[self._name][1]][2:]
        return entries

    async def _run(self, server: Server, replies: list[Body]) -> list[Body]:
        """The bodies of the requests of one run."""
        provider = Provider(replies)
        client = openai.AsyncOpenAI(api_key="none", http_client=provider.client(), max_retries=0)
        model = FORMATS[self._name][0](self._model, client)
        await Runner.run(Agent(name="agent", model=model, mcp_servers=[_Server(server)]), QUESTION)
        return provider.requests


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "openai-agents"
    version = version("openai-agents")

    def open(self, route: Route) -> Session:
        if route.client != route.upstream or route.client not in FORMATS:
            raise Unsupported("the SDK speaks with OpenAI only, in one format at a time")
        return Session(route.client, route.client_model)
