"""Writes a library's stream of event objects as the bytes that a client of the format receives."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

# Formats that name each event by its ``type``, and the one that ends its streams with a mark.
NAMED = frozenset({"anthropic", "openai_responses"})
MARKED = "openai_chat"


async def frame_events(client: str, events: Any, plain: Callable[[Any], dict[str, Any]]) -> AsyncIterator[bytes]:
    """Write each event as it comes. Bytes and texts are frames already; ``plain`` makes JSON of all others."""
    async for event in events:
        yield (
            event.encode()
            if isinstance(event, str)
            else event
            if isinstance(event, bytes)
            else frame(client, plain(event))
        )
    if client == MARKED:
        yield b"data: [DONE]\n\n"


def frame(client: str, event: dict[str, Any]) -> bytes:
    """Write one event for a client of the format ``client``."""
    name = f"event: {event['type']}\n" if client in NAMED and "type" in event else ""
    return f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")
