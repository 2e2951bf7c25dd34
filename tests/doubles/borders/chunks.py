"""Streams of Chat Completions: counts, choices and what may come behind the finish reason."""

from __future__ import annotations

import copy
from typing import Any

from doubles.border import BYTES, GONE, borders
from doubles.borders.order import order, replaced

border = borders(__name__)

COUNTS = {"prompt_tokens": 61, "completion_tokens": 4, "total_tokens": 65}


def two_choices(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Behind each chunk the same of a second choice."""
    output_events = []
    for event in events:
        output_events.append(event)
        if event["data"] != "[DONE]":
            other = copy.deepcopy(event)
            other["data"]["choices"][0]["index"] = 1
            output_events.append(other)
    return output_events


border(
    "openai_chat/stream-choice-index",
    "two-choices-in-turn",
    "The chunks of two choices come in turn",
    {"/events": two_choices},
    past={f"/events/{place}/data/choices/0/index": 2 for place in (1, 3, 5, 7)},
    says="The second choice has the number 2",
)
border(
    "openai_chat/stream-envelope",
    "chunk-of-no-time",
    "A chunk was made at 0, and its model is the empty text",
    {"/events/1/data/created": 0, "/events/1/data/model": ""},
    past={"/events/1/data/created": GONE},
)
border(
    "openai_chat/stream-error-shape",
    "error-with-nothing-but-a-message",
    "An error has a message and nothing else",
    {"/events/2/data/error": {"message": "The server is overloaded."}},
    past={"/events/2/data/error": {"type": "server_error"}},
    says="An error has no message",
)
border(
    "openai_chat/stream-finish-agrees",
    "call-in-one-chunk",
    "A choice has one call that comes at once, and ends with tool_calls",
    {
        "/events/1/data/choices/0/delta/tool_calls/0/function/arguments": '{"path":"a.py"}',
        "/events": order(0, 1, 4, 5),
    },
    past={"/events/1": GONE},
    says="A choice without calls ends with tool_calls",
    example="openai_chat/stream-finish-last",
    follows="openai_chat/finish-without-calls",
)
border(
    "openai_chat/stream-finish-last",
    "counts-behind-the-finish",
    "A chunk with token counts and no choice comes behind the finish reason",
    {
        "/events": lambda entries: [
            *entries[:5],
            {"data": {**entries[4]["data"], "choices": [], "usage": COUNTS}},
            entries[5],
        ]
    },
    past={"/events/5/data/choices": [{"index": 0, "delta": {"content": "Read."}, "finish_reason": None}]},
    says="A text comes behind the finish reason",
)
border(
    "openai_chat/stream-text",
    "sign-for-an-unknown-character",
    "A text has the sign that stands for a character that nobody could read",
    {"/events/1/data/choices/0/delta/content": "On \ufffd 🌧 "},
    past={BYTES: replaced},
    says="Half a character stands in a text",
)
border(
    "openai_chat/stream-usage-kept",
    "counts-told-twice",
    "The chunk with the finish reason has the token counts, and so has the one behind it",
    {"/events/3/data/usage": COUNTS},
    past={"/events/4/data/usage": GONE},
    says="The chunk with the finish reason has the token counts, and the one behind it has none",
)
