"""Requests of any size, and faults of whole bodies: what the time of a judgement must grow with, and not more."""

from __future__ import annotations

import base64
import copy
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator

Body = dict[str, Any]
MODELS = {
    "anthropic": "claude-sonnet-4-5-20250929",
    "openai_chat": "gpt-4.1-2025-04-14",
    "openai_responses": "gpt-4.1-2025-04-14",
    "gemini": "gemini-2.5-flash",
}


def translate_request(body: Body, client: str, upstream: str) -> Body:
    """What the reference makes of a request."""
    return ReferenceTranslator().open(Route(client, upstream, MODELS[client], MODELS[upstream])).request(body)


def _tool(number: int) -> Body:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    return {"name": f"t{number}", "description": f"d{number}", "input_schema": schema}


def call(number: int, value: int | None = None) -> Body:
    arguments = {"a": number if value is None else value}
    return {"type": "tool_use", "id": f"toolu_{number:08d}", "name": "t0", "input": arguments}


def result(number: int) -> Body:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number:08d}", "content": f"result {number}"}


def request(*messages: tuple[str, Any], tools: int = 1) -> Body:
    return {
        "model": MODELS["anthropic"],
        "max_tokens": 100,
        "messages": [{"role": role, "content": content} for role, content in messages],
        "tools": [_tool(number) for number in range(tools)],
    }


def _parallel(size: int, value: int | None = None) -> Body:
    calls, results = [call(at, value) for at in range(size)], [result(at) for at in range(size)]
    return request(("user", "Go on"), ("assistant", calls), ("user", results))


def _turns(size: int) -> Body:
    rounds = ((("assistant", [call(at)]), ("user", [result(at)])) for at in range(size))
    return request(("user", "Go on"), *itertools.chain.from_iterable(rounds))


def _talk(size: int) -> Body:
    rounds = ((("user", f"say {at}"), ("assistant", [{"type": "text", "text": f"said {at}"}])) for at in range(size))
    return request(*itertools.chain.from_iterable(rounds), ("user", "end"))


def _captions(size: int) -> Body:
    """Pictures after the results of their calls, each below a text with the id of its call."""
    calls, results = [call(at) for at in range(size)], [result(at) for at in range(size)]
    for at in range(size):
        data = base64.b64encode(b"\x89PNG\r\n\x1a\n%08d" % at).decode()
        image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
        results += [{"type": "text", "text": f"From the result of t0 ({calls[at]['id']}):"}, image]
    return request(("user", "Go on"), ("assistant", calls), ("user", results))


SHAPES: Mapping[str, Callable[[int], Body]] = {
    "calls at once": _parallel,
    "equal calls": lambda size: _parallel(size, 1),
    "calls in turns": _turns,
    "captions": _captions,
    "messages": _talk,
    "tools": lambda size: request(("user", "Go on"), tools=size),
    "texts": lambda size: request(("user", [{"type": "text", "text": f"text {at}"} for at in range(size)])),
}
"""Requests of Anthropic's by what there are ``size`` of."""

IDS = ("id", "tool_use_id", "tool_call_id", "call_id")
LONG = 20
"""Longer lists are those whose size is asked for."""


def _members(value: Any, keys: tuple[str, ...], make: Callable[[int], Any]) -> Any:
    """The value with new texts under some keys."""
    numbers = itertools.count()

    def copy_members(inner: Any) -> Any:
        if isinstance(inner, dict):
            return {
                key: make(next(numbers)) if key in keys and isinstance(entry, str) else copy_members(entry)
                for key, entry in inner.items()
            }
        return [copy_members(entry) for entry in inner] if isinstance(inner, list) else inner

    return copy_members(value)


def _lists(value: Any, make: Callable[[list[Any]], list[Any]]) -> Any:
    """A copy of the value with its long lists changed."""
    if isinstance(value, dict):
        return {key: _lists(entry, make) for key, entry in value.items()}
    if isinstance(value, list):
        entries = [_lists(entry, make) for entry in value]
        return make(entries) if len(entries) > LONG else entries
    return value


def _as_texts(value: Any) -> Any:
    """The value with a text in the place of each call and result, which says it in JSON."""
    if isinstance(value, list):
        return [_as_texts(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    text = json.dumps(value)
    if value.get("type") in ("tool_use", "tool_result"):
        return {"type": "text", "text": text}
    if value.get("type") in ("function_call", "function_call_output"):
        return {"role": "assistant" if value["type"] == "function_call" else "user", "content": text}
    if value.get("role") == "tool":
        return {"role": "user", "content": text}
    if "tool_calls" in value:
        texts = [{"type": "text", "text": json.dumps(call)} for call in value["tool_calls"]]
        return {"role": "assistant", "content": texts}
    if "functionCall" in value or "functionResponse" in value:
        return {"text": text}
    return {key: _as_texts(entry) for key, entry in value.items()}


FAULTS: Mapping[str, Callable[[Body], Any]] = {
    "none": lambda body: body,
    "ids wrong": lambda body: _members(body, IDS, lambda number: f"wrong{number}"),
    "ids equal": lambda body: _members(body, IDS, lambda _: "same"),
    "ids null": lambda body: _members(body, IDS, lambda _: None),
    "links wrong": lambda body: _members(body, ("tool_use_id", "tool_call_id"), lambda number: f"wrong{number}"),
    "names wrong": lambda body: _members(body, ("name",), lambda number: f"wrong{number}"),
    "texts wrong": lambda body: _members(body, ("text", "content", "output"), lambda number: f"wrong{number}"),
    "calls told as text": _as_texts,
    "roles null": lambda body: _members(body, ("role",), lambda _: None),
    "types wrong": lambda body: _members(body, ("type",), lambda number: f"wrong{number}"),
    "every entry twice": lambda body: _lists(body, lambda entries: [copy.deepcopy(e) for e in entries for _ in "12"]),
    "lists twice": lambda body: _lists(body, lambda entries: entries + copy.deepcopy(entries)),
    "lists reversed": lambda body: _lists(body, lambda entries: entries[::-1]),
    "every other gone": lambda body: _lists(body, lambda entries: entries[::2]),
    "all but one gone": lambda body: _lists(body, lambda entries: entries[:1]),
    "nulls": lambda body: _lists(body, lambda entries: [None] * len(entries)),
}
"""What a careless translator does to a whole body."""
