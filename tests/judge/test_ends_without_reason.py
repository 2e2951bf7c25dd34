"""Streams of Chat that end with ``[DONE]`` and give a blank reason or none: the reply is whole, as its calls say.

Servers of several models end like that: https://github.com/weave-os/router/issues/250
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import judge_stream
from reference.reference_bodies import FORMATS, open_way
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus

DONE = b"data: [DONE]\n\n"
HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "gpt-4.1-2025-04-14"}
UNSAID: list[dict[str, Any]] = [{"finish_reason": ""}, {"finish_reason": None}, {}]


def call(arguments: str) -> dict[str, Any]:
    function = {"name": "get_weather", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}


TEXT = {"role": "assistant", "content": "It rains."}
CALLED = call('{"city": "Oslo"}')


def stream(delta: dict[str, Any], end: dict[str, Any], done: bytes = DONE) -> bytes:
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": delta, "finish_reason": None},
        {"index": 0, "delta": {}, **end},
    ]
    chunks = [{**HEAD, "choices": [choice]} for choice in choices]
    chunks.append({**HEAD, "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}})
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + done


def translate_stream(client: str, data: bytes) -> dict[str, Any]:
    return parse(b"".join(open_way(client, "openai_chat", stream=True).stream([data])))


def musts(client: str, data: bytes, output: dict[str, Any]) -> list[Finding]:
    findings = judge_stream(output, source=parse(data), client=client, upstream="openai_chat").findings
    return [finding for finding in findings if finding.is_must]


@pytest.mark.parametrize("end", UNSAID)
@pytest.mark.parametrize("delta", [TEXT, CALLED], ids=["text", "call"])
def test_done_ends_a_reply(delta: dict[str, Any], end: dict[str, Any]) -> None:
    data = stream(delta, end)
    source = stream(delta, {"finish_reason": "tool_calls" if delta is CALLED else "stop"})
    for client in FORMATS:
        output = translate_stream(client, data)
        assert musts(client, data, output) == [], client
        if client != "openai_chat":  # that one is passed on as it came
            assert (
                formats.assemble(client, output).body == formats.assemble(client, translate_stream(client, source)).body
            )
        assert musts(client, data, translate_stream(client, source)) == [], client


@pytest.mark.parametrize("end", UNSAID)
@pytest.mark.parametrize(
    ("delta", "done"),
    [(CALLED, b""), (TEXT, b""), (call('{"city": "Os'), DONE), ({"role": "assistant"}, DONE)],
    ids=["call without [DONE]", "text without [DONE]", "cut call", "nothing said"],
)
def test_what_breaks_off_is_broken_off_still(delta: dict[str, Any], done: bytes, end: dict[str, Any]) -> None:
    data = stream(delta, end, done)
    assert formats.assemble("openai_chat", parse(data)).as_sent.end == "open"
    for client in set(FORMATS) - {"openai_chat"}:
        assert formats.assemble(client, translate_stream(client, data)).end == "failed"
        as_whole = translate_stream(client, stream(delta, {"finish_reason": "stop"}))
        assert {"translation/stream-cut-end", "translation/stream-cut-call"} & {
            finding.rule for finding in musts(client, data, as_whole)
        }


@pytest.mark.parametrize("end", UNSAID)
def test_the_calls_say_how_it_ended(end: dict[str, Any]) -> None:
    data = stream(CALLED, end)
    cut = translate_stream("anthropic", stream(CALLED, {"finish_reason": "length"}))
    assert {finding.rule for finding in musts("anthropic", data, cut)} == {"translation/finish-reason"}
    failed = translate_stream("anthropic", stream(CALLED, end, b""))
    assert "translation/finish-reason" in {finding.rule for finding in musts("anthropic", data, failed)}


@pytest.mark.parametrize("end", UNSAID)
def test_a_translator_gives_a_reason(end: dict[str, Any]) -> None:
    """What a server may leave out a translator may not, unless it passes on what it was given."""
    data = stream(TEXT, end)
    own = judge_stream(parse(data), client="openai_chat", upstream="gemini").findings
    assert "openai_chat/stream-finish" in {finding.rule for finding in own if finding.is_must}
    source = stream(TEXT, {"finish_reason": "stop"})
    assert "openai_chat/stream-finish" in {finding.rule for finding in musts("openai_chat", source, parse(data))}


@pytest.mark.parametrize("end", UNSAID)
def test_of_a_server_a_blank_reason_is_a_note(corpus: Corpus, end: dict[str, Any]) -> None:
    def levels(data: bytes) -> set[Level]:
        findings = Judge(corpus).sent("openai_chat", "stream", parse(data)).findings
        return {finding.level for finding in findings if finding.element == "finish"}

    assert levels(stream(CALLED, end)) == {Level.NOTE if end else Level.MUST}
    assert Level.MUST in levels(stream(CALLED, end, b""))
