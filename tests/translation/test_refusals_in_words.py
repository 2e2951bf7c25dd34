"""A refusal that the provider ended with its word for a good end: its words must arrive, the word for it should."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import frame_events
from toolcall_conformance.basics.streaming import parse

WORDS = "I cannot help with that."
HEAD = {"id": "chatcmpl-1", "created": 1760000000, "model": "gpt-4.1-2025-04-14"}
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}


def chat(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    assistant_message = {"role": "assistant", "content": None, "refusal": None, **message}
    choice = {"index": 0, "message": assistant_message, "logprobs": None, "finish_reason": finish}
    return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}


def stream_delta(delta: dict[str, Any]) -> bytes:
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    ]
    chunks: list[Any] = [{**HEAD, "object": "chat.completion.chunk", "choices": [choice]} for choice in choices]
    chunks.append({**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    return frame_events("openai_chat", [*chunks, "[DONE]"])


def response(part: dict[str, Any]) -> dict[str, Any]:
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1760000000,
        "model": "gpt-4.1-2025-04-14",
        "status": "completed",
        "output": [item],
        "error": None,
        "incomplete_details": None,
        "usage": {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12},
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }


REFUSED: dict[str, Any] = {
    "openai_chat": chat({"refusal": WORDS}),
    "openai_responses": response({"type": "refusal", "refusal": WORDS}),
}
SAID: dict[str, Any] = {
    "openai_chat": chat({"content": WORDS}),
    "openai_responses": response({"type": "output_text", "text": WORDS, "annotations": [], "logprobs": []}),
}
NATIVE = ("anthropic", "openai_chat", "openai_responses")
"""The formats that have a word or a place for a refusal."""


def levels_by_rule(findings: Any) -> dict[str, str]:
    return {finding.rule: str(finding.level) for finding in findings if not finding.is_note}


@pytest.mark.parametrize("client", FORMATS)
@pytest.mark.parametrize("upstream", REFUSED)
def test_words_under_a_good_end(upstream: str, client: str) -> None:
    session = open_way(client, upstream)
    ends: dict[str, Any] = {"client": client, "upstream": upstream, "direction": "response"}
    right = judge(REFUSED[upstream], session.response(REFUSED[upstream]), **ends).findings
    assert levels_by_rule(right) == {}
    as_text = levels_by_rule(
        judge(REFUSED[upstream], open_way(client, upstream).response(SAID[upstream]), **ends).findings
    )
    assert as_text.get("translation/finish-reason") == ("SHOULD" if client in NATIVE else None)
    assert "MUST" not in as_text.values()


@pytest.mark.parametrize("client", FORMATS)
def test_words_under_a_good_end_of_a_stream(client: str) -> None:
    source, like = stream_delta({"refusal": WORDS}), stream_delta({"content": WORDS})
    output = parse(b"".join(open_way(client, "openai_chat", stream=True).stream([like])))
    levels = levels_by_rule(judge_stream(output, source=parse(source), client=client, upstream="openai_chat").findings)
    assert levels.get("translation/finish-reason") == ("SHOULD" if client in NATIVE else None)
    assert "MUST" not in levels.values()


@pytest.mark.parametrize("upstream", REFUSED)
def test_lost_words_and_other_ends_are_faults(upstream: str) -> None:
    ends: dict[str, Any] = {"client": "anthropic", "upstream": upstream, "direction": "response"}
    output = open_way("anthropic", upstream).response(SAID[upstream])
    cut = judge(REFUSED[upstream], {**output, "stop_reason": "max_tokens"}, **ends).findings
    assert levels_by_rule(cut)["translation/finish-reason"] == "MUST"
    silent = levels_by_rule(judge(REFUSED[upstream], {**output, "content": []}, **ends).findings)
    assert {silent[rule] for rule in ("translation/empty-success", "translation/text-lost")} == {"MUST"}


def test_a_provider_that_says_it_refuses_is_not_said_to_have_ended_well() -> None:
    refused = open_way("anthropic", "openai_chat").response(REFUSED["openai_chat"])
    output = open_way("openai_responses", "anthropic").response({**refused, "stop_reason": "end_turn"})
    assert refused["stop_reason"] == "refusal"
    ends: dict[str, Any] = {"client": "openai_responses", "upstream": "anthropic", "direction": "response"}
    assert levels_by_rule(judge(refused, output, **ends).findings)["translation/finish-reason"] == "MUST"
