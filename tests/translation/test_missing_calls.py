"""Replies that end for their calls and have none that a client can run: the end follows from what is there.

An upstream that does so is in https://github.com/jasonxu114514/opencode2api/issues/27.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from reference.reference_bodies import open_way
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus

CALL: dict[str, Any] = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CLIENTS = ("anthropic", "openai_responses", "gemini")


def stream(*calls: Any, finish: str = "tool_calls") -> dict[str, Any]:
    """A stream of Chat with a text and entries of calls."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4.1"}
    deltas: list[tuple[Any, Any]] = [({"role": "assistant", "content": "Now I edit."}, None)]
    deltas += [({"tool_calls": [call]}, None) for call in calls] + [({"tool_calls": []}, None), ({}, finish)]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    return {"events": [*({"data": chunk} for chunk in chunks), {"data": "[DONE]"}], "rest": ""}


def translate_stream(source: dict[str, Any], client: str) -> dict[str, Any]:
    return parse(b"".join(open_way(client, "openai_chat").stream([dump(source["events"])])))


def musts(source: Any, output: Any, client: str) -> list[str]:
    findings = judge_stream(output, source=source, client=client, upstream="openai_chat").findings
    return [finding.rule for finding in findings if finding.is_must]


NAMELESS = {"index": 0, "function": {"arguments": ""}}
NO_CALL = {"none": [], "without a name": [NAMELESS], "with an id alone": [{**NAMELESS, "id": "call_1"}]}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("calls", NO_CALL)
def test_a_stream_without_a_call_ends_plainly(calls: str, client: str) -> None:
    source = stream(*NO_CALL[calls])
    output = translate_stream(source, client)
    assert musts(source, output, client) == []
    assert translate_stream(stream(finish="stop"), client) == output


@pytest.mark.parametrize("client", CLIENTS)
def test_a_cut_in_its_place_is_reported(client: str) -> None:
    source = stream()
    cut = translate_stream(stream(finish="length"), client)
    assert "translation/finish-reason" in musts(source, cut, client)


def test_an_error_in_its_place_is_no_fault() -> None:
    corpus = load_corpus()
    reply = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hm."}, "finish_reason": "tool_calls"}]
    }
    assert Judge(corpus).may_fail("openai_chat", reply)
    calls = copy.deepcopy(reply)
    calls["choices"][0]["message"]["tool_calls"] = [{key: CALL[key] for key in ("id", "type", "function")}]  # type: ignore[index]
    assert not Judge(corpus).may_fail("openai_chat", calls)


@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_a_whole_reply_of_anthropic_without_a_call_ends_plainly(client: str) -> None:
    source = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Now I edit."}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    way = open_way(client, "anthropic")
    output = way.response(source)
    findings = judge(source, output, client=client, upstream="anthropic", direction="response").findings
    assert [finding for finding in findings if finding.is_must] == []
    assert output == open_way(client, "anthropic").response({**source, "stop_reason": "end_turn"})


@pytest.mark.parametrize("client", CLIENTS)
def test_a_call_next_to_one_without_a_name_is_demanded(client: str) -> None:
    source = stream(CALL, {**NAMELESS, "index": 1, "id": "call_2"})
    assert musts(source, translate_stream(source, client), client) == []
    assert "translation/call-lost" in musts(source, translate_stream(stream(finish="stop"), client), client)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_fragment_at_a_new_index_goes_on_with_the_last_call(client: str) -> None:
    first_fragment = {**CALL, "function": {"name": "f", "arguments": '{"a":'}}
    source = stream(first_fragment, {"index": 1, "function": {"arguments": "1}"}})
    output = translate_stream(source, client)
    lost = translate_stream(stream({**CALL, "function": {"name": "f", "arguments": "{}"}}), client)
    assert "translation/arguments" in musts(source, lost, client)
    assert musts(source, output, client) == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_name_that_comes_late_names_the_call(client: str) -> None:
    source = stream(
        {"index": 0, "id": "call_1", "type": "function", "function": {"arguments": ""}},
        {"index": 0, "function": {"arguments": '{"a":'}},
        {"index": 0, "function": {"name": "f", "arguments": "1}"}},
    )
    output = translate_stream(source, client)
    assert musts(source, output, client) == []
    assert "translation/call-lost" in musts(source, translate_stream(stream(finish="stop"), client), client)


def test_a_client_of_chat_gets_no_new_index_without_a_name() -> None:
    first_fragment = {**CALL, "function": {"name": "f", "arguments": '{"a":'}}
    output = stream(first_fragment, {"index": 1, "function": {"arguments": "1}"}})
    source = stream({**CALL, "function": {"name": "f", "arguments": '{"a":1}'}})
    assert musts(source, output, "openai_chat") == ["openai_chat/stream-call-index"]
