"""Streams of one long text, made while they are read, and what translating them takes in memory."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.contract import Route

PIECE = 4000


def long_text(upstream: str, pieces: int, size: int = PIECE) -> Iterator[bytes]:
    """A reply of ``pieces`` texts of ``size`` characters as the provider of a format streams it, event by event."""
    # Few words, long ones: what is measured is memory, and each object makes the measuring slower.
    begin, event, end = _events(upstream, ("A piece of a text that goes on and on: " + "text" * size)[:size])
    yield from (_frame_event(upstream, event) for event in begin)
    for _ in range(pieces):
        yield _frame_event(upstream, event)  # made anew: equal pieces would be one object
    yield from (_frame_event(upstream, event) for event in end)


def _frame_event(upstream: str, event: Any) -> bytes:
    data = event if isinstance(event, str) else json.dumps(event)
    newline = "\r\n" if upstream == "gemini" else "\n"
    name = f"event: {event['type']}{newline}" if upstream in ("anthropic", "openai_responses") else ""
    return f"{name}data: {data}{newline}{newline}".encode()


def _chat(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt", "choices": [choice]}


def _gemini(text: str, **more: str) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **more}
    return {"candidates": [candidate], "modelVersion": "gemini", "responseId": "r"}


_USAGE = {"input_tokens": 1, "output_tokens": 1}
_MESSAGE = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "usage": _USAGE}
_RESPONSE = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt", "status": "completed", "output": []}
_ITEM = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
_PART = {"type": "output_text", "text": "", "annotations": []}
_HERE = {"item_id": "msg_1", "output_index": 0, "content_index": 0}


def _events(upstream: str, text: str) -> tuple[list[Any], Any, list[Any]]:
    """Begin, one piece, end.

    At the end of a Responses stream the whole text would be said again, in one event: it is left out here, as holding
    that event would be all that is seen.
    """
    if upstream == "anthropic":
        begin = [
            {"type": "message_start", "message": _MESSAGE},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]
        end = [
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": _USAGE},
            {"type": "message_stop"},
        ]
        return begin, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}, end
    if upstream == "gemini":
        return [], _gemini(text), [_gemini("", finishReason="STOP")]
    if upstream == "openai_chat":
        return [_chat({"role": "assistant", "content": ""})], _chat({"content": text}), [_chat({}, "stop"), "[DONE]"]
    begin = [
        {"type": "response.created", "response": {**_RESPONSE, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": _ITEM},
        {"type": "response.content_part.added", **_HERE, "part": _PART},
    ]
    end = [{"type": "response.completed", "response": _RESPONSE}]
    return begin, {"type": "response.output_text.delta", **_HERE, "delta": text}, end


class Arriving:
    """What comes, for ``for`` and for ``async for``."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def peak(translator: Any, route: Route, request: dict[str, Any], pieces: int, runs: int = 2) -> int:
    """The most bytes that Python has allocated (``tracemalloc``) while a long text is translated and thrown away.

    The least of ``runs``, as noise only adds. Raises RuntimeError for a translator that drops the text.
    """
    return min(_peak(translator, route, request, pieces) for _ in range(runs))


def _peak(translator: Any, route: Route, request: dict[str, Any], pieces: int) -> int:
    session = translator.open(route)
    session.request(request)
    tracemalloc.start()
    try:
        written = asyncio.run(_drain(session, Arriving(long_text(route.upstream, pieces))))
        size = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    if written < pieces * PIECE:
        raise RuntimeError(f"{route}: of {pieces * PIECE} characters only {written} bytes came out")
    return size


async def _drain(session: Any, chunks: Arriving) -> int:
    output = session.stream(chunks)
    written = 0
    if hasattr(output, "__aiter__"):
        async for piece in output:
            written += len(piece)
    else:
        for piece in output:
            written += len(piece)
    return written
