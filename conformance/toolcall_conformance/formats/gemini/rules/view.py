"""What several rules look at: contents with their pointers, calls and results by turn, the model's generation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.reading import Call, Node, Reading, Result, Turn
from toolcall_conformance.formats.gemini.proto_json import entries, root
from toolcall_conformance.formats.rule import Subject


def contents(body: Any) -> list[Node]:
    """The contents of a request."""
    return [content for content in entries(root(body).child("contents")) if content.is_object]


def parts(content: Node) -> list[Node]:
    """The parts of a content that are objects."""
    return [part for part in entries(content.child("parts")) if part.is_object]


def has_value(part: Node, key: str) -> bool:
    """Whether a part has a value under ``key``."""
    return part.get(key) is not None


def calls(turn: Turn) -> list[Call]:
    """The calls of a turn in order."""
    return [item for item in turn.items if isinstance(item, Call)]


def results(turn: Turn) -> list[Result]:
    """The results of a turn in order."""
    return [item for item in turn.items if isinstance(item, Result)]


def answering_turns(reading: Reading) -> Iterator[tuple[list[Call], Turn]]:
    """Every user turn that has results, with the calls of the model turn right before it (none if there is none)."""
    before: Turn | None = None
    for turn in reading.turns:
        if results(turn):
            caller = turn if calls(turn) else before
            yield (calls(caller) if caller is not None and caller.side == "assistant" else []), turn
        if turn.side != "system":
            before = turn


def call_label(call: Call) -> str:
    """How a report calls a call."""
    return f"call {call.ordinal + 1}, {call.name or 'without a name'}"


def result_label(result: Result) -> str:
    """How a report calls a result."""
    which = "answers no call" if result.call is None else f"of call {result.call + 1}"
    return f"result {which}, {result.name or 'without a name'}"


def model_generation(subject: Subject) -> int | None:
    """The generation of the Gemini model that a body goes to (3 for gemini-3-pro-preview), None if not known."""
    match = re.search(r"gemini-(\d+)", subject.model or "")
    return int(match[1]) if match else None
