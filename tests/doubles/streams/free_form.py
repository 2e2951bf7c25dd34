"""Streams of calls that take free text."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, GEMINI, RESPONSES, Event, broken, harmless
from doubles.streams.handles import kind

Events = Iterator[Event]

FREE = "free_form/text"
GROWS, GROWN = "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done"
THREAD = "https://github.com/diegosouzapw/OmniRoute/pull/4862"


@broken(
    "openai_responses/stream-delta-kind", client=RESPONSES, upstream=ANTHROPIC, case=FREE, layer="each", thread=THREAD
)
def input_in_events_of_arguments(event: Event) -> None:
    """The text of a free-text call comes in events of a function's arguments."""
    if kind(event) in (GROWS, GROWN):
        event["data"]["type"] = kind(event).replace("custom_tool_call_input", "function_call_arguments")
        event["event"] = event["data"]["type"]
        if "input" in event["data"]:
            event["data"]["arguments"] = event["data"].pop("input")


@broken("translation/call-kind", client=CHAT, upstream=GEMINI, case=FREE, layer="each")
def custom_delta_as_function(event: Event) -> None:
    """The chunks of a free-text call are those of a function."""
    for choice in event["data"].get("choices", ()) if isinstance(event["data"], dict) else ():
        for call in choice["delta"].get("tool_calls", ()):
            if "custom" in call:
                inner = call.pop("custom")
                call["function"] = inner
                call.pop("type", None)
                if "name" in inner:
                    call["type"] = "function"
                    inner["arguments"] = inner.pop("input", "")
                else:
                    inner["arguments"] = json.dumps({"input": inner.pop("input")}, ensure_ascii=False)


@harmless(client=RESPONSES, upstream=GEMINI, case=FREE)
def input_in_one_piece(events: Events) -> Events:
    """A free text comes only when it is done."""
    for event in events:
        if kind(event) != GROWS:
            yield event
