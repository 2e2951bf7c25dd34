"""Writes a library's stream of event objects as the bytes that a client of the format would get."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

# Formats whose events are named on the wire, by their key ``type``; and the one that says when it is done.
NAMED = frozenset({"anthropic", "openai_responses"})
MARKED = "openai_chat"


async def framed(client: str, events: Any, plain: Callable[[Any], dict[str, Any]]) -> AsyncIterator[bytes]:
    """Each event as it comes. Bytes and texts are frames already; of the rest ``plain`` makes JSON."""
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
    """One event of a stream to a client of the format ``client``."""
    name = f"event: {event['type']}\n" if client in NAMED and "type" in event else ""
    return f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")
