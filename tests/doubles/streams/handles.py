"""Handles on what stands in an event. They read and write in place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from typing import Any

from doubles.stream import Event


def kind(event: Event) -> str:
    """The type that an event's data says (Anthropic, Responses), empty if none."""
    data = event["data"]
    return str(data.get("type", "")) if isinstance(data, dict) else ""


def typed(event_type: str, **data: Any) -> Event:
    """An event of Anthropic or Responses."""
    return {"event": event_type, "data": {"type": event_type, **data}}


def again(event: Event) -> Event:
    """A copy of an event."""
    return copy.deepcopy(event)


def opens(event: Event, block: str) -> bool:
    """Whether an event of Anthropic starts a block of a type."""
    return kind(event) == "content_block_start" and event["data"]["content_block"]["type"] == block


def piece(event: Event, delta: str) -> bool:
    """Whether an event of Anthropic is a delta of a type."""
    return kind(event) == "content_block_delta" and event["data"]["delta"]["type"] == delta


def delta(event: Event) -> dict[str, Any]:
    """The delta of a chunk of Chat, an empty one if it has none; the choice's own if it has."""
    choice = choice_of(event)
    content: dict[str, Any] = choice.get("delta", {})
    return content


def choice_of(event: Event) -> dict[str, Any]:
    data = event["data"]
    choices = data.get("choices") if isinstance(data, dict) else None
    choice: dict[str, Any] = choices[0] if choices else {}
    return choice


def entries(event: Event) -> list[dict[str, Any]]:
    """The entries of ``delta.tool_calls`` of a chunk of Chat."""
    tool_calls: list[dict[str, Any]] = delta(event).get("tool_calls") or []
    return tool_calls


def parts(event: Event) -> list[dict[str, Any]]:
    """The parts of a chunk of Gemini."""
    data = event["data"]
    candidates = data.get("candidates") if isinstance(data, dict) else None
    content_parts: list[dict[str, Any]] = candidates[0].get("content", {}).get("parts", []) if candidates else []
    return content_parts


def in_pairs(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Each item with the one before it, None for the first."""
    before = None
    for item in items:
        yield before, item
        before = item


def without_last(items: Iterable[Any]) -> Iterator[Any]:
    """All but the last."""
    for before, _ in in_pairs(items):
        if before is not None:
            yield before


def whole_input(events: Iterable[Event], *, and_deltas: bool) -> Iterator[Event]:
    """Anthropic's events, with the whole input of a call in the event that starts its block; in deltas again or not."""
    start = None
    for event in events:
        if opens(event, "tool_use"):
            start = event
        elif start is not None and piece(event, "input_json_delta"):
            if event["data"]["delta"]["partial_json"]:
                start["data"]["content_block"]["input"] = json.loads(event["data"]["delta"]["partial_json"])
                yield start
                if and_deltas:
                    yield event
        else:
            start = None
            yield event
