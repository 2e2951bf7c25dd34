"""Values that a schema lists and a language cannot list; and numbers in another notation than the source's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import judge
from reference.reference_bodies import FORMATS, ask
from toolcall_conformance.basics.jsonvalue import equal, parse
from toolcall_conformance.judge.translation.schemas.schemas import accepted_notations, compare_schemas
from toolcall_conformance.library import Corpus

WIDENED, ENUM, TYPE = (f"translation/schema-{what}" for what in ("widened", "enum", "type"))
BOOLEAN = {"type": "boolean", "const": True}


def chat(schema: Any, **more: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"a": schema}}
    function = {"name": "f", "description": "F.", "parameters": parameters}
    messages = [{"role": "user", "content": "x"}]
    return {"model": "gpt-4.1", "messages": messages, "tools": [{"type": "function", "function": function}], **more}


def gemini(schema: Any, key: str = "parameters") -> dict[str, Any]:
    parameters = {"type": "OBJECT" if key == "parameters" else "object", "properties": {"a": schema}}
    function = {"name": "f", "description": "F.", key: parameters}
    contents = [{"role": "user", "parts": [{"text": "x"}]}]
    return {"contents": contents, "tools": [{"functionDeclarations": [function]}]}


def levels_by_rule(source: Any, output: Any, upstream: str = "gemini") -> dict[str, str]:
    findings = judge(source, output, client="openai_chat", upstream=upstream).findings
    return {finding.rule: str(finding.level) for finding in findings if not finding.is_note}


@pytest.mark.parametrize(
    ("schema", "became", "rules"),
    [
        (BOOLEAN, {"type": "BOOLEAN"}, {WIDENED: "SHOULD"}),
        ({"const": True}, {"type": "BOOLEAN"}, {WIDENED: "SHOULD"}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "INTEGER"}, {WIDENED: "SHOULD"}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "NUMBER"}, {WIDENED: "SHOULD", TYPE: "MUST"}),
        (
            {"type": ["boolean", "null"], "enum": [True, None]},
            {"type": "BOOLEAN", "nullable": True},
            {WIDENED: "SHOULD"},
        ),
        (BOOLEAN, {"type": "BOOLEAN", "enum": ["true"]}, {"gemini/schema-enum-type": "SHOULD"}),
        (BOOLEAN, {"type": "BOOLEAN", "enum": ["false"]}, {"gemini/schema-enum-type": "SHOULD", ENUM: "MUST"}),
        (BOOLEAN, {"type": "STRING", "enum": ["true"]}, {}),
        (BOOLEAN, {"type": "STRING"}, {ENUM: "MUST", TYPE: "MUST"}),
        ({"const": None}, {"type": "NULL"}, {}),
        ({"const": None}, {"type": "STRING", "nullable": True}, {ENUM: "MUST"}),
        ({"const": "x"}, {"type": "STRING"}, {ENUM: "MUST"}),
        ({"enum": ["x", 1]}, {"type": "STRING"}, {ENUM: "MUST"}),
        ({"const": 5}, {"type": "INTEGER", "minimum": 5, "maximum": 5}, {}),
        ({"const": 5}, {"type": "INTEGER", "minimum": 1, "maximum": 9}, {WIDENED: "SHOULD"}),
        ({"const": 5}, {"type": "INTEGER", "minimum": 6}, {WIDENED: "SHOULD", "translation/schema-narrowed": "MUST"}),
        ({"type": "boolean", "enum": [True, False]}, {"type": "BOOLEAN"}, {}),
    ],
)
def test_in_a_language_that_lists_texts(schema: Any, became: Any, rules: dict[str, str]) -> None:
    assert levels_by_rule(chat(schema), gemini(became)) == rules


def test_in_a_language_that_lists_any_value_it_is_a_fault() -> None:
    assert levels_by_rule(chat(BOOLEAN), gemini({"type": "boolean"}, "parametersJsonSchema")) == {ENUM: "MUST"}
    for upstream in ("anthropic", "openai_responses"):
        output = json.loads(json.dumps(ask("openai_chat", upstream, chat(BOOLEAN))).replace(', "const": true', ""))
        assert levels_by_rule(chat(BOOLEAN), output, upstream)[ENUM] == "MUST"


def test_of_an_answer_as_well() -> None:
    schema = {"type": "object", "properties": {"a": BOOLEAN}, "required": ["a"], "additionalProperties": False}
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
    source = chat({"type": "string"}, response_format=form)
    output = ask("openai_chat", "gemini", source)
    config = output["generationConfig"]
    config.pop("responseJsonSchema")
    config["responseSchema"] = {"type": "OBJECT", "properties": {"a": {"type": "BOOLEAN"}}, "required": ["a"]}
    assert levels_by_rule(source, output) == {}
    config["responseSchema"]["properties"]["a"] = {"type": "STRING"}
    assert levels_by_rule(source, output) == {"translation/response-format-changed": "SHOULD"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"type": "integer", "enum": [600]}', '{"type": "STRING", "enum": ["6E2"]}'),
        ('{"type": "integer", "enum": [6E2]}', '{"type": "STRING", "enum": ["600.0"]}'),
        ('{"type": "number", "enum": [0.5, 1]}', '{"type": "STRING", "enum": ["5e-1", "1.0"]}'),
        ('{"type": "array", "minItems": 600}', '{"type": "ARRAY", "minItems": "6E2"}'),
        ('{"type": "string", "maxLength": 6E2}', '{"type": "STRING", "maxLength": "600.0"}'),
        ('{"type": "number", "maximum": 1E30}', f'{{"type": "number", "maximum": 1{30 * "0"}}}'),
        ('{"type": "number", "default": 1E23}', f'{{"type": "number", "default": 1{23 * "0"}}}'),
        ('{"type": "number", "multipleOf": 1E-2}', '{"type": "number", "multipleOf": 0.01}'),
    ],
)
def test_a_number_in_another_notation_is_the_same(corpus: Corpus, before: str, after: str) -> None:
    for first, other in ((before, after), (before, before)):
        pair = {"properties": {"a": parse(first)}}, {"properties": {"a": parse(other)}}
        assert compare_schemas(corpus, *pair) == ()
        assert bool(accepted_notations(corpus, *pair, closing_allowed=False)) is (
            '"STRING"' in other or '"ARRAY"' in other
        )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"type": "integer", "enum": [600]}', '{"type": "STRING", "enum": ["6E3"]}'),
        ('{"type": "string", "enum": ["600"]}', '{"type": "STRING", "enum": ["6E2"]}'),
        ('{"type": "string", "enum": ["1.0", "1"]}', '{"type": "STRING", "enum": ["1", "1"]}'),
        ('{"type": "array", "minItems": 600}', '{"type": "ARRAY", "minItems": "6E3"}'),
        ('{"type": "array", "minItems": 600}', '{"type": "ARRAY", "minItems": "6E-1"}'),
        ('{"type": "number", "maximum": 1E16}', '{"type": "number", "maximum": 10000000000000001}'),
    ],
)
def test_another_number_is_another(corpus: Corpus, before: str, after: str) -> None:
    assert compare_schemas(corpus, {"properties": {"a": parse(before)}}, {"properties": {"a": parse(after)}})


def test_whole_numbers_are_compared_as_they_are_written() -> None:
    assert equal(parse("1E23"), 10**23)
    assert equal([parse("1.5E300")], [15 * 10**299])
    assert equal(parse("1E23"), int(1e23))  # what a double holds, written out
    assert not equal(parse("1E23"), 10**23 + 1)
    assert not equal(parse("9007199254740992.0"), 9007199254740993)


@pytest.mark.parametrize(("before", "after"), [("6E2", "600"), ("1E23", str(10**23)), ("-1.50E1", "-15")])
def test_arguments_may_be_written_so(before: str, after: str) -> None:
    def request_with_number(number: str) -> dict[str, Any]:
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": f'{{"a": [{number}]}}'}}
        turns = [{"role": "assistant", "content": None, "tool_calls": [call]}]
        result = {"role": "tool", "tool_call_id": "c", "content": "ok"}
        body = chat({"type": "array", "items": {"type": "number"}})
        return {**body, "messages": [*body["messages"], *turns, result]}

    for upstream in FORMATS:
        for first, other in ((before, after), (after, before)):
            output = ask("openai_chat", upstream, request_with_number(other))
            assert "MUST" not in levels_by_rule(request_with_number(first), output, upstream).values(), (
                upstream,
                first,
            )
            changed = ask("openai_chat", upstream, request_with_number("77"))
            assert levels_by_rule(request_with_number(first), changed, upstream)["translation/arguments"] == "MUST"


@pytest.mark.parametrize("written", ["6E2", "600.0", "600"])
def test_whole_numbers_of_protobuf_may_be_texts(written: str) -> None:
    source = chat({"type": "array", "items": {"type": "string"}, "minItems": 600}, max_completion_tokens=600)
    output = gemini({"type": "ARRAY", "items": {"type": "STRING"}, "minItems": written})
    output["generationConfig"] = {"maxOutputTokens": written}
    assert levels_by_rule(source, output) == {}
    output["generationConfig"] = {"maxOutputTokens": "6E-2"}
    assert "gemini/max-output-tokens" in levels_by_rule(source, output)
