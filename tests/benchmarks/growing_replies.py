"""Replies and streams of any size, and faults of whole streams: what the time of a judgement must grow with."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from benchmarks.growing import MODELS, Body
from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator

Events = list[Body]
_USAGE = {"input_tokens": 1, "output_tokens": 1}


def _text(number: int) -> Body:
    return {"type": "text", "text": f"text {number}"}


def _call(number: int, arguments: Body) -> Body:
    return {"type": "tool_use", "id": f"toolu_{number:08d}", "name": "t0", "input": arguments}


def _texts_and_calls(size: int) -> list[Body]:
    return [block for at in range(size) for block in (_text(at), _call(at, {"a": at}))]


BLOCKS: Mapping[str, Callable[[int], list[Body]]] = {
    "calls": lambda size: [_call(at, {"a": at}) for at in range(size)],
    "equal calls": lambda size: [_call(at, {"a": 1}) for at in range(size)],
    "texts and calls": _texts_and_calls,
    "keys of arguments": lambda size: [_call(0, {f"k{at}": at for at in range(size)})],
    "one long text": lambda size: [{"type": "text", "text": "".join(f"word {at} " for at in range(size))}],
}
"""What Anthropic replies, by what there are ``size`` of."""


def reply(name: str, shape: str, size: int) -> Body:
    """A provider's reply in the format ``name``."""
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODELS["anthropic"],
        "content": BLOCKS[shape](size),
        "stop_reason": "end_turn" if shape == "one long text" else "tool_use",
        "stop_sequence": None,
        "usage": _USAGE,
    }
    return translate_reply(body, "anthropic", name)


def translate_reply(body: Body, upstream: str, client: str) -> Body:
    """What the reference makes of a reply."""
    output: Body = _session(upstream, client).response(body)
    return output


def stream(name: str, shape: str, size: int) -> bytes:
    """A provider's stream of the same reply: one event a call or text, or of a single one so many pieces."""
    return translate_stream(b"".join(map(_frame_event, _events(BLOCKS[shape](size), size))), "anthropic", name)


def translate_stream(data: bytes, upstream: str, client: str) -> bytes:
    """What the reference makes of a stream."""
    return b"".join(_session(upstream, client).stream(iter([data])))


def _session(upstream: str, client: str) -> Any:
    session = ReferenceTranslator().open(Route(client, upstream, MODELS[client], MODELS[upstream], stream=True))
    session.request(tool_request(client))
    return session


def tool_request(client: str) -> Body:
    """The request that the replies answer."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    body = {
        "model": MODELS["anthropic"],
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Go on"}],
        "tools": [{"name": "t0", "description": "d", "input_schema": schema}],
        "stream": True,
    }
    return (
        ReferenceTranslator()
        .open(Route("anthropic", client, MODELS["anthropic"], MODELS[client], stream=True))
        .request(body)
    )


def _frame_event(event: Body) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _events(blocks: list[Body], size: int) -> Iterator[Body]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODELS["anthropic"], "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": _USAGE}}
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        empty: Body = {"text": ""} if is_text else {"input": {}}
        content_block = block | empty
        yield {"type": "content_block_start", "index": index, "content_block": content_block}
        whole = block["text"] if is_text else json.dumps(block["input"])
        for piece in _pieces(whole, size if len(blocks) == 1 else 1):
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": _USAGE}
    yield {"type": "message_stop"}


def _pieces(text: str, count: int) -> Iterable[str]:
    length = max(1, -(-len(text) // count))
    return (text[at : at + length] for at in range(0, len(text), length))


def _parts(data: bytes) -> list[bytes]:
    """The events of a stream as their bytes."""
    end = b"\r\n\r\n" if b"\r\n\r\n" in data else b"\n\n"
    return [part + end for part in data.split(end) if part]


def _change_parts(change: Callable[[list[bytes]], Iterable[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(change(_parts(data)))


STREAM_FAULTS: Mapping[str, Callable[[bytes], bytes]] = {
    "none": lambda data: data,
    "events twice": _change_parts(lambda parts: (part for part in parts for _ in "12")),
    "every other gone": _change_parts(lambda parts: parts[::2]),
    "events reversed": _change_parts(reversed),
    "indexes equal": lambda data: _numbers(data, b'"index":', b"0"),
    "types wrong": lambda data: data.replace(b'"type":', b'"kind":'),
    "no JSON": _change_parts(lambda parts: (part.replace(b"}", b"") for part in parts)),
    "no ends": lambda data: data.replace(b"\r\n\r\n", b"\r\n").replace(b"\n\n", b"\n"),
}
"""What a careless translator does to a whole stream."""


def _numbers(data: bytes, key: bytes, number: bytes) -> bytes:
    return re.sub(re.escape(key) + rb"\s*\d+", key + number, data)
