"""LangChain's adapter for MCP servers, judged in process by the check ``mcp``.

Its tools are bound to the chat models of three providers and run as LangGraph's ``ToolNode`` does; the bodies are
those that the models make. https://docs.langchain.com/oss/python/langchain/mcp

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.mcp_langchain:Translator toolcall::``.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

# Read when the client is made: all three SDKs then use one HTTP library.
os.environ["GOOGLE_GENAI_HTTP_CLIENT"] = "httpx2"

import anthropic
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_mcp_adapters.tools import load_mcp_tools
from langchain_openai import ChatOpenAI

from toolcall_conformance.adapters.mcp_loop import LAST, QUESTION, Provider, Server, call_in, tool_of
from toolcall_conformance.basics.contract import Body, Refused, Route, Unsupported


def _claude(name: str, provider: Provider) -> Any:
    model = ChatAnthropic(model=name, api_key="none", max_tokens=64)
    # It takes no HTTP client.
    model.__dict__["_async_client"] = anthropic.AsyncAnthropic(api_key="none", http_client=provider.client())
    return model


def _chat(name: str, provider: Provider) -> Any:
    return ChatOpenAI(model=name, api_key="none", http_async_client=provider.client(), use_responses_api=False)


def _responses(name: str, provider: Provider) -> Any:
    return ChatOpenAI(model=name, api_key="none", http_async_client=provider.client(), use_responses_api=True)


def _gemini(name: str, provider: Provider) -> Any:
    arguments = {"transport": provider.transport()}
    return ChatGoogleGenerativeAI(model=name, api_key="none", client_args=arguments)


# The model of each format, and where its request has the conversation.
FORMATS: dict[str, tuple[Any, str]] = {
    "anthropic": (_claude, "messages"),
    "gemini": (_gemini, "contents"),
    "openai_chat": (_chat, "messages"),
    "openai_responses": (_responses, "input"),
}


class Session:
    """One conversation in one format."""

    def __init__(self, format_name: str, model: str) -> None:
        self._name, self._model = format_name, model

    async def mcp_tools(self, listed: Body) -> list[Body]:
        """The tools of a request."""
        tools = await load_mcp_tools(Server(listed))
        request, _ = await self._ask(tools, [], LAST[self._name])
        declarations: list[Body] = request.get("tools", [])
        return declarations

    async def mcp_result(self, call: Body, result: Body) -> list[Body]:
        """The messages, items or contents of the second request after the reply."""
        tools = await load_mcp_tools(Server(tool_of(call), result))
        _, message = await self._ask(tools, [], call_in(self._name, call))
        try:
            answers = [await tools[0].ainvoke(tool_call) for tool_call in message.tool_calls]
        except NotImplementedError as error:
            raise Refused(str(error)) from None
        request, _ = await self._ask(tools, [message, *answers], LAST[self._name])
        entries: list[Body] = request[FORMATS[self._name][1]][2:]
        return entries

    async def _ask(self, tools: list[Any], later_messages: list[Any], reply: Body) -> tuple[Body, Any]:
        """The body of a request with these tools and messages after the question, and the message of the reply."""
        provider = Provider([reply])
        model = FORMATS[self._name][0](self._model, provider).bind_tools(tools)
        message = await model.ainvoke([HumanMessage(QUESTION), *later_messages])
        return provider.requests[0], message


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "langchain-mcp"
    version = version("langchain-mcp-adapters")

    def open(self, route: Route) -> Session:
        if route.client != route.upstream:
            raise Unsupported("LangChain's models speak with one provider each")
        return Session(route.client, route.client_model)
