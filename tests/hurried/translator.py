"""Chat to Anthropic and Anthropic to Gemini, written in a hurry: what the report is for.

Every bug here was reported of a published translator; `bugs.json` names them. Mend none: they are the measure.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

Body = dict[str, Any]


class Unsupported(Exception):  # noqa: N818 - recognised by this name
    """Another route than the two."""


class Translator:
    """Opens a session on one of two routes."""

    def open(self, route: Any) -> ChatToAnthropic | AnthropicToGemini:
        if (route.client, route.upstream) == ("openai_chat", "anthropic"):
            return ChatToAnthropic(route)
        if (route.client, route.upstream) == ("anthropic", "gemini"):
            return AnthropicToGemini(route)
        raise Unsupported(f"{route.client} to {route.upstream}")


def events_of(chunks: Iterable[bytes]) -> Iterator[Body]:
    """The JSON of each event."""
    buffer = ""
    for chunk in chunks:
        buffer += chunk.decode("utf-8", errors="replace")
        buffer = buffer.replace("\r\n", "\n")
        while "\n\n" in buffer:
            frame, buffer = buffer.split("\n\n", 1)
            for line in frame.split("\n"):
                if line.startswith("data: "):
                    yield json.loads(line[6:])


class ChatToAnthropic:
    """A client of Chat Completions on Anthropic Messages."""

    def __init__(self, route: Any) -> None:
        self.route = route

    def request(self, body: Body) -> Body:
        system = [str(message["content"]) for message in body["messages"] if message["role"] == "system"]
        messages = [m for message in body["messages"] if message["role"] != "system" for m in self._message(message)]
        produced: Body = {
            "model": self.route.upstream_model,
            "max_tokens": body.get("max_completion_tokens") or body.get("max_tokens") or 4096,
            "messages": messages,
        }
        if system:
            produced["system"] = "\n".join(system)
        if body.get("tools"):
            produced["tools"] = [self._tool(tool["function"]) for tool in body["tools"] if tool["type"] == "function"]
        choice = body.get("tool_choice")
        if choice == "required":
            produced["tool_choice"] = {"type": "any"}
        elif isinstance(choice, dict):
            produced["tool_choice"] = {"type": "tool", "name": choice["function"]["name"]}
        elif choice:
            produced["tool_choice"] = {"type": "auto"}
        for key in ("temperature", "top_p", "stream"):
            if key in body:
                produced[key] = body[key]
        if body.get("stop"):
            produced["stop_sequences"] = body["stop"]
        return produced

    def _tool(self, function: Body) -> Body:
        return {
            "name": function["name"],
            "description": function.get("description", ""),
            "input_schema": function["parameters"],
        }

    def _message(self, message: Body) -> Iterator[Body]:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            yield {"role": "user", "content": [block]}
        elif message.get("tool_calls"):
            blocks = [
                {
                    "type": "tool_use",
                    "id": call["id"],
                    "name": call["function"]["name"],
                    "input": json.loads(call["function"]["arguments"]),
                }
                for call in message["tool_calls"]
            ]
            yield {"role": "assistant", "content": blocks}
        else:
            yield {"role": message["role"], "content": message["content"]}

    def response(self, body: Body) -> Body:
        text = "".join(block["text"] for block in body["content"] if block["type"] == "text")
        calls = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for block in body["content"]
            if block["type"] == "tool_use"
        ]
        message: Body = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = calls
        return {
            "id": body["id"],
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self.route.client_model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
            "usage": {
                "prompt_tokens": body["usage"]["input_tokens"],
                "completion_tokens": body["usage"]["output_tokens"],
                "total_tokens": body["usage"]["input_tokens"] + body["usage"]["output_tokens"],
            },
        }

    def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        identifier = f"chatcmpl-{uuid.uuid4().hex}"

        def chunk(delta: Body, finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            event = {
                "id": identifier,
                "object": "chat.completion.chunk",
                "created": int(time.time()),
                "model": self.route.client_model,
                "choices": [choice],
            }
            return f"data: {json.dumps(event)}\n\n".encode()

        yield chunk({"role": "assistant", "content": ""})
        for event in events_of(chunks):
            if event["type"] == "content_block_start" and event["content_block"]["type"] == "tool_use":
                block = event["content_block"]
                function = {"name": block["name"], "arguments": ""}
                yield chunk({"tool_calls": [{"index": 0, "id": block["id"], "type": "function", "function": function}]})
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                if delta["type"] == "text_delta":
                    yield chunk({"content": delta["text"]})
                elif delta["type"] == "input_json_delta":
                    fragment = {"index": 0, "function": {"arguments": delta["partial_json"]}}
                    yield chunk({"tool_calls": [fragment]})
            elif event["type"] == "message_delta":
                calls = event["delta"]["stop_reason"] == "tool_use"
                yield chunk({}, "tool_calls" if calls else "stop")
        yield b"data: [DONE]\n\n"

    def error(self, status: int, body: Body) -> tuple[int, Body]:
        return status, {"error": body["error"]}


class AnthropicToGemini:
    """A client of Anthropic Messages on Gemini."""

    def __init__(self, route: Any) -> None:
        self.route = route
        self.names: dict[str, str] = {}

    def request(self, body: Body) -> Body:
        contents = [self._content(message) for message in body["messages"]]
        produced: Body = {"contents": contents, "generationConfig": {"maxOutputTokens": body["max_tokens"]}}
        if body.get("system"):
            system = body["system"]
            text = system if isinstance(system, str) else "\n".join(block["text"] for block in system)
            produced["systemInstruction"] = {"parts": [{"text": text}]}
        if body.get("tools"):
            declarations = [
                {"name": tool["name"], "description": tool.get("description", ""), "parameters": tool["input_schema"]}
                for tool in body["tools"]
            ]
            produced["tools"] = [{"functionDeclarations": declarations}]
        choice = body.get("tool_choice")
        if choice:
            mode = {"auto": "AUTO", "any": "ANY", "tool": "ANY", "none": "AUTO"}[choice["type"]]
            produced["toolConfig"] = {"functionCallingConfig": {"mode": mode}}
        for theirs, ours in (("temperature", "temperature"), ("top_p", "topP"), ("stop_sequences", "stopSequences")):
            if theirs in body:
                produced["generationConfig"][ours] = body[theirs]
        return produced

    def _content(self, message: Body) -> Body:
        role = "model" if message["role"] == "assistant" else "user"
        if isinstance(message["content"], str):
            return {"role": role, "parts": [{"text": message["content"]}]}
        return {"role": role, "parts": [part for block in message["content"] for part in self._part(block)]}

    def _part(self, block: Body) -> Iterator[Body]:
        if block["type"] == "text":
            yield {"text": block["text"]}
        elif block["type"] == "tool_use":
            self.names[block["id"]] = block["name"]
            yield {"functionCall": {"name": block["name"], "args": block["input"]}}
        elif block["type"] == "tool_result":
            content = block.get("content", "")
            if isinstance(content, list):
                content = "".join(part["text"] for part in content if part["type"] == "text")
            try:
                response = json.loads(content)
            except ValueError:
                response = {"output": content}
            yield {"functionResponse": {"name": self.names[block["tool_use_id"]], "response": response}}

    def response(self, body: Body) -> Body:
        candidate = body["candidates"][0]
        blocks: list[Body] = []
        for part in candidate["content"]["parts"]:
            if "text" in part:
                blocks.append({"type": "text", "text": part["text"]})
            elif "functionCall" in part:
                blocks.append(self._call(part["functionCall"]))
        stop = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens"}.get(candidate["finishReason"], "end_turn")
        return {
            "id": f"msg_{uuid.uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": self.route.client_model,
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": self._usage(body),
        }

    def _call(self, call: Body) -> Body:
        return {"type": "tool_use", "id": f"toolu_{call['name']}", "name": call["name"], "input": call.get("args", {})}

    def _usage(self, body: Body) -> Body:
        usage = body["usageMetadata"]
        return {"input_tokens": usage["promptTokenCount"], "output_tokens": usage["candidatesTokenCount"]}

    def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        def event(kind: str, **members: Any) -> bytes:
            return f"event: {kind}\ndata: {json.dumps({'type': kind, **members})}\n\n".encode()

        message = {
            "id": f"msg_{uuid.uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": self.route.client_model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 0, "output_tokens": 0},
        }
        yield event("message_start", message=message)
        index, stop, usage = 0, "end_turn", {"output_tokens": 0}
        for record in events_of(chunks):
            candidate = record["candidates"][0]
            for part in candidate["content"]["parts"]:
                if "text" in part:
                    block: Body = {"type": "text", "text": ""}
                    delta: Body = {"type": "text_delta", "text": part["text"]}
                elif "functionCall" in part:
                    block = {**self._call(part["functionCall"]), "input": {}}
                    arguments = json.dumps(part["functionCall"].get("args", {}))
                    delta = {"type": "input_json_delta", "partial_json": arguments}
                    stop = "tool_use"
                else:
                    continue
                yield event("content_block_start", index=index, content_block=block)
                yield event("content_block_delta", index=index, delta=delta)
                yield event("content_block_stop", index=index)
                index += 1
            if candidate.get("finishReason") == "MAX_TOKENS":
                stop = "max_tokens"
            if "usageMetadata" in record:
                usage = self._usage(record)
        yield event("message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage=usage)
        yield event("message_stop")

    def error(self, status: int, body: Body) -> tuple[int, Body]:
        error = {"type": "api_error", "message": body["error"]["message"]}
        return status, {"type": "error", "error": error}
