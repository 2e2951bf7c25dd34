"""A view of bodies for rules: contents with their pointers, calls and results by turn, the model's generation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import Call, Node, Reading, Result, Turn
from toolcall_conformance.formats.gemini.proto_json import entries, root
from toolcall_conformance.formats.rule import Subject


def contents(body: Any) -> list[Node]:
    """Return the contents of a request that are objects."""
    return [content for content in entries(root(body).child("contents")) if content.is_object]


def parts(content: Node) -> list[Node]:
    """Return the parts of a content that are objects."""
    return [part for part in entries(content.child("parts")) if part.is_object]


def has_value(part: Node, key: str) -> bool:
    """Whether a part has a value under ``key`` that is not null."""
    return part.get(key) is not None


def calls(turn: Turn) -> list[Call]:
    """Return the calls of a turn in order."""
    return [item for item in turn.items if isinstance(item, Call)]


def results(turn: Turn) -> list[Result]:
    """Return the results of a turn in order."""
    return [item for item in turn.items if isinstance(item, Result)]


def answering_turns(reading: Reading) -> Iterator[tuple[list[Call], Turn]]:
    """Yield each turn with results, preceded by the calls of the model turn right before it (perhaps none)."""
    before: Turn | None = None
    for turn in reading.turns:
        if results(turn):
            caller = turn if calls(turn) else before
            yield (calls(caller) if caller is not None and caller.side == "assistant" else []), turn
        if turn.side != "system":
            before = turn


def call_label(call: Call) -> str:
    """Return a call's label in reports."""
    return f"call {call.ordinal + 1}, {call.name or 'without a name'}"


def result_label(result: Result) -> str:
    """Return a result's label in reports."""
    label = "answers no call" if result.call is None else f"of call {result.call + 1}"
    return f"result {label}, {result.name or 'without a name'}"


def model_generation(subject: Subject) -> int | None:
    """Return the generation of the Gemini model of a body (3 for gemini-3-pro-preview), None if unknown."""
    match = re.search(r"gemini-(\d+)", subject.model or "")
    return int(match[1]) if match else None
