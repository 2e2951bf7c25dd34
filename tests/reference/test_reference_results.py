"""Results and media: wrapped, unwrapped, grouped, marked as failed, in the way of each format."""

from __future__ import annotations

from typing import Any

import pytest

from reference.reference_bodies import ask
from toolcall_reference.conversation import results

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def anthropic(*content: Any, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": "look", "input": {}} for n in range(len(content))]
    answers = [
        {"type": "tool_result", "tool_use_id": f"t{n}", "content": value, **more} for n, value in enumerate(content)
    ]
    return {
        "model": "m",
        "max_tokens": 9,
        "messages": [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": answers},
        ],
    }


def image(data: str = PIXEL) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def gemini(response: Any, **more: Any) -> dict[str, Any]:
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "look"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look"}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": response, **more}}]},
        ]
    }


def response_of(body: dict[str, Any]) -> Any:
    return ask("anthropic", "gemini", body)["contents"][2]["parts"][0]["functionResponse"]["response"]


def test_text_is_wrapped_for_gemini() -> None:
    assert response_of(anthropic("fine")) == {"output": "fine"}
    assert response_of(anthropic('{"a": 1}')) == {"output": '{"a": 1}'}
    assert response_of(anthropic("bad", is_error=True)) == {"error": "bad"}
    assert response_of(anthropic("")) == {"output": ""}


@pytest.mark.parametrize(
    ("response", "content", "failed"),
    [
        ({"output": "fine"}, "fine", False),
        ({"error": "bad"}, "bad", True),
        ({"output": {"a": [1]}}, '{"a":[1]}', False),
        ({"a": 1, "output": "x"}, '{"a":1,"output":"x"}', False),
        ({"error": None, "value": 2**63}, '{"error":null,"value":9223372036854775808}', False),
        ({"output": "x", "error": "half"}, '{"output":"x","error":"half"}', True),
        ({"result": "é"}, '{"result":"é"}', False),
        ({}, "{}", False),
    ],
)
def test_gemini_responses_are_unwrapped(response: Any, content: str, failed: bool) -> None:
    block = ask("gemini", "anthropic", gemini(response))["messages"][2]["content"][0]
    assert block["content"] == content
    assert block.get("is_error", False) is failed


def test_failure_without_a_mark_is_said_in_the_text() -> None:
    for upstream, listed in (("openai_chat", "messages"), ("openai_responses", "input")):
        for text, expected in (
            ("no such file", "Error: no such file"),
            ("Error: no such file", "Error: no such file"),
            ("FileNotFoundError: x", "FileNotFoundError: x"),
            ('{"error": "x"}', '{"error": "x"}'),
            ("", "Error: "),
        ):
            last = ask("anthropic", upstream, anthropic(text, is_error=True))[listed][-1]
            assert (last.get("content") or last.get("output")) == expected
            assert "is_error" not in last


def test_success_is_never_marked() -> None:
    assert results.mark_error("Error: 0 errors", is_error=False) == "Error: 0 errors"
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
    messages = [
        {"role": "user", "content": "x"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "Error: 0 errors found"},
    ]
    block = ask("openai_chat", "anthropic", {"messages": messages})["messages"][2]["content"][0]
    assert block == {"type": "tool_result", "tool_use_id": "a", "content": "Error: 0 errors found"}


def test_several_texts_stay_several_where_the_format_has_lists() -> None:
    body = anthropic([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    assert ask("anthropic", "openai_chat", body)["messages"][2]["content"] == [
        {"type": "text", "text": "one"},
        {"type": "text", "text": "two"},
    ]
    assert ask("anthropic", "openai_responses", body)["input"][2]["output"] == [
        {"type": "input_text", "text": "one"},
        {"type": "input_text", "text": "two"},
    ]
    assert response_of(body) == {"output": "one\ntwo"}


def test_image_of_a_result_to_chat_follows_the_whole_batch() -> None:
    messages = ask("anthropic", "openai_chat", anthropic([image()], "plain"))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert "image/png" in messages[2]["content"]
    assert messages[4]["content"][1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    assert "t0" in messages[4]["content"][0]["text"]


def test_image_of_a_result_to_responses_stays_in_the_output() -> None:
    output = ask("anthropic", "openai_responses", anthropic([{"type": "text", "text": "see"}, image()]))["input"][2]
    assert output["output"] == [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
    ]


def test_image_of_a_result_to_gemini_is_nested_from_gemini_3_on() -> None:
    body = anthropic([{"type": "text", "text": "see"}, image()])
    inline = {"inlineData": {"mimeType": "image/png", "data": PIXEL}}
    new = ask("anthropic", "gemini", body, upstream_model="gemini-3-pro-preview")["contents"][2]["parts"]
    assert new[0]["functionResponse"]["parts"] == [inline]
    assert len(new) == 1
    old = ask("anthropic", "gemini", body)["contents"][2]["parts"]
    assert "parts" not in old[0]["functionResponse"]
    assert old[1] == inline
    assert old[0]["functionResponse"]["response"] == {"output": "see"}


def test_nested_image_of_gemini_to_anthropic() -> None:
    body = gemini({"output": "see"}, parts=[{"inlineData": {"mimeType": "image/png", "data": PIXEL}}])
    assert ask("gemini", "anthropic", body)["messages"][2]["content"][0]["content"] == [
        {"type": "text", "text": "see"},
        image(),
    ]


@pytest.mark.parametrize(("upstream", "listed"), [("anthropic", "messages"), ("openai_responses", "input")])
def test_media_without_a_place_leave_a_visible_trace(upstream: str, listed: str) -> None:
    body = {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "video/mp4", "data": "AAAA"}}]}]}
    content = ask("gemini", upstream, body)[listed][0]["content"]
    assert "video/mp4" in content[0]["text"]


def test_user_media_both_ways() -> None:
    parts = [
        {"type": "text", "text": "what?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}},
    ]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    assert ask("openai_chat", "anthropic", body)["messages"][0]["content"] == [
        {"type": "text", "text": "what?"},
        {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
        image(),
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="},
            "title": "a.pdf",
        },
    ]
    assert ask("openai_chat", "openai_responses", body)["input"][0]["content"][1:] == [
        {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "low"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
    ]
    assert ask("openai_chat", "gemini", body)["contents"][0]["parts"][1:] == [
        {"fileData": {"mimeType": "image/png", "fileUri": "https://example.org/a.png"}},
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}},
    ]


def test_late_results_are_brought_to_their_calls() -> None:
    call = {"type": "function_call", "name": "f", "arguments": "{}"}
    answer = {"type": "function_call_output"}
    body = {
        "model": "m",
        "input": [
            {"role": "user", "content": "go"},
            {**call, "call_id": "a"},
            {**call, "call_id": "b"},
            {**answer, "call_id": "b", "output": "B"},
            {"role": "assistant", "content": "Waiting."},
            {**answer, "call_id": "a", "output": "A"},
            {"role": "user", "content": "well?"},
        ],
    }
    messages = ask("openai_responses", "openai_chat", body)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    anthropic_messages = ask("openai_responses", "anthropic", body)["messages"]
    assert [message["role"] for message in anthropic_messages] == ["user", "assistant", "user", "assistant", "user"]
    assert {block["tool_use_id"] for block in anthropic_messages[2]["content"]} == {"a", "b"}


def test_a_plain_text_document_is_one_there_and_back() -> None:
    encoded = "MTIz"
    request = {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "text/plain", "data": encoded}}]}]}
    there = ask("gemini", "anthropic", request)
    source = {"type": "text", "media_type": "text/plain", "data": "123"}
    assert there["messages"][0]["content"] == [{"type": "document", "source": source}]
    assert ask("anthropic", "gemini", there)["contents"] == request["contents"]
