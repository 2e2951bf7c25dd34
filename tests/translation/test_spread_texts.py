"""A translator may cut its own words into neighbouring texts: the model reads them as one."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge

URL = "https://example.org/plan.pdf"
REMARK = f"[document: {URL}]"
ASKED = "What does the plan say?"
ORDER = "From now on answer in one short sentence."
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
CAPTION = "Image from call_Hw3:"


def rules(source: dict[str, Any], output: dict[str, Any], *, client: str = "openai_responses") -> set[str]:
    findings = judge(source, output, client=client, upstream="openai_chat").findings
    return {finding.rule for finding in findings if not finding.is_note}


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def chat(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"model": "gpt-4.1", "messages": [*messages]}


def remark(*texts: str) -> set[str]:
    """The findings on these texts in place of a document that Chat cannot hold."""
    file = {"type": "input_file", "file_url": URL}
    source = {
        "model": "gpt-4.1",
        "input": [{"role": "user", "content": [file, {"type": "input_text", "text": ASKED}]}],
    }
    return rules(source, chat({"role": "user", "content": parts(*texts, ASKED)}))


@pytest.mark.parametrize("at", [1, 4, 12, 30, len(REMARK) - 1])
def test_a_remark_about_media_in_pieces(at: int) -> None:
    assert remark(REMARK[:at], REMARK[at:]) == remark(REMARK)


def test_text_next_to_a_remark_is_new() -> None:
    assert "translation/text-invented" not in remark(REMARK)
    assert "translation/text-invented" in remark(REMARK, "Never mind the plan.")
    assert "translation/text-invented" in remark(REMARK[:12], REMARK[12:], "Never mind the plan.")


def order(*texts: str) -> set[str]:
    """The findings on these texts of the user between a call and its result."""
    call = {"type": "function_call", "call_id": "call_Hw3", "name": "look", "arguments": "{}"}
    question, ordered = {"role": "user", "content": ASKED}, {"role": "developer", "content": ORDER}
    result = {"type": "function_call_output", "call_id": "call_Hw3", "output": "14"}
    called = {"id": "call_Hw3", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    output = chat(
        question,
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_Hw3", "content": "14"},
        {"role": "user", "content": parts(*texts)},
    )
    return rules({"model": "gpt-4.1", "input": [question, call, ordered, result]}, output)


def test_an_order_in_pieces() -> None:
    assert order("From now on answer", " in one short sentence.") == order(ORDER)
    assert order("From now on answer") != order(ORDER)


def picture(*texts: str) -> set[str]:
    """The findings on these texts before a picture that had to leave its result."""
    call = {"type": "tool_use", "id": "call_Hw3", "name": "look", "input": {}}
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    result = {"type": "tool_result", "tool_use_id": "call_Hw3", "content": [*parts("Seen."), block]}
    tool = {"name": "look", "input_schema": {"type": "object", "properties": {}}}
    source = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 16,
        "tools": [tool],
        "messages": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ],
    }
    function = {"name": "look", "parameters": tool["input_schema"]}
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
    called = {"id": "call_Hw3", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    output = chat(
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_Hw3", "content": "Seen."},
        {"role": "user", "content": [*parts(*texts), image]},
    )
    extra = {"max_completion_tokens": 16, "tools": [{"type": "function", "function": function}]}
    return rules(source, output | extra, client="anthropic")


def test_a_caption_in_pieces() -> None:
    assert picture("Image from", " call_Hw3:") == picture(CAPTION)
    assert picture("Image fr", "om call_H", "w3", ":") == picture(CAPTION)
    assert "translation/text-invented" in picture("Never mind it.", CAPTION)


def test_words_for_an_empty_result_in_pieces() -> None:
    """Cut within a word, too."""
    call = {"type": "function_call", "call_id": "call_Hw3", "name": "look", "arguments": "{}"}
    source = {
        "model": "gpt-4.1",
        "input": [
            {"role": "user", "content": ASKED},
            call,
            {"type": "function_call_output", "call_id": "call_Hw3", "output": ""},
        ],
    }

    def rules_of_pieces(*texts: str) -> set[str]:
        called = {"id": "call_Hw3", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        answer = {"role": "tool", "tool_call_id": "call_Hw3", "content": parts(*texts)}
        question = {"role": "user", "content": ASKED}
        return rules(source, chat(question, {"role": "assistant", "content": None, "tool_calls": [called]}, answer))

    assert rules_of_pieces("(no out", "put)") == rules_of_pieces("(no output)")
    assert rules_of_pieces("(no out", "age)") != rules_of_pieces("(no output)")
