"""Anthropic's own replies: ids, headers, and streams of named events, one block after the other.

https://docs.anthropic.com/en/docs/build-with-claude/streaming
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.pseudorandom import letters, pieces
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats.anthropic.api import NAME
from toolcall_reference.formats.format import Provider

# The key that a block sends in pieces, and its delta type; all other keys are in the block's start.
_TEXT_DELTAS = {"text": ("text", "text_delta"), "thinking": ("thinking", "thinking_delta")}
_CALL_TYPES = ("tool_use", "server_tool_use", "mcp_tool_use")
_FINAL_USAGE_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


def render_stream(reply: Body, seed: str) -> bytes:
    """The stream of a whole Message."""
    written = []
    for number, event in enumerate(_stream_events(reply, seed)):
        if event["type"] == "ping":
            data = '{"type": "ping"}'
        else:
            text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            data = f"{text[:-1]}{padding(f'{seed}/{number}')}}}"
        written.append(f"event: {event['type']}\ndata: {data}\n\n")
    return "".join(written).encode()


def _stream_events(reply: Body, seed: str) -> Iterator[Body]:
    opened = {**reply, "content": [], "stop_reason": None, "stop_sequence": None}
    if "stop_details" in reply:
        opened["stop_details"] = None
    opened["usage"] = {**reply["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": opened}
    for index, block in enumerate(reply["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _block_start(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _block_deltas(block, f"{seed}/{index}"):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    if not reply["content"]:
        yield {"type": "ping"}
    ending = {key: reply[key] for key in ("stop_reason", "stop_sequence", "stop_details", "container") if key in reply}
    usage = {key: reply["usage"][key] for key in _FINAL_USAGE_KEYS if key in reply["usage"]}
    yield {"type": "message_delta", "delta": ending, "usage": usage}
    yield {"type": "message_stop"}


def _block_start(block: Body) -> Body:
    """A block before its first delta."""
    kind = block["type"]
    if kind in _CALL_TYPES:
        return {**block, "input": {}}
    if kind == "thinking":
        return {**block, "thinking": "", "signature": ""}
    if kind == "text":
        return {**block, "text": "", **({"citations": []} if block.get("citations") else {})}
    return block


def _block_deltas(block: Body, seed: str) -> Iterator[dict[str, Any]]:
    kind = block["type"]
    if kind in _CALL_TYPES:
        yield {"type": "input_json_delta", "partial_json": ""}
        if block["input"]:  # a call without arguments has no further piece
            for piece in pieces(json.dumps(block["input"], ensure_ascii=False), seed):
                yield {"type": "input_json_delta", "partial_json": piece}
    elif kind in _TEXT_DELTAS:
        key, delta = _TEXT_DELTAS[kind]
        for citation in block.get("citations") or ():
            yield {"type": "citations_delta", "citation": citation}
        # Hidden thinking has one empty piece before its signature.
        for piece in pieces(block[key], seed) if block[key] else [""] * (kind == "thinking"):
            yield {"type": delta, key: piece}
        if block.get("signature"):
            yield {"type": "signature_delta", "signature": block["signature"]}


def padding(seed: str) -> str:
    """Up to fifteen spaces before the last brace, which hide the length of a piece."""
    return " " * int(digest("padding", seed, length=1), 16)


def dress_reply(body: Body, seed: str, request: Body) -> Body:
    """Add the ``msg_01`` id, the caller of each call, stop details and the service tier."""
    del request
    body["id"] = "msg_01" + letters(22, seed)
    for block in body["content"]:
        if block["type"] == "tool_use":
            block["caller"] = {"type": "direct"}
    usage = body.pop("usage")
    body["stop_details"] = None
    body["usage"] = {
        "input_tokens": usage["input_tokens"],
        "cache_creation_input_tokens": usage["cache_creation_input_tokens"],
        "cache_read_input_tokens": usage["cache_read_input_tokens"],
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage["cache_creation_input_tokens"],
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage["output_tokens"],
        "service_tier": "standard",
        "inference_geo": "not_available",
    }
    return body


def dress_error(reply: Body, kind: str, seed: str) -> Body:
    """Add the request id to the body and to a header."""
    del kind
    request_id = "req_011C" + letters(20, "error", seed)
    reply["headers"]["request-id"] = reply["body"]["request_id"] = request_id
    return reply


def call_id(model: str, scenario: str, key: str) -> str:
    """``toolu_01`` and 22 letters and digits."""
    del model
    return "toolu_01" + letters(22, scenario, key)


PROVIDER = Provider(
    default_model="claude-sonnet-4-5-20250929",
    call_id=call_id,
    dress_reply=dress_reply,
    dress_error=dress_error,
    render_stream=render_stream,
    file_vendor=NAME,
    cites_blocks=True,
)
