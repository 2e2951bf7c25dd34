"""Calls, names and tools: small pairs where a naive comparison goes wrong, in one direction or the other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Level

Call = tuple[str, str, dict[str, Any]]


def chat(calls: list[Call], results: Sequence[tuple[str, str]] = (), tools: list[dict[str, Any]] | None = None) -> Any:
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for ident, name, arguments in calls
        ],
    }
    answers = [{"role": "tool", "tool_call_id": ident, "content": text} for ident, text in results]
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}
    if calls:
        body["messages"] += [message, *answers]
    if tools:
        body["tools"] = [{"type": "function", "function": tool} for tool in tools]
    return body


def responses(
    calls: list[Call],
    results: Sequence[tuple[str, str]] = (),
    tools: list[dict[str, Any]] | None = None,
) -> Any:
    items: list[Any] = [{"role": "user", "content": "Go."}]
    items += [
        {"type": "function_call", "call_id": ident, "name": name, "arguments": json.dumps(arguments)}
        for ident, name, arguments in calls
    ]
    items += [{"type": "function_call_output", "call_id": ident, "output": text} for ident, text in results]
    body: dict[str, Any] = {"model": "m", "input": items}
    if tools:
        body["tools"] = [{"type": "function", **tool} for tool in tools]
    return body


def levels_by_rule(source: Any, output: Any) -> dict[str, Level]:
    return {
        finding.rule: finding.level
        for finding in judge(source, output, client="openai_chat", upstream="openai_responses").findings
        if finding.rule.startswith("translation/")
    }


X: dict[str, Any] = {"path": "x"}
Y: dict[str, Any] = {"path": "y"}
Z: dict[str, Any] = {"path": "z"}
ASKED = [("call_1", "read", X), ("call_2", "read", Y), ("call_3", "read", Z)]
TOLD = [("call_1", "in x"), ("call_2", "in y"), ("call_3", "in z")]


def test_equal_calls_in_another_order_are_a_warning() -> None:
    assert levels_by_rule(chat(ASKED, TOLD), responses(ASKED[::-1], TOLD)) == {"translation/call-order": Level.SHOULD}


def test_arguments_exchanged_between_ids_are_changed_arguments() -> None:
    exchanged = [("call_1", "read", Y), ("call_2", "read", X), ("call_3", "read", Z)]
    assert levels_by_rule(chat(ASKED, TOLD), responses(exchanged, TOLD)).get("translation/arguments") is Level.MUST


def test_numbering_again_with_ids_that_the_source_has_is_no_damage() -> None:
    source = chat([("call_2", "read", X), ("call_1", "read", Y)], [("call_2", "in x"), ("call_1", "in y")])
    output = responses([("call_1", "read", X), ("call_2", "read", Y)], [("call_1", "in x"), ("call_2", "in y")])
    assert levels_by_rule(source, output) == {"translation/ids-kept": Level.SHOULD}


def test_ids_in_place_do_not_speak_for_those_that_changed_places() -> None:
    """Upper and lower case exchanged: two ids become each other, two others cannot change."""
    calls = [("aB", "read", X), ("Ab", "read", Y), ("0", "read", Z), ("1", "read", {"path": "w"})]
    turned = [(ident.swapcase(), name, arguments) for ident, name, arguments in calls]
    results = [(ident, f"of {arguments['path']}") for ident, _, arguments in calls]
    output = responses(turned, [(ident.swapcase(), text) for ident, text in results])
    assert levels_by_rule(chat(calls, results), output) == {"translation/ids-kept": Level.SHOULD}


def test_one_of_equal_calls_lost_is_a_lost_call() -> None:
    poll = [(f"call_{number}", "read", X) for number in range(3)]
    results = [(f"call_{number}", f"state {number}") for number in range(3)]
    rules = levels_by_rule(chat(poll, results), responses([poll[0], poll[2]], [results[0], results[2]]))
    assert rules == {"translation/call-lost": Level.MUST}


@pytest.mark.parametrize("tool_name", ["read", "read_files_of_the_project"])
def test_a_lost_tool_is_lost_whatever_else_is_there(tool_name: str) -> None:
    tools = [{"name": "read", "description": "Read."}, {"name": "write", "description": "Write."}]
    rules = levels_by_rule(
        chat([], tools=tools), responses([], tools=[{"name": tool_name, "description": "Other.", "strict": False}])
    )
    assert rules.get("translation/tool-lost") is Level.MUST


def gemini_request(name: str, description: str | None) -> Any:
    tool = {"name": name, "parametersJsonSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    if description:
        tool["description"] = description
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": [{"functionCall": {"name": name, "args": X}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": "in x"}}}]},
        ],
        "tools": [{"functionDeclarations": [tool]}],
        "generationConfig": {"maxOutputTokens": 100},
    }


def anthropic_request(name: str, description: str | None) -> Any:
    tool = {"name": name, "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}
    if description:
        tool["description"] = description
    return {
        "model": "m",
        "max_tokens": 100,
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": name, "input": X}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "in x"}]},
        ],
        "tools": [tool],
    }


@pytest.mark.parametrize("description", [None, "Read a file."])
@pytest.mark.parametrize("name", ["fs.read", "a" * 9 + ".long-name-that-is-cut"])
def test_a_name_that_cannot_stay_may_change(name: str, description: str | None) -> None:
    legal = name.replace(".", "_")[:20] + "_1f3a"
    findings = judge(
        gemini_request(name, description), anthropic_request(legal, description), client="gemini", upstream="anthropic"
    ).findings
    assert [finding for finding in findings if finding.level is Level.MUST] == []


@pytest.mark.parametrize(("back", "wrong"), [("fs.read", False), ("fs_read_1f3a", True)])
def test_a_changed_name_must_come_back(back: str, wrong: bool) -> None:
    reply = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "fs_read_1f3a", "input": X}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    output = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"functionCall": {"name": back, "args": X}}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "m",
    }
    findings = judge(
        reply,
        output,
        client="gemini",
        upstream="anthropic",
        direction="response",
        request=gemini_request("fs.read", None),
        upstream_request=anthropic_request("fs_read_1f3a", None),
    ).findings
    assert ("translation/call-name" in {finding.rule for finding in findings}) is wrong


def test_every_neutral_finish_reason_is_in_every_table() -> None:
    from toolcall_conformance.library import load_corpus

    corpus = load_corpus()
    reasons = ("tools", "end", "length", "filter", "refusal", "stop_sequence", "pause", "error", "other")
    for name in corpus.formats:
        for reason in reasons:
            assert corpus.expresses(name, f"finish-{reason}") in ("native", "convention", "no")


@pytest.mark.parametrize(("word", "accepted"), [("content_filter", True), ("stop", False), ("length", False)])
def test_a_refusal_may_be_the_filter(word: str, accepted: bool) -> None:
    """A classifier's intervention, which Anthropic calls a refusal, has no refusal message that Chat could hold."""
    text = {"type": "text", "text": "Hello.."}
    usage = {"input_tokens": 9, "output_tokens": 3}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m"}
    source = {**head, "content": [text], "stop_reason": "refusal", "stop_sequence": None, "usage": usage}
    choice = {"index": 0, "message": {"role": "assistant", "content": "Hello.."}, "finish_reason": word}
    count = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    output = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": count}
    findings = judge(source, output, client="openai_chat", upstream="anthropic", direction="response").findings
    assert ("translation/finish-reason" not in {finding.rule for finding in findings}) is accepted


@pytest.mark.parametrize(
    ("reason", "client_request", "level"),
    [
        ("tool_calls", {}, Level.SHOULD),
        ("tool_calls", None, Level.NOTE),
        ("tool_calls", {"tool_choice": {"type": "function", "function": {"name": "read"}}}, None),
        ("stop", {}, None),
    ],
    ids=["not forced", "request unknown", "forced", "as the vendor said"],
)
def test_stop_next_to_calls(reason: str, client_request: Any, level: Level | None) -> None:
    """Agents run the calls all the same; what a compatible server says itself may stay, whatever id the reply gets."""

    def reply(ident: str, word: str) -> Any:
        message = chat([("call_1", "read", {"a": 1})])["messages"][1]
        choice = {"index": 0, "message": message, "finish_reason": word, "logprobs": None}
        usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
        head = {"id": ident, "object": "chat.completion", "created": len(ident), "model": "m"}
        return {**head, "choices": [choice], "usage": usage}

    findings = judge(
        reply("c", reason),
        reply("other", "stop"),
        client="openai_chat",
        upstream="openai_chat",
        direction="response",
        request=client_request,
        vendor=True,
    ).findings
    assert [finding.level for finding in findings if finding.rule.startswith("translation/finish")] == (
        [level] if level else []
    )
    assert not any(finding.is_must for finding in findings)


@pytest.mark.parametrize("raw", ["{", '{"command": "git desc'])
def test_unreadable_arguments_are_kept_whole_or_reported(raw: str) -> None:
    source = chat([("call_1", "read", X)], [("call_1", "in x")])
    source["messages"][1]["tool_calls"][0]["function"]["arguments"] = raw
    original, replaced = anthropic_request("read", None), anthropic_request("read", None)
    for body, value in ((original, {"_raw_arguments": raw}), (replaced, {"a": "anything"})):
        body["messages"][1]["content"][0]["input"] = value
    rules = [
        {finding.rule for finding in judge(source, body, client="openai_chat", upstream="anthropic").findings}
        for body in (original, replaced)
    ]
    assert "translation/unreadable-arguments" not in rules[0]
    assert "translation/unreadable-arguments" in rules[1]


def test_what_the_source_breaks_excuses_only_as_much() -> None:
    source = anthropic_request("read", None)
    source["tools"].append({"name": "é bad", "input_schema": {"type": "object"}})
    output = chat([("toolu_1", "read", X)], [("toolu_1", "in x")])
    output["max_completion_tokens"] = 100
    output["tools"] = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
        for name in ("ü bad", "é bad")
    ]
    findings = judge(source, output, client="anthropic", upstream="openai_chat").findings
    assert any(finding.level is Level.MUST and finding.rule.startswith("openai_chat/") for finding in findings)
