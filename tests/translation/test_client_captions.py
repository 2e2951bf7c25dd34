"""Captions that the client wrote itself: carried as they are, with other ids, or needless since the picture is home."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level

RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
BLUE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADAgH/eL9wtQAAAABJRU5ErkJggg=="
LINKED, LOST, CONTENT = "translation/results-linked", "translation/text-lost", "translation/result-content"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
IDS = ("call_one", "call_two")
REMARK = "[image/png: in the next user message]"


def caption(call_id: str) -> str:
    return f"From the result of look ({call_id}):"


def chat_request_with_pictures() -> dict[str, Any]:
    """Two pictures after the results of two calls, in Chat."""
    calls = [{"id": each, "type": "function", "function": {"name": "look", "arguments": "{}"}} for each in IDS]
    tail: list[Any] = []
    for call_id, data in zip(IDS, (RED, BLUE), strict=True):
        tail.append({"type": "text", "text": caption(call_id)})
        tail.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})
    return {
        "model": "gpt-4.1-2025-04-14",
        "max_completion_tokens": 100,
        "tools": [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": SCHEMA}}],
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": each, "content": REMARK} for each in IDS),
            {"role": "user", "content": tail},
        ],
    }


def image(data: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def anthropic_request(results: list[Any], tail: list[Any], ids: tuple[str, ...] = IDS) -> dict[str, Any]:
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in tail]
    answers = [
        {"type": "tool_result", "tool_use_id": each, "content": content}
        for each, content in zip(ids, results, strict=True)
    ]
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 100,
        "tools": [{"name": "look", "description": "Look.", "input_schema": SCHEMA}],
        "messages": [
            {"role": "user", "content": "Look."},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": each, "name": "look", "input": {}} for each in ids],
            },
            {"role": "user", "content": [*answers, *blocks]},
        ],
    }


OTHER = ("toolu_01", "toolu_02")
FAITHFUL = {
    "as they are": anthropic_request([REMARK, REMARK], [caption(IDS[0]), image(RED), caption(IDS[1]), image(BLUE)]),
    "with the ids of the output": anthropic_request(
        [REMARK, REMARK], [caption(OTHER[0]), image(RED), caption(OTHER[1]), image(BLUE)], OTHER
    ),
    "with ids that the output does not have": anthropic_request(
        [REMARK, REMARK], [caption(IDS[0]), image(RED), caption(IDS[1]), image(BLUE)], OTHER
    ),
    "needless, the pictures are in their results": anthropic_request([[image(RED)], [image(BLUE)]], []),
    "needless, but for one": anthropic_request([[image(RED)], REMARK], [caption(IDS[1]), image(BLUE)]),
}
DAMAGED = {
    "the pictures changed places": (
        anthropic_request([REMARK, REMARK], [caption(IDS[0]), image(BLUE), caption(IDS[1]), image(RED)]),
        {LINKED},
    ),
    "the pictures are in each other's result": (anthropic_request([[image(BLUE)], [image(RED)]], []), {LINKED}),
    "the captions are gone": (anthropic_request([REMARK, REMARK], [image(RED), image(BLUE)]), {LOST}),
}


def musts(output: dict[str, Any]) -> set[str]:
    findings = judge(chat_request_with_pictures(), output, client="openai_chat", upstream="anthropic").findings
    return {finding.rule for finding in findings if finding.level is Level.MUST}


@pytest.mark.parametrize("name", FAITHFUL)
def test_faithful(name: str) -> None:
    assert musts(FAITHFUL[name]) == set()


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(name: str) -> None:
    output, rules = DAMAGED[name]
    assert rules <= musts(output)
