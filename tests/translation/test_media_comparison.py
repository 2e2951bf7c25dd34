"""Media: lost, moved, doubled, exchanged, or under another type; and where they may be."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level

MOVED, LOST, LINKED = "translation/media-moved", "translation/media-lost", "translation/results-linked"
RED, BLUE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABred=", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABblue"
URL, OTHER_URL = "https://example.org/a.png", "https://example.org/b.png"


def source_of(picture: str) -> dict[str, Any]:
    if picture.startswith("https:"):
        return {"type": "image", "source": {"type": "url", "url": picture}}
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}}


def picture_part(picture: str, mime: str = "image/png") -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": picture if ":" in picture else f"data:{mime};base64,{picture}"}}


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def calls_of_anthropic(*results: Any) -> dict[str, Any]:
    """A batch of calls t0, t1 …, each with its result's content."""
    ids = [f"t{number}" for number in range(len(results))]
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 100,
        "tools": [{"name": "f", "description": "Do it.", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": each, "name": "f", "input": {"a": each}} for each in ids],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": each, "content": content}
                    for each, content in zip(ids, results, strict=True)
                ],
            },
        ],
    }


def calls_of_responses(*outputs: Any) -> dict[str, Any]:
    ids = [f"t{number}" for number in range(len(outputs))]
    return {
        "model": "gpt-4.1-2025-04-14",
        "max_output_tokens": 100,
        "tools": [
            {
                "type": "function",
                "name": "f",
                "description": "Do it.",
                "parameters": {"type": "object"},
                "strict": False,
            }
        ],
        "input": [
            {"role": "user", "content": "Go."},
            *(
                {"type": "function_call", "call_id": each, "name": "f", "arguments": f'{{"a": "{each}"}}'}
                for each in ids
            ),
            *(
                {"type": "function_call_output", "call_id": each, "output": output}
                for each, output in zip(ids, outputs, strict=True)
            ),
        ],
    }


def calls_of_chat(*results: str, tail: list[dict[str, Any]]) -> dict[str, Any]:
    ids = [f"t{number}" for number in range(len(results))]
    function = {"name": "f", "description": "Do it.", "parameters": {"type": "object"}}
    return {
        "model": "gpt-4.1-2025-04-14",
        "max_completion_tokens": 100,
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": each, "type": "function", "function": {"name": "f", "arguments": f'{{"a": "{each}"}}'}}
                    for each in ids
                ],
            },
            *(
                {"role": "tool", "tool_call_id": each, "content": result}
                for each, result in zip(ids, results, strict=True)
            ),
            {"role": "user", "content": tail},
        ],
    }


def talk(model: str, *parts: list[dict[str, Any]]) -> dict[str, Any]:
    """A talk in which the assistant answers the user's n-th message with "Answer n."."""
    limit = "max_tokens" if model.startswith("claude") else "max_completion_tokens"
    messages: list[dict[str, Any]] = []
    for number, content in enumerate(parts):
        if number:
            messages.append({"role": "assistant", "content": f"Answer {number}."})
        messages.append({"role": "user", "content": content})
    return {"model": model, limit: 100, "messages": messages}


def anthropic_request(*parts: list[dict[str, Any]]) -> dict[str, Any]:
    return talk("claude-sonnet-4-5-20250929", *parts)


def chat_request(*parts: list[dict[str, Any]]) -> dict[str, Any]:
    return talk("gpt-4.1-2025-04-14", *parts)


def levels_by_rule(source: dict[str, Any], output: dict[str, Any]) -> dict[str, Level]:
    upstream = "openai_responses" if "input" in output else "openai_chat"
    levels: dict[str, Level] = {}
    for finding in judge(source, output, client="anthropic", upstream=upstream).findings:
        if finding.rule.startswith(("translation/media", "translation/result", "translation/text")):
            levels[finding.rule] = max(
                levels.get(finding.rule, finding.level), finding.level, key=list(Level)[::-1].index
            )
    return levels


def responses_part(picture: str) -> dict[str, Any]:
    return {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{picture}"}


RESULTS = calls_of_anthropic([source_of(RED)], [source_of(BLUE)])
REMARK = "[image/png: in the next user message]"


def captioned_pictures(first: str, second: str) -> list[dict[str, Any]]:
    return [
        text("From the result of f (t0):"),
        picture_part(first),
        text("From the result of f (t1):"),
        picture_part(second),
    ]


def labelled_pictures(first: str, second: str) -> list[dict[str, Any]]:
    return [text("This is file 241a70:"), picture_part(first), text("This is file 6a18c6:"), picture_part(second)]


def numbered_pictures(first: str, second: str) -> list[dict[str, Any]]:
    return [text("Image of tool result #1"), picture_part(first), text("Image of tool result #2"), picture_part(second)]


FAITHFUL = {
    "inside their results": (RESULTS, calls_of_responses([responses_part(RED)], [responses_part(BLUE)])),
    "behind the batch under captions": (RESULTS, calls_of_chat(REMARK, REMARK, tail=captioned_pictures(RED, BLUE))),
    "under captions in another order": (
        RESULTS,
        calls_of_chat(REMARK, REMARK, tail=[*captioned_pictures(RED, BLUE)[2:], *captioned_pictures(RED, BLUE)[:2]]),
    ),
    "under the labels of their results": (
        RESULTS,
        calls_of_chat("See file 241a70.", "See file 6a18c6.", tail=labelled_pictures(RED, BLUE)),
    ),
    "under the numbers of their results": (RESULTS, calls_of_chat(REMARK, REMARK, tail=numbered_pictures(RED, BLUE))),
    "behind the only result": (
        calls_of_anthropic([text("shot"), source_of(RED)]),
        calls_of_chat("shot", tail=[picture_part(RED)]),
    ),
    "of the user": (
        anthropic_request([source_of(RED), text("One")], [text("Two")]),
        chat_request([picture_part(RED), text("One")], [text("Two")]),
    ),
    "the same picture at two turns": (
        anthropic_request([source_of(RED), text("One")], [source_of(RED), text("Two")]),
        chat_request([picture_part(RED), text("One")], [picture_part(RED), text("Two")]),
    ),
    "a wrong type mended": (
        anthropic_request([{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": RED}}]),
        chat_request([picture_part(RED)]),
    ),
    "an address": (anthropic_request([source_of(URL), text("One")]), chat_request([picture_part(URL), text("One")])),
    "a fetched address": (
        anthropic_request([source_of(URL), text("One")]),
        chat_request([picture_part(RED), text("One")]),
    ),
}

TWO = anthropic_request([source_of(RED), text("One")], [source_of(BLUE), text("Two")])
DAMAGED = {
    "exchanged between results": (
        RESULTS,
        calls_of_responses([responses_part(BLUE)], [responses_part(RED)]),
        {LINKED: Level.MUST},
    ),
    "exchanged under captions": (
        RESULTS,
        calls_of_chat(REMARK, REMARK, tail=captioned_pictures(BLUE, RED)),
        {LINKED: Level.MUST},
    ),
    "exchanged under labels": (
        RESULTS,
        calls_of_chat("See file 241a70.", "See file 6a18c6.", tail=labelled_pictures(BLUE, RED)),
        {LINKED: Level.MUST},
    ),
    "exchanged under numbers": (
        RESULTS,
        calls_of_chat(REMARK, REMARK, tail=numbered_pictures(BLUE, RED)),
        {LINKED: Level.MUST},
    ),
    "under a number that no result has": (
        RESULTS,
        calls_of_chat(
            REMARK, REMARK, tail=[text("Result 7:"), picture_part(RED), text("Result 8:"), picture_part(BLUE)]
        ),
        {"translation/media-owner-unclear": Level.SHOULD},
    ),
    "without captions": (
        RESULTS,
        calls_of_chat(REMARK, REMARK, tail=[picture_part(RED), picture_part(BLUE)]),
        {"translation/media-owner-unclear": Level.SHOULD},
    ),
    "exchanged between turns": (
        TWO,
        chat_request([picture_part(BLUE), text("One")], [picture_part(RED), text("Two")]),
        {MOVED: Level.MUST},
    ),
    "at a later turn": (
        TWO,
        chat_request([text("One")], [picture_part(RED), picture_part(BLUE), text("Two")]),
        {MOVED: Level.MUST},
    ),
    "twice": (
        anthropic_request([source_of(RED), text("One")], [text("Two")]),
        chat_request([picture_part(RED), text("One")], [picture_part(RED), text("Two")]),
        {MOVED: Level.MUST},
    ),
    "in another order": (
        anthropic_request([source_of(RED), source_of(BLUE), text("One")]),
        chat_request([picture_part(BLUE), picture_part(RED), text("One")]),
        {"translation/media-order": Level.SHOULD},
    ),
    "under another type": (
        anthropic_request([source_of(RED), text("One")]),
        chat_request([picture_part(RED, "image/jpeg"), text("One")]),
        {LOST: Level.MUST},
    ),
    "an address lost": (
        anthropic_request([source_of(URL), text("One")]),
        chat_request([text("One")]),
        {"translation/media-link-lost": Level.SHOULD},
    ),
    "another address": (
        anthropic_request([source_of(URL), text("One")]),
        chat_request([picture_part(OTHER_URL), text("One")]),
        {"translation/media-link-lost": Level.SHOULD},
    ),
}


@pytest.mark.parametrize("name", FAITHFUL)
def test_media_at_their_place_are_silent(name: str) -> None:
    assert levels_by_rule(*FAITHFUL[name]) == {}


@pytest.mark.parametrize("name", DAMAGED)
def test_media_at_other_places_break_a_rule(name: str) -> None:
    source, output, rules = DAMAGED[name]
    assert levels_by_rule(source, output) == rules


@pytest.mark.parametrize(
    ("address", "mime", "wrong"),
    [
        ("https://example.org/a.png", "application/pdf", True),
        ("https://example.org/a.PNG?size=2#b.pdf", "text/html", True),
        ("https://example.org/show", "application/pdf", True),
        ("http://[", "application/pdf", True),
        ("https://example.org/a.png", "image/jpeg", False),
        ("https://example.org/a.png", "application/octet-stream", False),
        ("https://example.org/plan.pdf?page=2", "application/pdf", False),
        ("https://example.org/show.php", "application/pdf", False),
    ],
)
def test_a_picture_at_an_address_is_of_no_other_kind(address: str, mime: str, wrong: bool) -> None:
    """The source says no type; where an address ends as those of pictures do not, it may be anything."""
    source = {
        "model": "gpt-4.1-2025-04-14",
        "messages": [{"role": "user", "content": [picture_part(address), text("What is it?")]}],
    }
    parts = [{"fileData": {"mimeType": mime, "fileUri": address}}, {"text": "What is it?"}]
    judgement = judge(source, {"contents": [{"role": "user", "parts": parts}]}, client="openai_chat", upstream="gemini")
    places = [(finding.rule, finding.pointer) for finding in judgement.findings]
    assert places == [("translation/media-link-lost", "/contents/0/parts/0/fileData")] * wrong
