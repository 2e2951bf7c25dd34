"""Ids: unchanged where legal, one injective rewrite where not, minted where there is none."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.reference_bodies import REPLIES, REQUESTS, ask, open_way, reply
from toolcall_reference.conversation.ids import fit_id
from toolcall_reference.formats.anthropic.api import IDS as ANTHROPIC
from toolcall_reference.formats.openai_chat.api import IDS as CHAT
from toolcall_reference.formats.openai_responses.api import IDS as RESPONSES

RULES = {"anthropic": ANTHROPIC, "openai_chat": CHAT, "openai_responses": RESPONSES}


def with_ids(*turns: tuple[str, ...]) -> dict[str, Any]:
    """A Chat request with the ids of each turn's calls."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for turn in turns:
        calls = [{"id": key, "type": "function", "function": {"name": "f", "arguments": "{}"}} for key in turn]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": key, "content": f"of {key}"} for key in turn]
    return {"model": "m", "messages": messages}


def anthropic_ids(body: dict[str, Any]) -> list[tuple[str, str]]:
    blocks = [
        block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]
    ]
    return [(block["type"], block.get("id") or block.get("tool_use_id")) for block in blocks]


@pytest.mark.parametrize("given_id", ["toolu_01A", "call_9", "0", "a" * 40, "functions_x-1"])
def test_legal_ids_stay(given_id: str) -> None:
    output = ask("openai_chat", "anthropic", with_ids((given_id,)))
    assert anthropic_ids(output) == [("tool_use", given_id), ("tool_result", given_id)]


@pytest.mark.parametrize("given_id", ["functions.Bash:0", "a/b", "é", "call|fc_1", " "])
def test_illegal_ids_are_rewritten_alike_on_call_and_result(given_id: str) -> None:
    ids = anthropic_ids(ask("openai_chat", "anthropic", with_ids((given_id,))))
    assert ids[0][1] == ids[1][1] != given_id
    assert ANTHROPIC.allows(ids[0][1])


@given(st.lists(st.text(min_size=1, max_size=80), min_size=2, max_size=2, unique=True), st.sampled_from(sorted(RULES)))
@settings(derandomize=True, max_examples=300, deadline=None)
def test_rewriting_is_injective_and_legal(pair: list[str], name: str) -> None:
    rule = RULES[name]
    first, second = (fit_id(value, rule) for value in pair)
    assert first != second
    assert rule.allows(first)
    assert fit_id(first, rule) == first


def test_ids_used_again_in_a_later_turn() -> None:
    body = with_ids(("call_0", "call_1"), ("call_0", "call_1"))
    to_anthropic = anthropic_ids(ask("openai_chat", "anthropic", body))
    used = [value for kind, value in to_anthropic if kind == "tool_use"]
    assert len(set(used)) == 4
    assert used[:2] == ["call_0", "call_1"]
    assert [value for kind, value in to_anthropic if kind == "tool_result"] == used
    items = ask("openai_chat", "openai_responses", body)["input"]
    assert [item["call_id"] for item in items if "call_id" in item] == ["call_0", "call_1"] * 4


def test_a_reply_that_uses_an_old_id_again_is_distinguished_for_anthropic() -> None:
    answer = copy.deepcopy(REPLIES["openai_chat"])
    answer["choices"][0]["message"]["tool_calls"][0]["id"] = "toolu_a"
    session = open_way("anthropic", "openai_chat")
    session.request(copy.deepcopy(REQUESTS["anthropic"]))
    ids = [block["id"] for block in session.response(answer)["content"] if block["type"] == "tool_use"]
    assert ids[0] != "toolu_a"
    assert ids[1] == "call_b"


def _next_request(request: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
    """An Anthropic client's next request, with a result for each call."""
    results = [
        {"type": "tool_result", "tool_use_id": block["id"], "content": "done"}
        for block in reply["content"]
        if block["type"] == "tool_use"
    ]
    turns = [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": results}]
    return {**request, "messages": [*request["messages"], *turns]}


def test_an_id_that_the_client_cannot_take_comes_back_to_its_provider() -> None:
    answer = copy.deepcopy(REPLIES["openai_chat"])
    provider_ids = ["functions.read:0", "functions_read_0"]
    for call, call_id in zip(answer["choices"][0]["message"]["tool_calls"], provider_ids, strict=True):
        call["id"] = call_id
    request = {"model": "m", "max_tokens": 100, "messages": [{"role": "user", "content": "go"}]}
    session = open_way("anthropic", "openai_chat")
    session.request(copy.deepcopy(request))
    following = _next_request(request, session.response(answer))
    client_ids = [call_id for kind, call_id in anthropic_ids(following) if kind != "text"]
    assert client_ids[1] == client_ids[3] == provider_ids[1]
    assert client_ids[0] == client_ids[2] != provider_ids[0]
    assert ANTHROPIC.allows(client_ids[0])
    for replica, expected in ((session, provider_ids), (open_way("anthropic", "openai_chat"), client_ids[:2])):
        messages = replica.request(copy.deepcopy(following))["messages"]
        assert [call["id"] for message in messages for call in message.get("tool_calls", [])] == expected
        assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == expected


@pytest.mark.parametrize("client", ["anthropic", "openai_chat", "openai_responses"])
def test_replies_without_ids_get_their_own(client: str) -> None:
    first = reply(client, "gemini", REPLIES["gemini"])
    second = reply(client, "gemini", {**REPLIES["gemini"], "responseId": "other"})
    nameless = copy.deepcopy(REPLIES["gemini"])
    del nameless["responseId"]
    third = reply(client, "gemini", nameless)
    ids = [value for body in (first, second, third) for value in call_ids(body)]
    assert len(set(ids)) == 6
    assert first == reply(client, "gemini", REPLIES["gemini"])


def call_ids(body: dict[str, Any]) -> list[str]:
    if "choices" in body:
        return [call["id"] for call in body["choices"][0]["message"]["tool_calls"]]
    if "output" in body:
        return [item["call_id"] for item in body["output"] if item["type"] == "function_call"]
    return [block["id"] for block in body["content"] if block["type"] == "tool_use"]


def test_gemini_has_ids_on_both_sides_or_on_neither() -> None:
    parts = [
        part for turn in ask("openai_chat", "gemini", REQUESTS["openai_chat"])["contents"] for part in turn["parts"]
    ]
    calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    assert (
        calls
        == [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
        == ["call_a", "call_b"]
    )
    legacy = {
        "model": "m",
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}},
            {"role": "function", "name": "f", "content": "done"},
        ],
    }
    contents = ask("openai_chat", "gemini", legacy)["contents"]
    assert contents[1]["parts"] == [{"functionCall": {"name": "f", "args": {}}}]
    assert contents[2]["parts"] == [{"functionResponse": {"name": "f", "response": {"output": "done"}}}]


def test_gemini_results_are_in_call_order() -> None:
    body = copy.deepcopy(REQUESTS["openai_chat"])
    body["messages"][3], body["messages"][4] = body["messages"][4], body["messages"][3]
    parts = ask("openai_chat", "gemini", body)["contents"][2]["parts"]
    assert [part["functionResponse"]["id"] for part in parts[:2]] == ["call_a", "call_b"]


def test_responses_item_ids_have_their_prefix_and_are_not_call_ids() -> None:
    output = reply("openai_responses", "anthropic", REPLIES["anthropic"])["output"]
    assert [item["id"].split("_")[0] for item in output] == ["msg", "fc", "fc"]
    assert [item["call_id"] for item in output[1:]] == ["toolu_a", "toolu_b"]
    assert len({item["id"] for item in output}) == 3
