"""Readers of vendors' streams that know only the maker's: a call and its end in one chunk, a call whole at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from doubles.stream import ANTHROPIC, CHAT, GEMINI, broken

Chunks = Iterator[bytes]
Reader = Callable[[dict[str, Any]], None]
OPENROUTER = "dialects/openrouter"
XAI = "dialects/xai"


@broken(
    "translation/call-lost",
    client=(ANTHROPIC, GEMINI),
    upstream=CHAT,
    follows=("translation/finish-reason", "anthropic/finish-agrees-with-calls"),
    case=OPENROUTER,
    layer="chunks",
)
def call_beside_finish_unread(chunks: Chunks) -> Chunks:
    """A chunk with a finish_reason is the end, and the call that it brings is not read."""

    def read(choice: dict[str, Any]) -> None:
        if choice.get("finish_reason"):
            choice["delta"].pop("tool_calls", None)

    yield from _read(chunks, choices=read)


@broken("translation/usage-lost", client=ANTHROPIC, upstream=CHAT, case=OPENROUTER, layer="chunks")
def counts_beside_choices_unread(chunks: Chunks) -> Chunks:
    """Tokens are counted only in a chunk without choices, and this vendor sends none."""

    def read(event: dict[str, Any]) -> None:
        if event.get("choices"):
            event.pop("usage", None)

    yield from _read(chunks, events=read)


@broken("translation/arguments", client=(ANTHROPIC, GEMINI), upstream=CHAT, case=XAI, layer="chunks")
def arguments_beside_name_unread(chunks: Chunks) -> Chunks:
    """The delta that opens a call is read for its name alone: arguments are expected in later ones."""

    def read(choice: dict[str, Any]) -> None:
        for call in (choice.get("delta") or {}).get("tool_calls", []):
            call["function"]["arguments"] = ""

    yield from _read(chunks, choices=read)


def _read(chunks: Chunks, *, events: Reader | None = None, choices: Reader | None = None) -> Chunks:
    """The stream as it is after every event or choice was read so."""
    for line in b"".join(chunks).splitlines(keepends=True):
        if not line.startswith(b"data: {"):
            yield line
            continue
        event = json.loads(line[6:])
        if events is not None:
            events(event)
        if choices is not None:
            for choice in event.get("choices", []):
                choices(choice)
        yield b"data: " + json.dumps(event).encode() + b"\n"
