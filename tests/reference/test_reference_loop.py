"""The agent loop: what a client makes of a translated reply comes back to the provider as its own conversation."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, REPLIES, REQUESTS, open_way
from toolcall_reference import formats
from toolcall_reference.conversation.losses import Losses


def first_request(client: str) -> dict[str, Any]:
    body = copy.deepcopy(REQUESTS[client])
    key = {"gemini": "contents", "openai_responses": "input"}.get(client, "messages")
    del body[key][2 if client == "openai_chat" else 1 :]
    return body


def continue_request(client: str, body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The next request, as each API's documentation says: the reply appended, then the results."""
    if client == "anthropic":
        body["messages"].append({"role": "assistant", "content": answer["content"]})
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": call["input"]["city"]} for call in calls
        ]
        body["messages"].append({"role": "user", "content": results})
    elif client == "openai_chat":
        message = answer["choices"][0]["message"]
        body["messages"].append(message)
        for call in message["tool_calls"]:
            city = "Oslo" if "Oslo" in call["function"]["arguments"] else "Rome"
            body["messages"].append({"role": "tool", "tool_call_id": call["id"], "content": city})
    elif client == "openai_responses":
        body["input"] += answer["output"]
        for item in answer["output"]:
            if item["type"] == "function_call":
                city = "Oslo" if "Oslo" in item["arguments"] else "Rome"
                body["input"].append({"type": "function_call_output", "call_id": item["call_id"], "output": city})
    else:
        content = answer["candidates"][0]["content"]
        body["contents"].append(content)
        parts = []
        for part in content["parts"]:
            if "functionCall" in part:
                call = part["functionCall"]
                members = {key: call[key] for key in ("id", "name") if key in call}
                parts.append({"functionResponse": {**members, "response": {"output": call["args"]["city"]}}})
        body["contents"].append({"role": "user", "parts": parts})
    return body


def upstream_ids(name: str, body: dict[str, Any]) -> list[str | None]:
    return [call.given_id for call in formats.get(name).decode_request(copy.deepcopy(body), Losses()).calls]


@pytest.mark.parametrize("fresh", [False, True], ids=["one-session", "session-an-exchange"])
@pytest.mark.parametrize("upstream", FORMATS)
@pytest.mark.parametrize("client", FORMATS)
def test_three_rounds(client: str, upstream: str, fresh: bool) -> None:
    session = open_way(client, upstream)
    body = first_request(client)
    previous: dict[str, Any] = {}
    for number in range(3):
        sent = session.request(copy.deepcopy(body))
        conversation = formats.get(upstream).decode_request(copy.deepcopy(sent), Losses())
        assert len(conversation.calls) == 2 * number
        results = {result.tool_call_id: result.result for turn in conversation.turns for result in turn.results}
        assert [results[call.id] for call in conversation.calls] == ["Oslo", "Rome"] * number
        key = {"gemini": "contents", "openai_responses": "input"}.get(upstream, "messages")
        if previous:
            assert sent[key][: len(previous[key])] == previous[key]
        previous = sent
        # Every reply uses the same ids again, or none: a provider may.
        answer = copy.deepcopy(REPLIES[upstream])
        if upstream == "gemini":
            answer["responseId"] = f"r{number}"
        body = continue_request(client, body, session.response(answer))
        if client == upstream == "anthropic":
            break  # ids that come twice are illegal there, and identity leaves them
        if fresh:
            session = open_way(client, upstream)
    if upstream not in ("gemini", client) and client != "anthropic":
        prefix = "toolu" if upstream == "anthropic" else "call"
        assert upstream_ids(upstream, sent)[:2] == [f"{prefix}_a", f"{prefix}_b"]
