"""Arguments that are no JSON object: what each target may hold for them, and what it may not."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from corpus_judge import judge, judge_history, judge_stream
from every import every
from reference.reference_bodies import FORMATS, ask, open_way
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import is_json
from toolcall_conformance.basics.streaming import dump, parse

TEXT, OBJECT = ("openai_chat", "openai_responses"), ("anthropic", "gemini")

NOTHING = ["[]", "null", '""', "", " "]
NO_JSON = ['{"a": "Tok', "nonsense", '{"n": NaN}']
NO_OBJECT = ["[1]", "5", '"text"', "true", '"{\\"a\\": 1}"', *NO_JSON, '{"n": 1e400}', f'{{"n": {"9" * 5000}}}']
TWICE = '{"a": 1, "a": 2}'
ALL = [*NOTHING, *NO_OBJECT, TWICE]

TOOL = {"name": "f", "description": "F.", "parameters": {"type": "object", "properties": {}}}


def history(name: str, arguments: str) -> dict[str, Any]:
    """A conversation in which a call has these arguments."""
    if name == "openai_chat":
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
        result = {"role": "tool", "tool_call_id": "c", "content": "ok"}
        turns = [{"role": "assistant", "content": None, "tool_calls": [call]}, result]
        messages = [{"role": "user", "content": "x"}, *turns]
        return {"model": "m", "messages": messages, "tools": [{"type": "function", "function": TOOL}]}
    items = [
        {"role": "user", "content": "x"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments},
        {"type": "function_call_output", "call_id": "c", "output": "ok"},
    ]
    return {"model": "m", "input": items, "tools": [{"type": "function", **TOOL, "strict": False}]}


def history_with_arguments(name: str, arguments: Any) -> dict[str, Any]:
    """That conversation in any format, the arguments of its call as given."""
    body = ask("openai_chat", name, history("openai_chat", "{}")) if name in OBJECT else history(name, arguments)
    if name == "anthropic":
        body["messages"][1]["content"][0]["input"] = arguments
    elif name == "gemini":
        body["contents"][1]["parts"][0]["functionCall"]["args"] = arguments
    return body


def levels_by_rule(source: str, arguments: str, target: str, became: Any) -> dict[str, Level]:
    body = history(source, arguments)
    findings = judge(body, history_with_arguments(target, became), client=source, upstream=target).findings
    return {finding.rule: finding.level for finding in findings if not finding.is_note}


@every("source, arguments", product(TEXT, ALL), id=lambda source, arguments: f"{source}-{arguments}")
def test_the_reference_obeys_the_law(source: str, arguments: str) -> None:
    for target in FORMATS:
        output = ask(source, target, history(source, arguments))
        findings = judge(history(source, arguments), output, client=source, upstream=target).findings
        assert [finding for finding in findings if not finding.is_note] == []


@every(
    "source, target, arguments",
    [(*ends, arguments) for ends in (TEXT, TEXT[::-1]) for arguments in ALL],
    id=lambda source, target, arguments: f"{source}-{target}-{arguments}",
)
def test_the_same_text_is_right(source: str, target: str, arguments: str) -> None:
    assert levels_by_rule(source, arguments, target, arguments) == {}


@pytest.mark.parametrize("arguments", NOTHING)
def test_nothing_may_be_an_empty_object(arguments: str) -> None:
    assert [levels_by_rule("openai_chat", arguments, target, {}) for target in OBJECT] == [{}, {}]
    assert levels_by_rule("openai_chat", arguments, "openai_responses", "{}") == {}


@pytest.mark.parametrize("arguments", NO_OBJECT)
def test_a_meaningful_text_may_be_inside_an_object(arguments: str) -> None:
    for target in OBJECT:
        assert levels_by_rule("openai_chat", arguments, target, {"raw": arguments}) == {}
        assert levels_by_rule("openai_chat", arguments, target, {}) == {
            "translation/unreadable-arguments": Level.SHOULD
        }


def test_json_may_be_inside_an_object_as_it_is() -> None:
    assert levels_by_rule("openai_chat", "[1, 2]", "anthropic", {"value": [1, 2]}) == {}
    assert levels_by_rule("openai_chat", "[1, 2]", "anthropic", {"value": "[1,2]"}) == {}
    assert levels_by_rule("openai_chat", "[1, 2]", "anthropic", {"value": [1]}) == {"translation/arguments": Level.MUST}
    assert levels_by_rule("openai_chat", '"{\\"a\\": 1}"', "anthropic", {"a": 1}) == {}


def test_of_a_key_that_occurs_twice_the_last_one_counts() -> None:
    assert levels_by_rule("openai_chat", TWICE, "anthropic", {"a": 2}) == {}
    assert levels_by_rule("openai_chat", TWICE, "anthropic", {"a": 1}) == {"translation/arguments": Level.MUST}
    own = judge(history("openai_chat", TWICE), {}, client="openai_chat", upstream="openai_chat").findings
    assert "openai_chat/call-arguments-json" not in {finding.rule for finding in own}


def reply(arguments: str) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1760000000, "model": "m"}
    return {**head, "choices": [choice], "usage": usage}


def stream_call(arguments: str) -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}}
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant", "content": None}, None),
        ({"tool_calls": [call]}, None),
        ({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}, None),
        ({}, "tool_calls"),
    ]
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}
        for delta, finish in deltas
    ]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


@every(
    "client, arguments",
    product([name for name in FORMATS if name != "openai_chat"], ALL),
    id=lambda client, arguments: f"{client}-{arguments}",
)
def test_replies_and_streams_obey_the_law_as_well(client: str, arguments: str) -> None:
    answer = open_way(client, "openai_chat").response(reply(arguments))
    findings = judge(reply(arguments), answer, client=client, upstream="openai_chat", direction="response").findings
    assert [finding for finding in findings if not finding.is_note] == []
    source = parse(stream_call(arguments))
    output = parse(b"".join(open_way(client, "openai_chat").stream([stream_call(arguments)])))
    findings = judge_stream(output, client=client, upstream="openai_chat", source=source).findings
    assert [finding for finding in findings if not finding.is_note] == []


@pytest.mark.parametrize("arguments", NO_JSON)
def test_a_stream_that_changes_odd_arguments_is_reported(arguments: str) -> None:
    source, output = parse(stream_call(arguments)), parse(stream_call('{"b": "T'))
    translation = parse(b"".join(open_way("openai_responses", "openai_chat").stream([dump(output["events"])])))
    findings = judge_stream(translation, client="openai_responses", upstream="openai_chat", source=source).findings
    assert "translation/unreadable-arguments" in {finding.rule for finding in findings}
    assert "openai_responses/stream-arguments-json" in {finding.rule for finding in findings if finding.is_must}


@pytest.mark.parametrize("arguments", ALL)
def test_the_loop_obeys_the_law_as_well(arguments: str) -> None:
    for upstream in TEXT:
        golden = history(upstream, arguments)
        for became in {arguments, *({"{}"} if arguments in NOTHING else ())}:
            findings = judge_history(golden, history(upstream, became), client="anthropic", upstream=upstream).findings
            assert [finding for finding in findings if not finding.is_note] == [], (upstream, became)


@pytest.mark.parametrize(("text", "json_text"), [("[" * 100_000, True), ("1e400", True), ("NaN", False), ("{", False)])
def test_what_nobody_can_hold_is_json_all_the_same(text: str, json_text: bool) -> None:
    assert is_json(text) is json_text
