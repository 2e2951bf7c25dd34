"""LangChain's messages, judged in process by the check ``adapter``: an ``AIMessage`` of a reply, and ``ToolMessage``.

Each integration turns its provider's reply into an ``AIMessage`` and messages into its provider's request; these are
the functions that its chat model uses. A result becomes a ``ToolMessage`` as LangGraph's ``ToolNode`` makes it: objects
as JSON text, media as content blocks, and what a free-text tool returns in the block that the decorator
``langchain_openai.custom_tool`` makes of it. https://docs.langchain.com/oss/python/langchain/messages

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.langchain_messages:Translator toolcall::``.
"""

from __future__ import annotations

import copy
import json
from importlib.metadata import version
from typing import Any

from anthropic._models import construct_type as as_anthropic
from anthropic.types import Message
from google.genai.types import GenerateContentResponse
from langchain_anthropic import ChatAnthropic
from langchain_anthropic.chat_models import _format_messages
from langchain_core.messages import AIMessage, FunctionMessage, HumanMessage, ToolMessage
from langchain_google_genai.chat_models import _parse_chat_history, _response_to_result
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import (
    _construct_lc_result_from_responses_api,
    _construct_responses_api_input,
    _convert_message_to_dict,
)
from openai._models import construct_type as as_openai
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

from toolcall_conformance.basics.contract import Body, Route, Unsupported

_QUESTION = HumanMessage(".")
_BLOCKS = {"image": "image", "audio": "audio", "video": "video"}


class _Anthropic:
    def read(self, reply: Body) -> AIMessage:
        model = ChatAnthropic(model="any", api_key="none")
        result = model._format_output(as_anthropic(value=reply, type_=Message))  # noqa: SLF001 - what it does to replies
        return result.generations[0].message

    def write(self, message: AIMessage, answers: list[ToolMessage]) -> list[Body]:
        entries: list[Body] = _format_messages([_QUESTION, message, *answers], model=None)[1][2:]
        return entries


class _Chat:
    def read(self, reply: Body) -> AIMessage:
        model = ChatOpenAI(model="any", api_key="none")
        result = model._create_chat_result(as_openai(value=reply, type_=ChatCompletion))  # noqa: SLF001 - see above
        return result.generations[0].message

    def write(self, message: AIMessage, answers: list[ToolMessage]) -> list[Body]:
        if _old_call(message) is None:
            return [_convert_message_to_dict(answer) for answer in answers]
        return [_convert_message_to_dict(FunctionMessage(answer.content, name=answer.name or "")) for answer in answers]


class _Responses:
    def read(self, reply: Body) -> AIMessage:
        result = _construct_lc_result_from_responses_api(as_openai(value=reply, type_=Response))
        return result.generations[0].message

    def write(self, message: AIMessage, answers: list[ToolMessage]) -> list[Body]:
        blocks = [block for block in message.content if isinstance(block, dict)]
        custom = {block["call_id"] for block in blocks if block.get("type") == "custom_tool_call"}
        answers = [_free_text_result(answer) if answer.tool_call_id in custom else answer for answer in answers]
        before = len(_construct_responses_api_input([message]))
        entries: list[Body] = _construct_responses_api_input([message, *answers])[before:]
        return entries


class _Gemini:
    def read(self, reply: Body) -> AIMessage:
        # As the SDK reads a reply: it takes out what it does not know, in place.
        response = GenerateContentResponse._from_response(response=copy.deepcopy(reply), kwargs={})  # noqa: SLF001
        return _response_to_result(response).generations[0].message

    def write(self, message: AIMessage, answers: list[ToolMessage]) -> list[Body]:
        contents = _parse_chat_history([_QUESTION, message, *answers])[1][2:]
        return [content.model_dump(mode="json", by_alias=True, exclude_none=True) for content in contents]


FORMATS: dict[str, Any] = {
    "anthropic": _Anthropic, "gemini": _Gemini, "openai_chat": _Chat, "openai_responses": _Responses,
}  # fmt: skip


def _old_call(message: AIMessage) -> Body | None:
    """The call by Chat's deprecated functions, as ``langchain_core.output_parsers.openai_functions`` takes it."""
    call: Body | None = None if message.tool_calls else message.additional_kwargs.get("function_call")
    return call


def _free_text_result(answer: ToolMessage) -> ToolMessage:
    """The result of a free-text tool: its decorator puts the text into a block; of a tool that raised it sees nothing.

    https://github.com/langchain-ai/langchain/blob/master/libs/partners/openai/langchain_openai/tools/custom_tool.py
    """
    blocks = [answer.content] if isinstance(answer.content, str) else answer.content
    texts = [block if isinstance(block, str) else block.get("text") for block in blocks]
    if answer.status == "error" or not all(isinstance(text, str) for text in texts):
        return answer
    return answer.model_copy(update={"content": [{"type": "custom_tool_call_output", "output": "\n".join(texts)}]})


def _content(result: Body) -> Any:
    if "multimodal_parts" in result:
        return [_block(part) for part in result["multimodal_parts"]]
    value = result["result"]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _block(part: Body) -> Body:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    if part["type"] == "object":
        return {"type": "text", "text": json.dumps(part["value"], ensure_ascii=False)}
    names = {"data": "base64", "url": "url", "file_id": "file_id", "mime_type": "mime_type"}
    members = {names[key]: value for key, value in part.items() if key in names}
    return {"type": _BLOCKS.get(part["kind"], "file"), **members}


class Session:
    """One conversation in one format; it goes on from the last reply."""

    def __init__(self, format_name: str) -> None:
        self._format = FORMATS[format_name]()

    def tool_calls(self, reply: Body) -> list[Body]:
        """The calls that LangChain runs, and those that it cannot read with what they say."""
        self._said = self._format.read(reply)
        calls = [*self._said.tool_calls, *self._said.invalid_tool_calls]
        if not calls and (old := _old_call(self._said)) is not None:
            return [{"id": "function_call", "name": old["name"], "arguments": json.loads(old["arguments"])}]
        return [{"id": call["id"], "name": call["name"], "arguments": call["args"]} for call in calls]

    def tool_results(self, calls: list[Body], results: list[Body]) -> list[Body]:
        """The results as its integration writes them."""
        del calls
        answers = [
            ToolMessage(
                _content(result),
                tool_call_id=result["tool_call_id"],
                name=result["name"],
                status="error" if result["is_error"] else "success",
            )
            for result in results
        ]
        entries: list[Body] = self._format.write(self._said, answers)
        return entries


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "langchain"
    version = version("langchain-core")

    def open(self, route: Route) -> Session:
        if route.client != route.upstream:
            raise Unsupported("LangChain's integrations speak with one provider each")
        return Session(route.client)
