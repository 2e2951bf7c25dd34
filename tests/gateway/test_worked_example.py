"""A client of Responses before Anthropic, as gateways for coding agents have it: the whole way, event by event.

The official openai client asks ``gpt-4o-mini`` for a sum with a tool, the provider streams the call in pieces, and the
client's events come in the one order that agents rely on. Ids are the provider's own, so that the result finds its way
back; nothing is made of the time of day.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.gateway_runs import Answer, ServedGateway, answer_in_turn, reply_with, serve_gateway, stream_with

PARAMETERS = {"type": "object", "properties": {"expression": {"type": "string"}}}
ASKED: dict[str, Any] = {
    "model": "gpt-4o-mini",
    "input": [{"role": "user", "content": "What is 5+6?"}],
    "tools": [
        {
            "type": "function",
            "name": "calculate",
            "description": "Perform calculation",
            "parameters": PARAMETERS,
        }
    ],
}
MODELS = {"models": {"gpt-4o-mini": "claude-3-5-sonnet-20241022"}}
TOOL_ID = "toolu_01ABC123"
PIECES = ['{"expression":"', "5+6", '"}']
ARGUMENTS = '{"expression":"5+6"}'
MESSAGE: dict[str, Any] = {
    "id": "msg_01XYZ789",
    "type": "message",
    "role": "assistant",
    "model": "claude-3-5-sonnet-20241022",
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 62, "output_tokens": 1},
}
CALL: dict[str, Any] = {"type": "tool_use", "id": TOOL_ID, "name": "calculate", "input": {"expression": "5+6"}}
REPLY = {**MESSAGE, "content": [CALL], "stop_reason": "tool_use", "usage": {"input_tokens": 62, "output_tokens": 38}}
LAST = {**REPLY, "id": "msg_01LAST", "content": [{"type": "text", "text": "11"}], "stop_reason": "end_turn"}
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**MESSAGE, "content": []}},
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {**CALL, "input": {}}},
    *(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in PIECES
    ),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 38}},
    {"type": "message_stop"},
]
ORDER = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.output_item.done",
    "response.completed",
]


def frames() -> Iterator[bytes]:
    """The provider's stream, one event a piece."""
    return (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in EVENTS)


def openai_client(gateway: ServedGateway) -> Any:
    """The official client, as its users point it at another server."""
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    return openai.OpenAI(api_key="test", base_url=f"{gateway.url}/v1", max_retries=0)


def stream_events(answer: Answer) -> tuple[list[Any], Any]:
    """The client's events, and what the provider was asked."""
    with serve_gateway(answer, "anthropic", MODELS) as gateway, openai_client(gateway) as client:
        return list(client.responses.create(**ASKED, stream=True)), gateway.provider.bodies[0]


def test_the_request() -> None:
    _, sent = stream_events(stream_with(*frames()))
    assert sent.pop("max_tokens") > 0  # which Anthropic demands, and the client does not say
    assert sent == {
        "model": "claude-3-5-sonnet-20241022",
        "messages": [{"role": "user", "content": "What is 5+6?"}],
        "tools": [{"name": "calculate", "description": "Perform calculation", "input_schema": PARAMETERS}],
        "stream": True,
    }


def test_the_order_of_events() -> None:
    events, _ = stream_events(stream_with(*frames()))
    assert [event.type for event in events] == ORDER
    assert [event.sequence_number for event in events] == list(range(len(ORDER)))


def test_events_carry_what_they_must() -> None:
    events, _ = stream_events(stream_with(*frames()))
    created, _, added, *deltas, done, item_done, completed = [event.to_dict() for event in events]
    assert created["response"]["status"] == "in_progress"
    [declared] = created["response"]["tools"]
    assert declared.items() >= ASKED["tools"][0].items()
    item = added["item"]
    assert item["id"].startswith("fc_")
    assert item == {
        "id": item["id"],
        "type": "function_call",
        "status": "in_progress",
        "arguments": "",
        "call_id": TOOL_ID,
        "name": "calculate",
    }
    assert {event["item_id"] for event in (*deltas, done)} == {item["id"]}
    assert {event["output_index"] for event in (added, *deltas, done, item_done)} == {0}
    assert [event["delta"] for event in deltas] == PIECES
    assert done["arguments"] == ARGUMENTS
    whole = {**item, "status": "completed", "arguments": ARGUMENTS}
    assert item_done["item"] == whole
    assert completed["response"]["status"] == "completed"
    assert completed["response"]["output"] == [whole]
    assert completed["response"]["id"] == created["response"]["id"]


def test_the_bytes_as_a_shell_sees_them() -> None:
    """What ``curl -N`` prints: each event is named, each by the type in it."""
    with serve_gateway(stream_with(*frames()), "anthropic", MODELS) as gateway:
        body = json.dumps({**ASKED, "stream": True}).encode()
        headers = {"authorization": "Bearer test", "content-type": "application/json"}
        request = urllib.request.Request(f"{gateway.url}/v1/responses", body, headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            blocks = answer.read().decode().split("\n\n")
    assert blocks.pop() == ""
    pairs = [block.split("\n") for block in blocks]
    assert [name for name, _ in pairs] == [f"event: {kind}" for kind in ORDER]
    assert [json.loads(data.removeprefix("data: "))["type"] for _, data in pairs] == ORDER


def test_the_whole_reply() -> None:
    with serve_gateway(reply_with(REPLY), "anthropic", MODELS) as gateway, openai_client(gateway) as client:
        response = client.responses.create(**ASKED)
    events, _ = stream_events(stream_with(*frames()))
    assert "stream" not in gateway.provider.bodies[0]
    [call] = response.output
    assert (call.type, call.name, call.arguments, call.call_id) == ("function_call", "calculate", ARGUMENTS, TOOL_ID)
    assert response.status == "completed"
    assert response.model == "gpt-4o-mini"
    assert response.usage.output_tokens == 38
    moments = {"created_at": None, "completed_at": None}
    assert events[-1].response.to_dict() | moments == response.to_dict() | moments


def test_ids_are_no_time_stamps() -> None:
    """The same reply, later and in another process: the same ids."""
    runs = [stream_events(stream_with(*frames()))[0] for _ in range(2)]
    items = [[getattr(event, "item_id", None) for event in events] for events in runs]
    assert items[0] == items[1]
    assert runs[0][-1].response.id == runs[1][-1].response.id


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("is_stored", [False, True])
def test_the_result_finds_its_way_back(stream: bool, is_stored: bool) -> None:
    """The client answers the call by the id that it was given, and the provider gets its own.

    ``is_stored``: the client goes on from a reply that is stored for it.
    """
    first = stream_with(*frames()) if stream else reply_with(REPLY)
    with (
        serve_gateway(answer_in_turn(first, reply_with(LAST)), "anthropic", MODELS) as gateway,
        openai_client(gateway) as client,
    ):
        answer = client.responses.create(**ASKED, stream=stream)
        response = list(answer)[-1].response if stream else answer
        [call] = response.output
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "11"}
        if is_stored:
            more: dict[str, Any] = {"input": [result], "previous_response_id": response.id}
        else:
            more = {"input": [*ASKED["input"], call, result]}
        last = client.responses.create(**(ASKED | more))
        sent = gateway.provider.bodies[1]
    assert last.output_text == "11"
    assert sent["messages"] == [
        {"role": "user", "content": "What is 5+6?"},
        {"role": "assistant", "content": [CALL]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": TOOL_ID, "content": "11"}]},
    ]


def test_an_id_that_the_client_does_not_take_is_mapped_and_mapped_back() -> None:
    long = "toolu_" + "x" * 80
    reply = {**REPLY, "content": [{**CALL, "id": long}]}
    with (
        serve_gateway(answer_in_turn(reply_with(reply), reply_with(LAST)), "anthropic", MODELS) as gateway,
        openai_client(gateway) as client,
    ):
        [call] = client.responses.create(**ASKED).output
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "11"}
        client.responses.create(**(ASKED | {"input": [*ASKED["input"], call, result]}))
        sent = gateway.provider.bodies[1]["messages"]
    assert len(call.call_id) <= 64
    assert [sent[1]["content"][0]["id"], sent[2]["content"][0]["tool_use_id"]] == [long, long]
