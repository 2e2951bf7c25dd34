"""Small agents, each as the documentation of its SDK shows one: ask, run the calls, send their results, ask again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_reference.formats.gemini.protojson import to_camel_case
from witnesses.method_arguments import arguments_by_signature

Run = Callable[[str, Any], str]
"""Runs a tool by its name and arguments."""


def chat(url: str, body: dict[str, Any], run: Run, *, stream: bool) -> str:
    """https://platform.openai.com/docs/guides/function-calling?api-mode=chat"""
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    from openai.lib.streaming.chat import ChatCompletionStreamState

    messages = copy.deepcopy(body["messages"])
    with openai.OpenAI(api_key="key", base_url=f"{url}/v1", max_retries=0) as client:
        create = client.chat.completions.create
        while True:
            completion = create(**arguments_by_signature(create, {**body, "messages": messages, "stream": stream}))
            if stream:
                state = ChatCompletionStreamState()
                for chunk in completion:
                    state.handle_chunk(chunk)
                completion = state.get_final_completion()
            message = completion.choices[0].message
            if not message.tool_calls:
                return str(message.content)
            messages.append(message.to_dict())
            for call in message.tool_calls:
                output = run(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": output})


def responses(url: str, body: dict[str, Any], run: Run, *, stream: bool) -> str:
    """https://platform.openai.com/docs/guides/function-calling"""
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    prompt = body["input"]
    items = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(prompt)
    with openai.OpenAI(api_key="key", base_url=f"{url}/v1", max_retries=0) as client:
        create = client.responses.create
        while True:
            response = create(**arguments_by_signature(create, {**body, "input": items, "stream": stream}))
            if stream:
                last = list(response)[-1]
                if last.type == "error":
                    raise RuntimeError(last.message)
                response = last.response
            items += response.output
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return str(response.output_text)
            for call in calls:
                output = run(call.name, call.arguments)
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def messages(url: str, body: dict[str, Any], run: Run, *, stream: bool) -> str:
    """https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview"""
    anthropic = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
    history = list(body["messages"])
    with anthropic.Anthropic(api_key="key", base_url=url, max_retries=0) as client:
        while True:
            if stream:
                with client.messages.stream(**{**body, "messages": history}) as events:
                    message = events.get_final_message()
            else:
                message = client.messages.create(**{**body, "messages": history})
            history.append({"role": "assistant", "content": message.content})
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in message.content if block.type == "text")
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": run(call.name, call.input)} for call in calls
            ]
            history.append({"role": "user", "content": results})


def generate(url: str, body: dict[str, Any], run: Run, *, stream: bool) -> str:
    """https://ai.google.dev/gemini-api/docs/function-calling"""
    pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
    from google import genai
    from google.genai import types

    client: Any = genai.Client(api_key="key", http_options=types.HttpOptions(base_url=url))
    body = to_camel_case(body)
    settings = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
    config = types.GenerateContentConfig.model_validate(settings | body.get("generationConfig", {}))
    contents = [types.Content.model_validate(content) for content in body["contents"]]
    try:
        while True:
            arguments: dict[str, Any] = {"model": "mine", "contents": contents, "config": config}
            if stream:
                replies = list(client.models.generate_content_stream(**arguments))
            else:
                replies = [client.models.generate_content(**arguments)]
            parts = [part for reply in replies for part in reply.candidates[0].content.parts or []]
            contents.append(types.Content(role="model", parts=parts))
            calls = [part.function_call for part in parts if part.function_call]
            if not calls:
                return "".join(part.text or "" for part in parts)
            answers = [
                types.FunctionResponse(id=call.id, name=call.name, response={"output": run(call.name, call.args)})
                for call in calls
            ]
            contents.append(types.Content(role="user", parts=[types.Part(function_response=each) for each in answers]))
    finally:
        client.close()


AGENTS: dict[str, Callable[..., str]] = {
    "anthropic": messages,
    "gemini": generate,
    "openai_chat": chat,
    "openai_responses": responses,
}
