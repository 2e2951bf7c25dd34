"""A small translator, and the adapter that lends it to the suite: Chat Completions clients before Anthropic.

    pytest --toolcall-translator translator:Adapter toolcall::shell/seed

It is good for text and function calls. What it does not do it says: Unsupported for routes, Refused for bodies.
"""

from __future__ import annotations

import json
import time
from typing import Any

Body = dict[str, Any]

FINISH = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}
CHOICES = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}
# What it carries; a request that asks for more is refused, not cut.
KNOWN = {"model", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "temperature", "top_p"}


class Unsupported(Exception):
    """The suite knows it by its name: this route is not done."""


class Refused(Exception):
    """The suite knows it by its name: this body is not taken, and here is why."""


# ---------------------------------------------------------------- the translator


def to_anthropic(body: Body, model: str) -> Body:
    unknown = sorted(body.keys() - KNOWN)
    if unknown:
        raise Refused(f"cannot say {', '.join(unknown)} to Anthropic")
    made: Body = {"model": model, "max_tokens": body.get("max_completion_tokens") or body.get("max_tokens") or 4096}
    made |= {name: body[name] for name in ("temperature", "top_p") if name in body}
    system = [message["content"] for message in body["messages"] if message["role"] in ("system", "developer")]
    if system:
        made["system"] = "\n\n".join(system)
    made["messages"] = turns(body["messages"])
    if "tools" in body:
        made["tools"] = [declared(tool["function"]) for tool in body["tools"]]
    if "tool_choice" in body:
        choice = body["tool_choice"]
        named = isinstance(choice, dict)
        made["tool_choice"] = {"type": "tool", "name": choice["function"]["name"]} if named else CHOICES[choice]
    return made


def declared(function: Body) -> Body:
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    described = {"description": function["description"]} if "description" in function else {}
    return {"name": function["name"], **described, "input_schema": schema}


def turns(messages: list[Body]) -> list[Body]:
    """Results stand in a user's turn; turns of one role become one."""
    made: list[Body] = []
    for message in messages:
        if message["role"] in ("system", "developer"):
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        if made and made[-1]["role"] == role:
            made[-1]["content"] += blocks(message)
        else:
            made.append({"role": role, "content": blocks(message)})
    return made


def blocks(message: Body) -> list[Body]:
    if message["role"] == "tool":
        return [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}]
    content = message.get("content") or []
    texts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if any(part["type"] != "text" for part in texts):
        raise Refused("takes no pictures or other files")
    calls = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
    return [
        *texts,
        *({"type": "tool_use", "id": id, "name": f["name"], "input": json.loads(f["arguments"])} for id, f in calls),
    ]


def to_chat(reply: Body) -> Body:
    texts = [block["text"] for block in reply["content"] if block["type"] == "text"]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in reply["content"]
        if block["type"] == "tool_use"
    ]
    message: Body = {"role": "assistant", "content": "\n".join(texts) or None}
    if calls:
        message["tool_calls"] = calls
    asked, said = reply["usage"]["input_tokens"], reply["usage"]["output_tokens"]
    return {
        "id": reply["id"],
        "object": "chat.completion",
        "created": int(time.time()),
        "model": reply["model"],
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": FINISH.get(reply["stop_reason"], "stop"),
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said},
    }


# ---------------------------------------------------------------- the adapter


class Adapter:
    """What `--toolcall-translator` names."""

    name, version = "example", "1.0"

    def open(self, route: Any) -> Session:
        if (route.client, route.upstream) != ("openai_chat", "anthropic"):
            raise Unsupported(f"no {route.client}-to-{route.upstream}")
        return Session(route.upstream_model)


class Session:
    """One conversation. It has no `stream`, so nothing that is streamed is played."""

    def __init__(self, model: str) -> None:
        self.model = model

    def request(self, body: Body) -> Body:
        return to_anthropic(body, self.model)

    def response(self, body: Body) -> Body:
        return to_chat(body)

    def error(self, status: int, body: Body, headers: dict[str, str]) -> tuple[int, Body, dict[str, str]]:
        """Translate an error. By its status and headers the client knows whether to try again, and when."""
        error = body["error"]
        kept = {name: text for name, text in headers.items() if name == "retry-after"}
        made = {"message": error["message"], "type": error["type"], "param": None, "code": None}
        return status, {"error": made}, kept
