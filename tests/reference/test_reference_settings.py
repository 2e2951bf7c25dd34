"""Tool choice, parallel calls, finish reasons, and what a format cannot express."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any

import pytest

from every import every
from reference.reference_bodies import FORMATS, REPLIES, REQUESTS, ask, open_way, reply
from toolcall_reference import Refused, formats
from toolcall_reference.conversation.intermediate import Conversation, Settings, Text, Tool, ToolChoice, Turn
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target

CHOICES = [
    ToolChoice("auto"),
    ToolChoice("required"),
    ToolChoice("none"),
    ToolChoice("required", ["f"]),
    ToolChoice("required", ["f", "g"]),
    ToolChoice("auto", ["f", "g"]),
]


@every("name, choice", product(FORMATS, CHOICES), id=lambda name, choice: f"{choice}-{name}")
def test_every_choice_can_be_said_everywhere(name: str, choice: ToolChoice) -> None:
    tools = [Tool("f"), Tool("g"), Tool("h")]
    conversation = Conversation(turns=[Turn("user", [Text("go")])], tools=tools, settings=Settings(tool_choice=choice))
    spoken = formats.get(name)
    decoded_conversation = spoken.decode_request(spoken.encode_request(conversation, Target("m")), Losses())
    tool_choice = decoded_conversation.settings.tool_choice
    assert tool_choice is not None
    assert tool_choice.mode == choice.mode
    if tool_choice.names is None and choice.names is not None:
        assert [
            tool.name for tool in decoded_conversation.tools
        ] == choice.names  # filtered, where there is no native subset
    else:
        assert tool_choice.names == choice.names
        assert len(decoded_conversation.tools) == 3


@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.parametrize("choice", [None, "auto", "required", "none"])
def test_parallel_flag_lives_in_anthropics_choice(parallel: bool, choice: str | None) -> None:
    body = {**REQUESTS["openai_chat"], "parallel_tool_calls": parallel}
    body.pop("tool_choice")
    if choice is not None:
        body["tool_choice"] = choice
    tool_choice = ask("openai_chat", "anthropic", body).get("tool_choice", {})
    if choice == "none":
        assert tool_choice == {"type": "none"}
    elif choice is None and parallel:
        assert tool_choice == {}
    else:
        assert tool_choice["disable_parallel_tool_use"] is not parallel
        assert tool_choice["type"] == {"required": "any"}.get(choice or "auto", "auto")


def test_parallel_flag_without_tools_says_nothing() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "parallel_tool_calls": False}
    for upstream in ("anthropic", "openai_responses"):
        output = ask("openai_chat", upstream, body)
        assert "tool_choice" not in output
        assert "parallel_tool_calls" not in output


def test_a_choice_of_a_dropped_tool_is_loosened() -> None:
    body = {
        "model": "m",
        "input": "x",
        "tools": [{"type": "web_search"}, {"type": "function", "name": "f", "parameters": None, "strict": None}],
        "tool_choice": {"type": "web_search"},
    }
    session = open_way("openai_responses", "openai_chat")
    output = session.request(body)
    assert [tool["function"]["name"] for tool in output["tools"]] == ["f"]
    assert output["tool_choice"] == "auto"
    assert {loss.element for loss in session.losses} == {"tool-hosted", "tool-choice"}


def test_sampling_settings() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "temperature": 1.5,
        "top_p": 0.5,
        "stop": "END",
        "seed": 7,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "user": "u1",
        "max_tokens": 33,
    }
    assert ask("openai_chat", "gemini", body)["generationConfig"] == {
        "temperature": 1.5,
        "topP": 0.5,
        "maxOutputTokens": 33,
        "stopSequences": ["END"],
        "seed": 7,
        "frequencyPenalty": 0.1,
        "presencePenalty": 0.2,
    }
    session = open_way("openai_chat", "anthropic")
    output = session.request(body)
    assert (output["temperature"], output["stop_sequences"], output["metadata"]) == (1.0, ["END"], {"user_id": "u1"})
    assert {"seed", "frequency_penalty", "presence_penalty", "1.5"} <= {loss.where for loss in session.losses}
    session = open_way("openai_chat", "openai_responses")
    assert session.request(body)["max_output_tokens"] == 33
    assert {"stop", "seed"} <= {loss.where for loss in session.losses}


def test_max_tokens_is_supplied_where_it_is_demanded() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    assert ask("openai_chat", "anthropic", body)["max_tokens"] == 4096


def test_response_format() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    response_format = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": True}}
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "response_format": response_format}
    expected = {"type": "json_schema", "name": "n", "schema": schema, "strict": True}
    assert ask("openai_chat", "openai_responses", body)["text"] == {"format": expected}
    assert ask("openai_chat", "gemini", body)["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": schema,
    }
    assert ask("openai_chat", "anthropic", body)["output_config"] == {
        "format": {"type": "json_schema", "schema": schema}
    }


@pytest.mark.parametrize("other", ["openai_chat", "openai_responses"])
def test_an_answer_that_may_leave_a_member_out_is_not_strict(other: str) -> None:
    """Anthropic takes optional members; OpenAI refuses them in a strict schema."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}
    body = {"model": "m", "max_tokens": 99, "messages": [{"role": "user", "content": "x"}]}
    body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
    session = open_way("anthropic", other)
    output = session.request(body)
    response_format = output["response_format"]["json_schema"] if other == "openai_chat" else output["text"]["format"]
    assert (response_format["schema"], response_format["strict"]) == (schema, False)
    assert [loss.element for loss in session.losses] == ["response-format"]


def test_a_blank_stop_sequence_is_not_sent_to_anthropic() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "stop": ["\n\n", "END"]}
    session = open_way("openai_chat", "anthropic")
    assert session.request(body)["stop_sequences"] == ["END"]
    assert [loss.element for loss in session.losses] == ["stop"]
    assert "stop_sequences" not in session.request(body | {"stop": " "})


def test_gemini_numbers_may_be_text() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "x"}]}]}
    config = {"temperature": "1e-1", "topP": "0.5", "topK": "4.0", "maxOutputTokens": "4e3"}
    output = ask("gemini", "anthropic", body | {"generationConfig": config})
    assert [output[key] for key in ("temperature", "top_p", "top_k", "max_tokens")] == [0.1, 0.5, 4, 4000]
    assert isinstance(output["max_tokens"], int)
    for no_number in ("warm", "NaN", "Infinity", ""):
        with pytest.raises(Refused, match="temperature must be a number"):
            ask("gemini", "anthropic", body | {"generationConfig": {"temperature": no_number}})


def test_system_in_the_middle_keeps_its_place() -> None:
    body = copy.deepcopy(REQUESTS["openai_chat"])
    body["messages"].insert(5, {"role": "developer", "content": "Now in French."})
    content = ask("openai_chat", "anthropic", body)["messages"][2]["content"]
    assert [block["type"] for block in content] == ["tool_result", "tool_result", "text", "text"]
    assert content[2]["text"] == "Now in French."
    items = ask("openai_chat", "openai_responses", body)["input"]
    assert items[-2] == {"role": "developer", "content": "Now in French."}
    assert ask("openai_chat", "gemini", body)["contents"][2]["parts"][2] == {"text": "Now in French."}


REASONS: dict[str, dict[str, Any]] = {
    "anthropic": {"end": "end_turn", "length": "max_tokens", "filter": "refusal"},
    "openai_chat": {"end": "stop", "length": "length", "filter": "content_filter"},
    "openai_responses": {"end": None, "length": "max_output_tokens", "filter": "content_filter"},
    "gemini": {"end": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"},
}


def with_reason(name: str, reason: str) -> dict[str, Any]:
    body, raw = copy.deepcopy(REPLIES[name]), REASONS[name][reason]
    if name == "anthropic":
        body["content"] = body["content"][:1]
        body["stop_reason"] = raw
    elif name == "openai_chat":
        del body["choices"][0]["message"]["tool_calls"]
        body["choices"][0]["finish_reason"] = raw
    elif name == "gemini":
        del body["candidates"][0]["content"]["parts"][1:]
        body["candidates"][0]["finishReason"] = raw
    else:
        del body["output"][1:]
        if raw is not None:
            body.update(status="incomplete", incomplete_details={"reason": raw})
    return body


@every(
    "client, upstream, reason",
    product(FORMATS, FORMATS, ["end", "length", "filter"]),
    id=lambda client, upstream, reason: f"{reason}-{client}-{upstream}",
)
def test_finish_reasons(client: str, upstream: str, reason: str) -> None:
    output = reply(client, upstream, with_reason(upstream, reason))
    again = formats.get(client).decode_response(output, Losses()).finish
    assert again == reason or {again, reason} == {"filter", "refusal"}


def test_a_forced_function_ends_with_stop_and_is_still_a_call() -> None:
    body = copy.deepcopy(REPLIES["openai_chat"])
    body["choices"][0]["finish_reason"] = "stop"
    assert reply("anthropic", "openai_chat", body)["stop_reason"] == "tool_use"


def test_calls_that_gemini_calls_unusable_are_not_passed_on() -> None:
    body = copy.deepcopy(REPLIES["gemini"])
    body["candidates"][0]["finishReason"] = "UNEXPECTED_TOOL_CALL"
    session = open_way("openai_responses", "gemini")
    output = session.response(body)
    assert output["status"] == "failed"
    assert [item["type"] for item in output["output"]] == ["message"]
    assert "call" in {loss.element for loss in session.losses}
