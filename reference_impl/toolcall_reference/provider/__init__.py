"""How each provider streams a reply of its own: what it would have sent had the same request asked for a stream.

One module a format, with ``stream_of(reply, seed)``: the bytes, framed and cut as that provider does it (recorded
traffic of the official hosts is the model), always the same for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable

from toolcall_reference.intermediate import Body

from . import anthropic, gemini, openai_chat, openai_responses

STREAMS: dict[str, Callable[[Body, str], bytes]] = {
    "anthropic": anthropic.stream_of,
    "gemini": gemini.stream_of,
    "openai_chat": openai_chat.stream_of,
    "openai_responses": openai_responses.stream_of,
}
