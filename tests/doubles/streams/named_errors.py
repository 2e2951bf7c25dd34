"""Readers of Chat streams for whom an error with a name, as Groq's have one, is the end of the reply or its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, RESPONSES, TEXT, broken

Chunks = Iterator[bytes]
GROQ = "dialects/groq-call-refused"


@broken("translation/stream-error-told", client=ANTHROPIC, upstream=CHAT, case=GROQ, layer="chunks", spares=TEXT)
def named_event_is_the_end(chunks: Chunks) -> Chunks:
    """An event with a name is none of Chat's, so the reply is over, and ended well."""
    for name, block in _blocks(chunks):
        if name:
            yield b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
            return
        yield block


@broken("translation/stream-error-told", client=RESPONSES, upstream=CHAT, case=GROQ, layer="chunks", spares=TEXT)
def failed_generation_for_the_answer(chunks: Chunks) -> Chunks:
    """What the model wrote, and the provider could not read, is said to the user, and the reply ends well."""
    for name, block in _blocks(chunks):
        if not name:
            yield block
            continue
        words = json.loads(block.split(b"data: ", 1)[1])["error"]["failed_generation"]
        for delta, reason in (({"content": words}, None), ({}, "stop")):
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            yield b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"
        yield b"data: [DONE]\n\n"
        return


def _blocks(chunks: Chunks) -> Iterator[tuple[str, bytes]]:
    """The events of a stream, as they come, with their names."""
    rest = b""
    for chunk in chunks:
        *blocks, rest = (rest + chunk).split(b"\n\n")
        for block in blocks:
            name = block.split(b"\n")[0].removeprefix(b"event: ") if block.startswith(b"event: ") else b""
            yield name.decode(), block + b"\n\n"
