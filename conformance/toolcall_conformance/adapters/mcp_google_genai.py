"""What Google's SDK makes of an MCP session among its tools, judged in process by the check ``mcp``.

The conversion is private there; automatic function calling runs it, and the bodies are those that the SDK sends.
https://googleapis.github.io/python-genai/#model-context-protocol-mcp-support-experimental

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.mcp_google_genai:Translator toolcall::``.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from google import genai
from google.genai import types

from toolcall_conformance.adapters.mcp_loop import LAST, QUESTION, Provider, Server, call_in, tool_of
from toolcall_conformance.basics.contract import Body, Route, Unsupported


class Session:
    """One conversation with Gemini."""

    def __init__(self, model: str) -> None:
        self._model = model

    async def mcp_tools(self, listed: Body) -> list[Body]:
        """The tools of the first request."""
        tools: list[Body] = (await self._run(Server(listed), [LAST["gemini"]]))[0].get("tools", [])
        return tools

    async def mcp_result(self, call: Body, result: Body) -> list[Body]:
        """The contents of the second request after the reply."""
        replies = [call_in("gemini", call), LAST["gemini"]]
        contents: list[Body] = (await self._run(Server(tool_of(call), result), replies))[1]["contents"][2:]
        return contents

    async def _run(self, server: Server, replies: list[Body]) -> list[Body]:
        """The bodies of the requests of one run."""
        provider = Provider(replies)
        options = types.HttpOptions(async_client_args={"transport": provider.transport()})
        client = genai.Client(api_key="none", http_options=options)
        tools: Any = [server]
        config = types.GenerateContentConfig(tools=tools)
        await client.aio.models.generate_content(model=self._model, contents=QUESTION, config=config)
        return provider.requests


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "google-genai-mcp"
    version = version("google-genai")

    def open(self, route: Route) -> Session:
        if (route.client, route.upstream) != ("gemini", "gemini"):
            raise Unsupported("the SDK speaks with Gemini only")
        return Session(route.client_model)
