"""Changes of the order of a stream's events, for the tables of streams."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]
Change = Callable[[list[Event]], list[Event]]


def typed(kind: str, **data: Any) -> Event:
    """An event that says its type twice, as those of Anthropic and of Responses do."""
    return {"event": kind, "data": {"type": kind, **data}}


def put(place: int, *events: Event) -> Change:
    """Puts events before those that begin at a place."""
    return lambda entries: numbered([*entries[:place], *copy.deepcopy(events), *entries[place:]])


def order(*places: int) -> Change:
    """Takes the events of these places, in this order."""
    return lambda entries: numbered([entries[place] for place in places])


def numbered(events: list[Event]) -> list[Event]:
    """Events whose sequence numbers, where they have some, count from 0 again; each is one of its own."""
    return [
        {**event, "data": {**event["data"], "sequence_number": number}}
        if isinstance(event["data"], dict) and "sequence_number" in event["data"]
        else event
        for number, event in enumerate(events)
    ]


def unfinished(data: bytes) -> bytes:
    """Bytes without the last blank line."""
    return data.rstrip(b"\r\n") + b"\n"


def replaced(data: bytes) -> bytes:
    """Bytes with half a character in place of the sign that stands for one that nobody could read."""
    return data.replace("\ufffd".encode(), b"\xc3")
