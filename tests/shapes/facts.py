"""Shapes that no single place shows: what a body counts, orders or leaves out, as ``fact more-than-10-tools``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Call, Media, Reading, Text, Unreadable

MANY_TOOLS = 10
LONG_RESULT = 10_000
ASSISTANT = ("assistant", "model")
TURNS = ("messages", "contents", "input")
REPLIES = ("choices", "candidates")


def of_body(name: str, kind: str, body: Any) -> frozenset[str]:
    """The facts of a request or a reply."""
    if not isinstance(body, dict) or kind not in ("request", "response"):
        return frozenset()
    reading = formats.read(name, kind, body)
    facts = _request_facts(reading, body) if kind == "request" else _reply_facts(reading, body)
    return frozenset(f"fact {each}" for each in facts)


def _request_facts(reading: Reading, body: dict[str, Any]) -> Iterator[str]:
    functions = [tool for tool in reading.tools if tool.kind == "function"]
    if len(reading.tools) > MANY_TOOLS:
        yield f"more-than-{MANY_TOOLS}-tools"
    if any(not tool.description for tool in functions):
        yield "tool-without-description"
    if any(not tool.schema for tool in functions):
        yield "tool-without-schema"
    yield from {f"tool-of-kind-{tool.kind}" for tool in reading.tools}
    if reading.calls and not reading.tools:
        yield "calls-without-declared-tools"
    yield from _turn_facts(reading, body)
    for call in reading.calls:
        if isinstance(call.arguments, Unreadable):
            yield "history-arguments-not-json" if not _is_json(call.arguments) else "history-arguments-not-object"
        elif call.kind == "function" and not isinstance(call.arguments, dict):
            yield "history-arguments-not-object"
    for result in reading.results:
        if sum(len(part.text) for part in result.parts if isinstance(part, Text)) > LONG_RESULT:
            yield "long-result"
    yield from _media_facts(reading)


def _turn_facts(reading: Reading, body: dict[str, Any]) -> Iterator[str]:
    sides = [turn.side for turn in reading.turns]
    if "system" in sides:
        yield "system-mid-conversation"
    if sides[:1] == ["assistant"]:
        yield "begins-with-assistant"
    if sides[-1:] == ["assistant"]:
        yield "ends-with-assistant"
    written: list[Any] = next((body[key] for key in TURNS if isinstance(body.get(key), list)), [])
    roles = [entry.get("role") for entry in written if isinstance(entry, dict)]
    if any(first in ASSISTANT and second in ASSISTANT for first, second in pairwise(roles)):
        yield "two-assistant-messages-in-a-row"


def _media_facts(reading: Reading) -> Iterator[str]:
    items = [item for turn in reading.turns for item in turn.items]
    inside = [part for result in reading.results for part in result.parts]
    for item in (*items, *inside):
        if isinstance(item, Media) and item.data is None:
            yield "media-by-url-or-file"
            if item.kind == "image" and item.url:
                yield "image-by-url"


def _reply_facts(reading: Reading, body: dict[str, Any]) -> Iterator[str]:
    items = [item for turn in reading.turns for item in turn.items]
    if any(len(body.get(key) or ()) > 1 for key in REPLIES):
        yield "several-choices"
    if not items:
        yield "reply-empty"
    if reading.finish and reading.finish.reason == "length" and any(isinstance(item, Call) for item in items):
        yield "length-with-call"


def _is_json(arguments: Unreadable) -> bool:
    """Whether arguments that cannot be read as an object are JSON all the same."""
    try:
        json.loads(arguments.raw)
    except (TypeError, ValueError):
        return arguments.is_json
    return True
