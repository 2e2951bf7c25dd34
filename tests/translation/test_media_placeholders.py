"""Media that the target cannot take: a placeholder is right, silence is reported; what it can take is demanded."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level

SOUND = "UklGRjQAAABXQVZFZm10IBAAAAABAAEA"
HEIC = "AAAAGGZ0eXBoZWljAAAAAG1pZjFoZWlj"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
LOST, INVENTED, CONTENT = "translation/media-lost", "translation/text-invented", "translation/result-content"
SILENT = "translation/media-unmentioned"
TOOL = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}


def chat(*tail: dict[str, Any]) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {
        "model": "gpt-4o-audio-preview",
        "tools": [{"type": "function", "function": TOOL}],
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": "09:14"},
            {"role": "user", "content": list(tail)},
        ],
    }


def gemini(mime: str, data: str) -> dict[str, Any]:
    response = {"name": "look", "response": {"output": "09:14"}, "parts": [inline(mime, data)]}
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "AAAA"}]},
            {"role": "user", "parts": [{"functionResponse": response}]},
        ],
        "tools": [{"functionDeclarations": [TOOL]}],
    }


def inline(mime: str, data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime, "data": data}}


def anthropic(result: Any, *texts: str) -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": "call_1", "content": result}]
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 1000,
        "tools": [{"name": "look", "description": "Look.", "input_schema": TOOL["parameters"]}],
        "messages": [
            {"role": "user", "content": "Look."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "look", "input": {}}]},
            {"role": "user", "content": [*content, *({"type": "text", "text": text} for text in texts)]},
        ],
    }


def levels_by_rule(source: dict[str, Any], output: dict[str, Any], client: str, upstream: str) -> dict[str, Level]:
    findings = judge(source, output, client=client, upstream=upstream).findings
    prefixes = ("translation/media", "translation/text", "translation/result")
    return {finding.rule: finding.level for finding in findings if finding.rule.startswith(prefixes)}


HEARD = chat(
    {"type": "text", "text": "From the result of look (call_1):"},
    {"type": "input_audio", "input_audio": {"data": SOUND, "format": "wav"}},
)
CAPTION = "From the result of look (call_1):"
SOUNDS = {
    "a placeholder behind the result": (anthropic("09:14", CAPTION, "[audio/wav, 24 bytes, not shown]"), {}),
    "a placeholder in other words": (anthropic("09:14", CAPTION, "[Unsupported audio attachment omitted]"), {}),
    "a placeholder in the result": (anthropic("09:14\n[audio: not supported by this model]", CAPTION), {}),
    "the words of the tool call matrix": (
        anthropic("09:14\nBinary content of type audio/wav was processed.", CAPTION),
        {},
    ),
    "silence": (anthropic("09:14", CAPTION), {SILENT: Level.SHOULD}),
    "the bytes as text": (anthropic("09:14", CAPTION, SOUND), {SILENT: Level.SHOULD, INVENTED: Level.SHOULD}),
}


@pytest.mark.parametrize("name", SOUNDS)
def test_sound_for_a_format_without_sound(name: str) -> None:
    output, rules = SOUNDS[name]
    assert levels_by_rule(HEARD, output, "openai_chat", "anthropic") == rules


PICTURES = {
    "a type that the target does not take": ("image/heic", HEIC, "09:14\n[image/heic, not shown]", {}),
    "the same in silence": ("image/heic", HEIC, "09:14", {SILENT: Level.SHOULD}),
    "a type that it takes": ("image/png", PNG, "09:14\n[image/png, not shown]", {LOST: Level.MUST}),
    "a sound in a result": ("audio/wav", SOUND, "09:14\n[audio/wav, not shown]", {}),
    "a sound in a result in silence": ("audio/wav", SOUND, "09:14", {SILENT: Level.SHOULD}),
    "the bytes as text of the result": (
        "image/png",
        PNG,
        f"09:14\n{PNG}",
        {LOST: Level.MUST, CONTENT: Level.MUST},
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_only_types_that_the_target_takes_are_demanded(name: str) -> None:
    mime, data, result, rules = PICTURES[name]
    assert levels_by_rule(gemini(mime, data), anthropic(result), "gemini", "anthropic") == rules


@pytest.mark.parametrize("has_text", [True, False])
def test_what_an_object_says_is_no_placeholder(has_text: bool) -> None:
    """A link that the target cannot follow is rendered as text; the tool's own text stays, though it reads like a
    remark.
    """
    source = gemini("image/png", PNG)
    response = source["contents"][2]["parts"][0]["functionResponse"]
    response["response"] = {"output": "the picture is attached"}
    response["parts"].append({"fileData": {"mimeType": "image/png", "fileUri": "gs://pictures/one.png"}})
    text_blocks = [{"type": "text", "text": "the picture is attached"}] if has_text else []
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    link = {"type": "text", "text": "[image/png: gs://pictures/one.png]"}
    findings = judge(source, anthropic([*text_blocks, picture, link]), client="gemini", upstream="anthropic").findings
    assert (CONTENT in {finding.rule for finding in findings if finding.level is Level.MUST}) is not has_text
