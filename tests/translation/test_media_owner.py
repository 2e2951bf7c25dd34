"""Which media next to results belong to whom: what is a caption, and what only replaces media."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import Ends, Judge, load_corpus

JUDGE = Judge(load_corpus())
ENDS = Ends("anthropic", "openai_chat")
PICTURE = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
CALLS = {"toolu_01cfgaFhGM2eCZQcdwyXeRxR": "draw", "toolu_01GrLU5eaBODj3ynDlD4fNj4": "f"}


def source(*tail: dict[str, Any]) -> dict[str, Any]:
    """A request to Anthropic with two results, and what comes after them."""
    calls = [{"type": "tool_use", "id": key, "name": name, "input": {}} for key, name in CALLS.items()]
    results = [{"type": "tool_result", "tool_use_id": key, "content": name} for key, name in CALLS.items()]
    return {
        "model": "claude-sonnet-4-6",
        "max_tokens": 4096,
        "messages": [
            {"role": "user", "content": "Draw it."},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": [*results, *tail]},
        ],
        "tools": [{"name": name, "input_schema": {"type": "object", "properties": {}}} for name in CALLS.values()],
    }


def output(*tail: dict[str, Any]) -> dict[str, Any]:
    """The same in Chat."""
    calls = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": "{}"}} for key, name in CALLS.items()
    ]
    functions = [{"name": name, "parameters": {"type": "object", "properties": {}}} for name in CALLS.values()]
    return {
        "model": "gpt-5.1-2025-11-13",
        "max_completion_tokens": 4096,
        "messages": [
            {"role": "user", "content": "Draw it."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": key, "content": name} for key, name in CALLS.items()),
            {"role": "user", "content": [*tail]},
        ],
        "tools": [{"type": "function", "function": function} for function in functions],
    }


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/webp", "data": PICTURE}}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Ø"}, "title": "f.txt"}
IN_CHAT = {"type": "image_url", "image_url": {"url": f"data:image/webp;base64,{PICTURE}"}}
CAPTION = text("From the result of draw (toolu_01cfgaFhGM2eCZQcdwyXeRxR):")


def rules(*tail: dict[str, Any]) -> set[str]:
    findings = JUDGE.request(source(CAPTION, DOCUMENT, IMAGE), output(*tail), ENDS).findings
    return {finding.rule for finding in findings} & {"translation/results-linked", "translation/media-owner-unclear"}


def test_a_remark_in_place_of_a_document_is_no_caption() -> None:
    assert rules(CAPTION, text("[text/plain: f.txt]"), IN_CHAT) == set()


def test_a_remark_that_names_a_call_is_one() -> None:
    assert rules(CAPTION, text("[image/webp: toolu_01GrLU5eaBODj3ynDlD4fNj4]"), IN_CHAT) == {
        "translation/results-linked"
    }
