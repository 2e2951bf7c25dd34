"""An index below 0 counts from the end, as in the lists of the official accumulators: the reply says what they say."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus
from witnesses import accumulators
from witnesses.readings import reply_content


def chunk(delta: dict[str, Any], *, index: int = 0, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {
        "data": {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1763719200,
            "model": "gpt-4.1",
            "choices": [choice],
        }
    }


def call(index: int, arguments: str, name: str | None = None) -> dict[str, Any]:
    opening = {"id": f"call_{name}", "type": "function"} if name else {}
    named = {"name": name} if name else {}
    return {"tool_calls": [{"index": index, **opening, "function": {**named, "arguments": arguments}}]}


ROLE, DONE = {"role": "assistant"}, {"data": "[DONE]"}
CHAT = {
    "a call of index -1": [chunk(ROLE | call(-1, "", "f")), chunk(call(-1, '{"a"')), chunk(call(-1, ":1}"))],
    "goes on with -1": [chunk(ROLE | call(0, "", "f")), chunk(call(-1, '{"a"')), chunk(call(-1, ":1}"))],
    "the second goes on with -1": [
        chunk(ROLE | call(0, "{}", "f")),
        chunk(call(1, "", "g")),
        chunk(call(-1, '{"b":2}')),
    ],
    "a choice that goes on as -1": [chunk(ROLE | {"content": "Hi"}), chunk({"content": " you"}, index=-1)],
    "a choice of index -1": [chunk(ROLE | {"content": "Hi"}, index=-1), chunk({"content": " you"}, index=-1)],
}


@pytest.mark.parametrize("name", CHAT)
def test_chat(name: str) -> None:
    calls = any("tool_calls" in event["data"]["choices"][0]["delta"] for event in CHAT[name])
    last = CHAT[name][-1]["data"]["choices"][0]["index"] if not calls else 0
    raw = dump([*CHAT[name], chunk({}, index=last, finish="tool_calls" if calls else "stop"), DONE])
    assert reply_content("openai_chat", formats.assemble("openai_chat", parse(raw)).body) == reply_content(
        "openai_chat", accumulators.openai_chat(raw)
    )
    rules = {finding.rule for finding in check_body(load_corpus(), "openai_chat", "stream", parse(raw))}
    assert rules & {"openai_chat/stream-call-index", "openai_chat/stream-choice-index"}


@pytest.mark.parametrize("count", [0, 1, 2])
def test_anthropic(count: int) -> None:
    """The events of one block after its start have an index that counts from the end."""
    [exchange, *_] = load_corpus().cases["shell/realistic"].exchanges("anthropic")
    assert exchange.stream_path is not None
    events = parse(exchange.stream_path.read_bytes())["events"]
    changed = 0
    for event in events:
        data = event["data"]
        if data["type"] in ("content_block_delta", "content_block_stop") and data["index"] == count:
            data["index"] = -1
            changed += 1
    raw = dump(events)
    assembled = formats.assemble("anthropic", parse(raw)).body
    assert reply_content("anthropic", assembled) == reply_content("anthropic", accumulators.anthropic(raw))
    assert reply_content("anthropic", assembled) == reply_content("anthropic", exchange.response)
    rules = [finding.rule for finding in check_body(load_corpus(), "anthropic", "stream", parse(raw))]
    assert rules == ["anthropic/stream-block-open"] * changed


def test_anthropic_below_the_first_block() -> None:
    """There the official accumulator raises; the event is passed over."""
    [exchange, *_] = load_corpus().cases["shell/realistic"].exchanges("anthropic")
    assert exchange.stream_path is not None
    events = parse(exchange.stream_path.read_bytes())["events"]
    next(event for event in events if event["data"]["type"] == "content_block_delta")["data"]["index"] = -2
    with pytest.raises(IndexError):
        accumulators.anthropic(dump(events))
    findings = check_body(load_corpus(), "anthropic", "stream", parse(dump(events)))
    assert [finding.rule for finding in findings] == ["anthropic/stream-block-open"]
