"""All sixteen routes: the same conversation arrives, whatever it was written in."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, MODELS, REPLIES, REQUESTS, SCHEMA, Way, ask, open_way, reply
from toolcall_reference import ReferenceTranslator, Refused, Unsupported
from toolcall_reference import formats as reference_formats
from toolcall_reference.conversation.intermediate import Conversation, Item, Text
from toolcall_reference.conversation.losses import Losses

ROUTES = list(itertools.product(FORMATS, FORMATS))
CROSSING = [(client, upstream) for client, upstream in ROUTES if client != upstream]


def text_of(item: Item) -> str:
    assert isinstance(item, Text)
    return item.text


def decode_request(name: str, body: dict[str, Any]) -> Conversation:
    return reference_formats.get(name).decode_request(copy.deepcopy(body), Losses())


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_same_conversation_arrives(client: str, upstream: str) -> None:
    conversation = decode_request(upstream, ask(client, upstream, REQUESTS[client]))
    assert [text.text for text in conversation.system] == ["Be brief."]
    calls = conversation.calls
    assert [(call.name, call.arguments) for call in calls] == [
        ("forecast", {"city": "Oslo"}),
        ("forecast", {"city": "Rome", "days": 2}),
    ]
    results = [result for turn in conversation.turns for result in turn.results]
    assert [result.tool_call_id for result in results] == [call.id for call in calls]
    assert results[0].result == "snow"
    assert "no data" in results[1].result
    assert text_of(conversation.turns[-1].items[-1]) == "In one word."
    assert [(tool.name, tool.description, tool.schema) for tool in conversation.tools] == [
        ("forecast", "The weather.", SCHEMA)
    ]
    assert conversation.settings.tool_choice is not None
    assert conversation.settings.tool_choice.mode == "auto"
    assert conversation.settings.max_output_tokens == 500


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_reply_arrives(client: str, upstream: str) -> None:
    session = open_way(client, upstream)
    decoded_reply = reference_formats.get(client).decode_response(session.response(REPLIES[upstream]), Losses())
    assert [(call.name, call.arguments) for call in decoded_reply.calls] == [
        ("forecast", {"city": "Oslo"}),
        ("forecast", {"city": "Rome"}),
    ]
    assert decoded_reply.finish == "tools"
    assert text_of(decoded_reply.items[0]) == "Looking."
    assert decoded_reply.usage is not None
    assert (decoded_reply.usage.input, decoded_reply.usage.output, decoded_reply.usage.cached) == (15, 7, 5)
    if client != "gemini" or upstream != "gemini":
        ids = [call.given_id for call in decoded_reply.calls]
        assert len(set(ids)) == 2
        assert None not in ids


@pytest.mark.parametrize("name", FORMATS)
def test_same_format_is_identity_but_for_the_model(name: str) -> None:
    request = {**REQUESTS[name], "unheard_of": {"b": None, "a": [1.0, 2**63]}}
    output = ask(name, name, request)
    expected = request if name == "gemini" else {**request, "model": MODELS[name]}
    assert json.dumps(output) == json.dumps(expected)  # the order of keys too
    key = "modelVersion" if name == "gemini" else "model"
    expected_reply = {**REPLIES[name], key: MODELS[name]}
    assert json.dumps(reply(name, name, REPLIES[name])) == json.dumps(expected_reply)


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_models_are_those_of_the_route(client: str, upstream: str) -> None:
    request = ask(client, upstream, REQUESTS[client], upstream_model="up")
    assert request.get("model") == (None if upstream == "gemini" else "up")
    answer = reply(client, upstream, REPLIES[upstream], client_model="down")
    assert answer["modelVersion" if client == "gemini" else "model"] == "down"


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_input_is_left_alone_and_output_repeatable(client: str, upstream: str) -> None:
    source, answer = copy.deepcopy(REQUESTS[client]), copy.deepcopy(REPLIES[upstream])
    session = open_way(client, upstream)
    first = session.request(source), session.response(answer)
    assert source == REQUESTS[client]
    assert answer == REPLIES[upstream]
    again = open_way(client, upstream)
    assert (again.request(source), again.response(answer)) == first


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_translated_history_is_append_only(client: str, upstream: str) -> None:
    key = {"gemini": "contents", "openai_responses": "input"}
    whole = ask(client, upstream, REQUESTS[client])[key.get(upstream, "messages")]
    short = copy.deepcopy(REQUESTS[client])
    listed = short[key.get(client, "messages")]
    del listed[1 if client in ("anthropic", "gemini", "openai_responses") else 2 :]
    beginning = ask(client, upstream, short)[key.get(upstream, "messages")]
    assert whole[: len(beginning)] == beginning


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_a_call_without_result_is_refused(client: str, upstream: str) -> None:
    body = copy.deepcopy(REQUESTS[client])
    if client == "anthropic":
        del body["messages"][2]["content"][0]
    elif client == "gemini":
        del body["contents"][2]["parts"][0]
    elif client == "openai_chat":
        del body["messages"][3]
    else:
        del body["input"][4]
    with pytest.raises(Refused, match="has no result"):
        ask(client, upstream, body)


@pytest.mark.parametrize("client", ["anthropic", "openai_chat", "openai_responses"])
def test_a_history_that_begins_with_a_call_has_a_user_before_it_in_gemini(client: str) -> None:
    body = copy.deepcopy(REQUESTS[client])
    turns = body["input" if client == "openai_responses" else "messages"]
    del turns[next(place for place, turn in enumerate(turns) if turn.get("role") == "user")]
    contents = ask(client, "gemini", body)["contents"]
    assert [content["role"] for content in contents[:2]] == ["user", "model"]
    assert [list(part) for part in contents[0]["parts"]] == [["text"]]


def test_unknown_format_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="telegraph"):
        ReferenceTranslator().open(Way("telegraph", "gemini", "a", "b"))


@pytest.mark.parametrize(
    "more", [{"previous_response_id": "resp_1"}, {"conversation": "conv_1"}, {"input": [{"type": "item_reference"}]}]
)
def test_state_held_by_openai_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=r"held by OpenAI|is not kept here"):
        ask("openai_responses", "anthropic", {**REQUESTS["openai_responses"], **more})


@pytest.mark.parametrize("upstream", FORMATS)
def test_an_error_body_is_no_reply(upstream: str) -> None:
    client = "gemini" if upstream == "anthropic" else "anthropic"
    with pytest.raises(Refused):
        reply(client, upstream, {"type": "error", "error": {"type": "overloaded_error", "message": "later"}})
