"""What rules that no schema can say want: the form of what is missing, and in place of a duplicate another text."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Form, Words
from toolcall_conformance.formats.expected_values import OBJECT, OBJECT_TEXT, TEXT, object_of_type
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus


def wants(corpus: Corpus, rule: str, direction: str, body: dict[str, Any]) -> list[Any]:
    """What the findings of one rule want."""
    findings = check_body(corpus, rule.partition("/")[0], direction, body, model=body.get("model"))
    return [finding.want for finding in findings if finding.rule == rule]


def texts_except(*texts: str) -> Form:
    return Form({"type": "string", "not": {"enum": list(texts)}})


def chat_turn(*ids: str) -> list[dict[str, Any]]:
    calls = [{"id": call_id, "type": "function", "function": {"name": "look", "arguments": "{}"}} for call_id in ids]
    answers = [{"role": "tool", "tool_call_id": call_id, "content": "yes"} for call_id in ids]
    return [{"role": "assistant", "tool_calls": calls}, *answers]


def test_a_call_needs_an_id_that_no_neighbour_has(corpus: Corpus) -> None:
    """In Chat and Responses ids of another turn may come again, so that they are no reason to refuse one."""
    body = {"model": "m", "messages": [*chat_turn("early"), *chat_turn("b", "a", "a")]}
    assert wants(corpus, "openai_chat/call-ids-unique", "request", body) == [texts_except("a", "b")]


def test_a_name_may_be_in_another_namespace(corpus: Corpus) -> None:
    tools = {
        space: [{"type": "function", "name": name} for name in names]
        for space, names in (("x", ["look", "find", "look"]), ("y", ["read"]))
    }
    spaces = [{"type": "namespace", "name": space, "description": "", "tools": tools[space]} for space in tools]
    body = {"model": "m", "input": "Hi", "tools": spaces}
    assert wants(corpus, "openai_responses/tool-name-unique", "request", body) == [texts_except("look", "find")]


def tool(schema: dict[str, Any]) -> dict[str, Any]:
    tools = [{"name": "look", "input_schema": {"type": "object", **schema}}]
    messages = [{"role": "user", "content": "Hi"}]
    return {"model": "claude-sonnet-4-5", "max_tokens": 2000, "messages": messages, "tools": tools}


@pytest.mark.parametrize(
    ("keys", "want"),
    [
        ({"$defs": {"a/b": {}, "c": {}}}, Form({"enum": ["#/$defs/a~1b", "#/$defs/c"]})),
        ({}, Form({"type": "string", "not": {"const": "#/$defs/d"}})),
    ],
)
def test_a_reference_leads_to_a_definition(corpus: Corpus, keys: dict[str, Any], want: Form) -> None:
    body = tool({"properties": {"a": {"$ref": "#/$defs/d"}}, **keys})
    assert wants(corpus, "anthropic/tool-schema-refs", "request", body) == [want]


@pytest.mark.parametrize(
    ("keys", "want"),
    [
        ({"minProperties": -1}, {"type": "integer", "minimum": 0}),
        ({"minProperties": "1"}, {"type": "integer"}),
        ({"properties": {"a": 5}}, {"type": ["object", "boolean"]}),
        ({"required": ["a", "a"]}, {"type": "array", "uniqueItems": True}),
    ],
)
def test_a_keyword_of_a_schema(corpus: Corpus, keys: dict[str, Any], want: dict[str, Any]) -> None:
    assert wants(corpus, "anthropic/tool-schema-valid", "request", tool(keys)) == [Form(want)]


def test_a_budget_below_the_limit(corpus: Corpus) -> None:
    body = tool({}) | {"thinking": {"type": "enabled", "budget_tokens": 4000}}
    assert wants(corpus, "anthropic/thinking-budget-fits", "request", body) == [
        Form({"type": "integer", "maximum": 1999})
    ]


@pytest.mark.parametrize(
    ("rule", "event", "want"),
    [
        ("anthropic/stream-data", {"event": "message_stop", "data": "{"}, object_of_type("message_stop")),
        ("anthropic/stream-data", {"data": "{"}, OBJECT),
        ("gemini/stream-data", {"data": "{"}, OBJECT),
        ("openai_chat/stream-data", {"data": "{"}, Form({"anyOf": [{"type": "object"}, {"const": "[DONE]"}]})),
        (
            "openai_responses/stream-data",
            {"event": "response.created", "data": "{"},
            object_of_type("response.created"),
        ),
        ("openai_responses/stream-data", {"data": "{"}, OBJECT),
    ],
)
def test_the_data_of_an_event(corpus: Corpus, rule: str, event: dict[str, Any], want: Form) -> None:
    assert wants(corpus, rule, "stream", {"events": [event]}) == [want]


def chat_chunk(*calls: dict[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", "tool_calls": list(calls)}, "finish_reason": None}
    return {"data": {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}}


def test_a_call_that_begins_in_a_stream(corpus: Corpus) -> None:
    entry = {"index": 0, "type": "function", "function": {"arguments": '{"a'}}
    end = {"data": {**chat_chunk()["data"], "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}}
    body = {"events": [chat_chunk(entry), end, {"data": "[DONE]"}]}
    slugs = ("stream-call-id", "stream-call-name", "stream-arguments-json")
    rule_wants = [wants(corpus, f"openai_chat/{slug}", "stream", body) for slug in slugs]
    assert rule_wants == [[TEXT], [TEXT], [OBJECT_TEXT]]


def test_an_item_that_is_done_too_early(corpus: Corpus) -> None:
    """Its text may be a text or a refusal, and the event says which."""
    item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
    part = {"type": "output_text", "text": "", "annotations": []}
    at = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    kinds: list[dict[str, Any]] = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.content_part.added", **at, "part": part},
        {"type": "response.output_text.delta", **at, "delta": "Hi"},
        {"type": "response.output_item.done", "output_index": 0, "item": {**item, "content": [{**part, "text": "Hi"}]}},
    ]
    events = [{"event": data["type"], "data": {**data, "sequence_number": n}} for n, data in enumerate(kinds)]
    assert wants(corpus, "openai_responses/stream-done-events", "stream", {"events": events}) == [
        Words("response.output_text.done or response.refusal.done")
    ]
