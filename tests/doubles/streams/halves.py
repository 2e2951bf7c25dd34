"""Readers of fragments that end in half a character: JSON can say half a surrogate pair, UTF-8 cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from doubles.stream import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT, Event, broken, harmless, warning
from doubles.streams.handles import again, delta, kind, parts

Chunks = Iterator[bytes]
Events = Iterator[Event]
CASE = "streaming/dialect-halves-of-characters"
_HALF = re.compile("[\ud800-\udfff]")


@broken(
    "translation/arguments",
    client=ANTHROPIC,
    upstream=CHAT,
    follows=("translation/text-changed", "translation/stream-equals-reply"),
    case=CASE,
    layer="chunks",
    spares=TEXT,
)
def halves_replaced(chunks: Chunks) -> Chunks:
    """Each fragment is made UTF-8 for itself: halves of characters become U+FFFD."""
    yield from _read(chunks, lambda text: _HALF.sub("\ufffd", text))


@broken(
    "translation/arguments",
    client=GEMINI,
    upstream=CHAT,
    follows=("translation/text-changed", "translation/stream-equals-reply"),
    case=CASE,
    layer="chunks",
    spares=TEXT,
    thread="https://github.com/Kohaku-Lab/KohakuTerrarium/pull/48",
)
def halves_stripped(chunks: Chunks) -> Chunks:
    """Halves of characters are cleaned out of each fragment."""
    yield from _read(chunks, lambda text: _HALF.sub("", text))


@broken(
    "translation/crashed",
    client=RESPONSES,
    upstream=CHAT,
    case=CASE,
    layer="chunks",
    spares=TEXT,
    thread="https://github.com/Aider-AI/aider/issues/3693",
)
def falls_over_half_a_character(chunks: Chunks) -> Chunks:
    """Each fragment is encoded for itself, and half a character raises."""

    def read(text: str) -> str:
        return text.encode("utf-8").decode()

    yield from _read(chunks, read)


@warning({name: f"{name}/stream-whole-characters" for name in (ANTHROPIC, RESPONSES, GEMINI)}, upstream=CHAT, case=CASE)
@warning("openai_chat/stream-whole-characters", upstream=ANTHROPIC, case=CASE, spares=TEXT)
def halves_handed_on(events: Events) -> Events:
    """Fragments are cut between UTF-16 units for the client too, which puts them together."""
    yield from _cut(events, _units)


@harmless(client=(ANTHROPIC, GEMINI), upstream=CHAT, case=CASE)
def characters_one_by_one(events: Events) -> Events:
    """Each fragment of a text has one character, and the whole of it."""
    yield from _cut(events, list)


def _cut(events: Events, pieces_of: Callable[[str], list[str]]) -> Events:
    """The events with each text in pieces."""
    for event in events:
        holder, key = _text_of(event)
        pieces = pieces_of(holder[key]) if key else []
        for piece in pieces if len(pieces) > 1 else ():
            holder[key] = piece
            yield again(event)
        if len(pieces) < 2:
            yield event


def _text_of(event: Event) -> tuple[dict[str, Any], str]:
    """What holds the fragment of a text in an event, and its key there; an empty key where there is none."""
    data = event["data"] if isinstance(event["data"], dict) else {}
    if kind(event) == "response.output_text.delta":
        return data, "delta"
    content: dict[str, Any] = data.get("delta") or delta(event) or next(iter(parts(event)), {})
    if not isinstance(content, dict):
        return data, ""
    key = next((key for key in ("text", "partial_json", "content") if isinstance(content.get(key), str)), "")
    return content, key


def _units(text: str) -> list[str]:
    raw = text.encode("utf-16-le")
    return [raw[place : place + 2].decode("utf-16-le", "surrogatepass") for place in range(0, len(raw), 2)]


def _read(chunks: Chunks, change: Callable[[str], str]) -> Chunks:
    """The stream with each fragment of texts and arguments changed."""
    for line in b"".join(chunks).splitlines(keepends=True):
        if not line.startswith(b"data: {"):
            yield line
            continue
        event = json.loads(line[6:])
        for choice in event.get("choices", []):
            _change(choice["delta"], "content", change)
            for call in choice["delta"].get("tool_calls", []):
                _change(call["function"], "arguments", change)
        yield b"data: " + json.dumps(event).encode() + b"\n"


def _change(holder: dict[str, Any], key: str, change: Callable[[str], str]) -> None:
    if isinstance(holder.get(key), str):
        holder[key] = change(holder[key])
