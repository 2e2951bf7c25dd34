"""What each client's stream looks like, event for event, as the recorded traffic has it; and what it costs."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import events, frame_events

SOURCE = [
    {
        "id": "chatcmpl-1",
        "created": 1740000000,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    for delta, finish in (
        ({"role": "assistant", "content": ""}, None),
        ({"content": "Let me"}, None),
        ({"content": " look."}, None),
        ({"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "look", "arguments": ""}}]}, None),
        ({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}, None),
        ({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}, None),
        ({}, "tool_calls"),
    )
]
USAGE = {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11}


def stream(client: str) -> bytes:
    bodies: list[Any] = [*SOURCE, {"id": "chatcmpl-1", "choices": [], "usage": USAGE}, "[DONE]"]
    return b"".join(open_way(client, "openai_chat", client_model="mine").stream([frame_events("openai_chat", bodies)]))


def test_anthropic() -> None:
    output_events = events(stream("anthropic"))
    assert all(event["event"] == event["data"]["type"] for event in output_events)
    bodies = [event["data"] for event in output_events]
    message = bodies[0]["message"]
    assert message | {"id": "", "usage": {}} == {
        "model": "mine", "id": "", "type": "message", "role": "assistant", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {},
    }  # fmt: skip
    assert message["usage"]["output_tokens"] == 0
    assert bodies[1:] == [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " look."}},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "call_1", "name": "look", "input": {}},
        },
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {
                "input_tokens": 8, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 3,
            },
        },
        {"type": "message_stop"},
    ]  # fmt: skip


def test_responses() -> None:
    output_events = events(stream("openai_responses"))
    assert all(event["event"] == event["data"]["type"] for event in output_events)
    bodies = [event["data"] for event in output_events]
    assert [body["sequence_number"] for body in bodies] == list(range(len(bodies)))
    steps = [(body["type"].removeprefix("response."), body.get("output_index")) for body in bodies]
    assert steps == [
        ("created", None), ("in_progress", None), ("output_item.added", 0), ("content_part.added", 0),
        ("output_text.delta", 0), ("output_text.delta", 0), ("output_text.done", 0), ("content_part.done", 0),
        ("output_item.done", 0), ("output_item.added", 1), ("function_call_arguments.delta", 1),
        ("function_call_arguments.delta", 1), ("function_call_arguments.done", 1), ("output_item.done", 1),
        ("completed", None),
    ]  # fmt: skip
    by_type = {body["type"].removeprefix("response."): body for body in bodies}
    assert by_type["created"]["response"] | {"output": 1} == by_type["in_progress"]["response"] | {"output": 1}
    created = by_type["created"]["response"]
    assert (created["status"], created["output"], created["usage"]) == ("in_progress", [], None)
    whole = by_type["completed"]["response"]
    assert [body["item"] for body in bodies if body["type"] == "response.output_item.done"] == whole["output"]
    items = [body["item"] for body in bodies if body["type"] == "response.output_item.added"]
    assert [item["status"] for item in items] == ["in_progress", "in_progress"]
    assert (items[0]["content"], items[1]["arguments"]) == ([], "")
    ids = [item["id"] for item in whole["output"]]
    assert [item["id"] for item in items] == ids
    assert all(body["item_id"] == ids[body["output_index"]] for body in bodies if "item_id" in body)
    assert by_type["output_text.done"]["text"] == "Let me look."
    assert by_type["function_call_arguments.done"]["arguments"] == '{"a":1}'
    assert whole["usage"]["total_tokens"] == 11


def test_gemini() -> None:
    written = stream("gemini")
    assert written.count(b"\r\n\r\n") == written.count(b"data: ") == 4
    assert b"\n\n" not in written
    bodies = [event["data"] for event in events(written)]
    assert [body["candidates"][0]["content"] for body in bodies] == [
        {"parts": [{"text": "Let me"}], "role": "model"},
        {"parts": [{"text": " look."}], "role": "model"},
        {"parts": [{"functionCall": {"name": "look", "args": {"a": 1}, "id": "call_1"}}], "role": "model"},
        {"parts": [{"text": ""}], "role": "model"},
    ]
    assert [body["candidates"][0].get("finishReason") for body in bodies] == [None, None, None, "STOP"]
    assert len({body["responseId"] for body in bodies}) == 1
    assert {body["modelVersion"] for body in bodies} == {"mine"}
    assert bodies[-1]["usageMetadata"]["totalTokenCount"] == 11


@pytest.mark.parametrize("options", [None, {}, {"include_usage": False}, {"include_usage": True}])
def test_chat(options: dict[str, Any] | None) -> None:
    session = open_way("openai_chat", "anthropic", client_model="mine", stream=True)
    ask = {"model": "m", "messages": [{"role": "user", "content": "Go"}], "stream": True, "stream_options": options}
    session.request(ask)
    use = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    bodies = [
        {"type": "message_start", "message": {"id": "msg_1", "content": [], "usage": {"input_tokens": 4}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hm."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": use},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    output_bodies = [event["data"] for event in events(b"".join(session.stream([frame_events("anthropic", bodies)])))]
    counts = bool(options and options.get("include_usage"))
    assert output_bodies.pop() == "[DONE]"
    if counts:
        last = output_bodies.pop()
        assert last["choices"] == []
        assert (last["usage"]["prompt_tokens"], last["usage"]["completion_tokens"]) == (4, 2)
    heads = {json.dumps({key: body[key] for key in ("id", "object", "created", "model")}) for body in output_bodies}
    assert len(heads) == 1
    more = {"choices", "usage"} if counts else {"choices"}
    assert all(body.keys() - {"id", "object", "created", "model"} == more for body in output_bodies)
    call = {"id": "toolu_1", "type": "function", "function": {"name": "look", "arguments": ""}}
    assert [(body["choices"][0]["delta"], body["choices"][0]["finish_reason"]) for body in output_bodies] == [
        ({"role": "assistant", "content": None, "refusal": None}, None),
        ({"content": "Hm."}, None),
        ({"tool_calls": [{"index": 0, **call}]}, None),
        ({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":1}'}}]}, None),
        ({}, "tool_calls"),
    ]


def long_text(upstream: str, count: int) -> Iterator[bytes]:
    piece = "A piece of a text that goes on and on: " + "text" * 1000
    if upstream == "gemini":
        for _ in range(count):
            yield frame_events(
                upstream, [{"responseId": "r", "candidates": [{"content": {"parts": [{"text": piece}]}}]}]
            )
        yield frame_events(upstream, [{"responseId": "r", "candidates": [{"finishReason": "STOP"}]}])
    elif upstream == "openai_chat":
        for _ in range(count):
            yield frame_events(upstream, [{"id": "c", "choices": [{"index": 0, "delta": {"content": piece}}]}])
        yield frame_events(
            upstream, [{"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, "[DONE]"]
        )
    elif upstream == "anthropic":
        text = {"type": "text", "text": ""}
        yield frame_events(upstream, [{"type": "message_start", "message": {"id": "m", "content": [], "usage": {}}}])
        yield frame_events(upstream, [{"type": "content_block_start", "index": 0, "content_block": text}])
        for _ in range(count):
            added = {"type": "text_delta", "text": piece}
            yield frame_events(upstream, [{"type": "content_block_delta", "index": 0, "delta": added}])
        yield frame_events(upstream, [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}])
        yield frame_events(upstream, [{"type": "message_stop"}])
    else:
        response = {"id": "r", "output": [], "status": "completed"}
        yield frame_events(upstream, [{"type": "response.created", "response": response}])
        for _ in range(count):
            delta: dict[str, Any] = {
                "type": "response.output_text.delta",
                "output_index": 0,
                "content_index": 0,
                "delta": piece,
            }
            yield frame_events(upstream, [delta])
        yield frame_events(upstream, [{"type": "response.completed", "response": response}])


def peak(client: str, upstream: str, count: int, feed: Callable[[Iterator[bytes]], Iterable[bytes]] = iter) -> int:
    """The most bytes that a stream of ``count`` pieces takes at any time: the less of two runs, as noise only adds."""
    return min(_peak_memory(client, upstream, count, feed) for _ in range(2))


def _peak_memory(client: str, upstream: str, count: int, feed: Callable[[Iterator[bytes]], Iterable[bytes]]) -> int:
    session = open_way(client, upstream)
    tracemalloc.start()
    try:
        written = sum(len(piece) for piece in session.stream(feed(long_text(upstream, count))))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert written > count * 3900
    return most


# 50 KB of text and 1.6 MB, in pieces of equal size; what the interpreter itself may allocate meanwhile is far below
# the text, which a translator that holds it has in memory at least once.
SHORT, LONG, NOISE = 13, 400, 100_000


@pytest.mark.parametrize("upstream", FORMATS)
@pytest.mark.parametrize("client", ["anthropic", "gemini", "openai_chat"])
def test_text_is_not_held(client: str, upstream: str) -> None:
    _peak_memory(client, upstream, SHORT, iter)  # whatever is made once
    assert peak(client, upstream, LONG) < peak(client, upstream, SHORT) * 1.1 + NOISE


def test_text_that_is_held_is_seen() -> None:
    assert peak("anthropic", "openai_chat", LONG, list) > peak("anthropic", "openai_chat", SHORT, list) + 10 * NOISE
