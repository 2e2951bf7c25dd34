"""Members of a type that no API sends: the reference goes on, or refuses the body in its own words, without a crash."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from corpus_judge import judge
from reference.reference_bodies import open_way
from toolcall_reference import Refused

REQUEST: dict[str, Any] = {
    "model": "gpt-4.1",
    "input": [{"type": "message", "role": "user", "content": "Hot?"}],
    "tools": [
        {
            "type": "function",
            "name": "look",
            "strict": True,
            "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        }
    ],
}
STREAM: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "model": "c", "usage": {}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hot."}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]


@pytest.mark.parametrize("upstream", ["openai_chat", "anthropic", "gemini"])
@pytest.mark.parametrize(
    ("key", "value"),
    [("required", None), ("required", 3), ("required", [{}]), ("properties", []), ("$defs", "none")],
)
def test_a_strict_schema_of_odd_members_goes_on(upstream: str, key: str, value: Any) -> None:
    body = copy.deepcopy(REQUEST)
    body["tools"][0]["parameters"][key] = value
    assert '"look"' in json.dumps(open_way("openai_responses", upstream).request(body)["tools"])


def test_an_item_whose_type_is_no_word_is_refused() -> None:
    body = copy.deepcopy(REQUEST)
    body["input"][0]["type"] = ["message"]
    with pytest.raises(Refused, match="an item's type must be a string, not list"):
        open_way("openai_responses", "anthropic").request(body)
    body["input"].append({"type": 7, "role": "user"})
    body["input"][0]["type"] = "message"
    assert "Hot?" in json.dumps(open_way("openai_responses", "anthropic").request(body))


def test_an_index_that_is_no_number_counts_as_none() -> None:
    events = copy.deepcopy(STREAM)
    events[2]["index"] = {"value": 0}
    lines = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    output = b"".join(open_way("openai_chat", "anthropic", stream=True).stream(lines))
    assert b"Hot." in output
    assert b"[DONE]" in output


@pytest.mark.parametrize("prompt", [[], " ", [{"role": "user", "content": ""}]], ids=["nothing", "a blank", "no words"])
@pytest.mark.parametrize("upstream", ["openai_chat", "anthropic", "gemini"])
def test_a_conversation_without_a_word_has_a_placeholder(upstream: str, prompt: Any) -> None:
    """Each of them refuses a request that has no message."""
    body = {"model": "gpt-4.1", "input": prompt}
    output = open_way("openai_responses", upstream).request(body)
    findings = judge(body, output, client="openai_responses", upstream=upstream).findings
    assert [finding for finding in findings if finding.is_must] == []


ODD: list[tuple[str, str, dict[str, Any]]] = [
    (
        *("anthropic", "openai_chat"),
        {
            "tools": [{"name": "look", "input_schema": {"type": "object"}}],
            "tool_choice": {"type": "tool", "name": 5},
        },
    ),
    (
        *("gemini", "anthropic"),
        {
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "propertyOrdering": [{}]},
            }
        },
    ),
    (
        *("gemini", "anthropic"),
        {
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "look", "parametersJsonSchema": {"anyOf": [{"properties": None, "required": None}]}}
                    ]
                }
            ]
        },
    ),
]
BASES: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "Hot?"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Hot?"}]}]},
}


def test_choices_and_schemas_with_odd_members_raise_nothing_else() -> None:
    raised = []
    for client, upstream, members in ODD:
        try:
            open_way(client, upstream).request(copy.deepcopy({**BASES[client], **members}))
        except Exception as error:
            raised.append(f"{client} to {upstream}: {error!r}")
    assert raised == ["anthropic to openai_chat: Refused('name must be a string, not int')"]


def test_sources_of_an_answer_with_odd_members_are_left_out() -> None:
    """Addresses that are lists, and indices that are none."""
    url = {"type": "url_citation", "url_citation": {"url": [None], "title": "A", "start_index": 0, "end_index": 3}}
    message = {"role": "assistant", "content": "Hot.", "annotations": [url]}
    reply = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    chat = {**reply, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert "groundingMetadata" not in open_way("gemini", "openai_chat").response(chat)["candidates"][0]
    grounding = {
        "groundingChunks": [{"web": {"uri": "https://a.b"}}],
        "groundingSupports": [{"segment": {"endIndex": 3}, "groundingChunkIndices": -1}],
    }
    content = {"role": "model", "parts": [{"text": "Hot."}]}
    gemini = {"candidates": [{"content": content, "finishReason": "STOP", "groundingMetadata": grounding}]}
    reply_message = open_way("openai_chat", "gemini").response(gemini)["choices"][0]["message"]
    assert not reply_message.get("annotations")
