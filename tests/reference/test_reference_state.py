"""Opaque state: back to its provider, and to no other; what is dropped is reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reference.reference_bodies import REPLIES, REQUESTS, ask, open_way

THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"}


def with_state() -> dict[str, dict[str, Any]]:
    requests = copy.deepcopy(REQUESTS)
    requests["anthropic"]["messages"][1]["content"].insert(0, THINKING)
    requests["openai_responses"]["input"].insert(1, REASONING)
    requests["gemini"]["contents"][1]["parts"][1]["thoughtSignature"] = "c2lnbmF0dXJl"
    return requests


@pytest.mark.parametrize("client", ["anthropic", "openai_responses", "gemini"])
@pytest.mark.parametrize("upstream", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_state_goes_to_no_other_provider(client: str, upstream: str) -> None:
    session = open_way(client, upstream)
    output = str(session.request(with_state()[client]))
    secrets = [secret for secret in ("c2ln", "ZW5j", "c2lnbmF0dXJl") if secret in output]
    if client == upstream:
        assert secrets
    else:
        assert secrets == []
        assert "signature" in {loss.element for loss in session.losses}


def test_a_chat_client_may_carry_geminis_signature() -> None:
    answer = copy.deepcopy(REPLIES["gemini"])
    answer["candidates"][0]["content"]["parts"][1]["thoughtSignature"] = "c2lnbmF0dXJl"
    message = open_way("openai_chat", "gemini").response(answer)["choices"][0]["message"]
    assert message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "c2lnbmF0dXJl"}}
    history = [{"role": "user", "content": "x"}, message]
    history += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]]
    parts = ask("openai_chat", "gemini", {"model": "m", "messages": history})["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [None, "c2lnbmF0dXJl", None]


@pytest.mark.parametrize("client", ["anthropic", "openai_responses"])
def test_the_session_gives_back_what_its_client_cannot_carry(client: str) -> None:
    answer = copy.deepcopy(REPLIES["gemini"])
    answer["candidates"][0]["content"]["parts"][1]["thoughtSignature"] = "c2lnbmF0dXJl"
    session = open_way(client, "gemini", upstream_model="gemini-3-pro-preview")
    first = session.response(answer)
    assert "c2lnbmF0dXJl" not in str(first)
    if client == "anthropic":
        ids = [block["id"] for block in first["content"] if block["type"] == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": key, "content": "ok"} for key in ids]
        history = {"messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": first["content"]},
            {"role": "user", "content": results},
        ]}  # fmt: skip
    else:
        ids = [item["call_id"] for item in first["output"] if item["type"] == "function_call"]
        results = [{"type": "function_call_output", "call_id": key, "output": "ok"} for key in ids]
        history = {"input": [{"role": "user", "content": "x"}, *first["output"], *results]}
    body = {"model": "m", "max_tokens": 9, **history}
    parts = session.request(body)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [None, "c2lnbmF0dXJl", None]
    fresh = open_way(client, "gemini", upstream_model="gemini-3-pro-preview").request(body)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in fresh] == [None, "skip_thought_signature_validator", None]


def test_thinking_goes_back_to_its_provider_within_a_session() -> None:
    answer = copy.deepcopy(REPLIES["anthropic"])
    answer["content"].insert(0, THINKING)
    session = open_way("openai_chat", "anthropic")
    message = session.response(answer)["choices"][0]["message"]
    assert "hm" not in str(message)
    history = [{"role": "user", "content": "x"}, message]
    history += [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in message["tool_calls"]]
    blocks = session.request({"model": "m", "messages": history})["messages"][1]["content"]
    assert blocks[0] == THINKING
    assert [block["type"] for block in blocks] == ["thinking", "text", "tool_use", "tool_use"]


def test_hosted_steps_are_never_shown_as_calls() -> None:
    answer = copy.deepcopy(REPLIES["anthropic"])
    answer["content"][:0] = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
    ]
    for client in ("openai_chat", "openai_responses", "gemini"):
        session = open_way(client, "anthropic")
        assert "web_search" not in str(session.response(answer))
        assert "tool-hosted" in {loss.element for loss in session.losses}


def test_no_key_of_anthropic_leaks() -> None:
    body = copy.deepcopy(REQUESTS["anthropic"])
    body["tools"][0]["cache_control"] = {"type": "ephemeral"}
    body["system"] = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    body["messages"][1]["content"][1]["caller"] = {"type": "direct"}
    for upstream in ("openai_chat", "openai_responses", "gemini"):
        session = open_way("anthropic", upstream)
        output = str(session.request(body))
        assert "cache_control" not in output
        assert "caller" not in output
        assert "is_error" not in output
        assert "cache-control" in {loss.element for loss in session.losses}
