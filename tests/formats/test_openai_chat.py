"""What is special about Chat Completions: its reader, and what its rules must leave alone."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import (
    Call,
    Media,
    Opaque,
    Reading,
    Reasoning,
    Text,
    Unknown,
    Unreadable,
    Value,
)
from toolcall_conformance.formats.openai_chat.readers import read_request, read_response
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = {"type": "function", "function": {"name": "read_file", "description": "Read.", "parameters": PARAMETERS}}


def call(call_id: Any = "call_1", arguments: Any = '{"path": "a"}', **more: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "read_file", "arguments": arguments}, **more}


def assistant(*calls: dict[str, Any], content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def result(call_id: Any = "call_1", content: Any = "text", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def user(content: Any = "Read a and b.") -> dict[str, Any]:
    return {"role": "user", "content": content}


def request(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1-2025-04-14", "messages": list(messages), "tools": [TOOL], **more}


def reply(message: dict[str, Any], finish: Any = "tool_calls", **more: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-C1",
        "object": "chat.completion",
        "created": 1763719200,
        "model": "gpt-4.1-2025-04-14",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        **more,
    }


def answered_calls(reading: Reading) -> list[int | None]:
    return [tool_result.call for tool_result in reading.results]


def broken_rules(corpus: Corpus, direction: str, body: Any, model: str | None = None) -> set[str]:
    findings = check_body(corpus, "openai_chat", direction, body, model=model)
    for finding in findings:
        resolve(body, finding.pointer)
    return {finding.rule.removeprefix("openai_chat/") for finding in findings}


class TestConversation:
    def test_a_whole_history(self) -> None:
        reading = read_request(
            request(
                {"role": "system", "content": "Be brief."},
                {"role": "developer", "content": [{"type": "text", "text": "Use tools."}]},
                user(),
                assistant(call("call_1"), call("call_2", '{"path": "b"}'), content="Reading both."),
                result("call_2", "B"),
                result("call_1", [{"type": "text", "text": "A1"}, {"type": "text", "text": "A2"}]),
                user("And now?"),
            )
        )
        assert [text.text for text in reading.system] == ["Be brief.", "Use tools."]
        assert [text.pointer for text in reading.system] == ["/messages/0/content", "/messages/1/content/0/text"]
        assert [turn.side for turn in reading.turns] == ["user", "assistant", "user"]
        text, first, second = reading.turns[1].items
        assert text == Text("Reading both.", "/messages/3/content")
        assert isinstance(first, Call)
        assert isinstance(second, Call)
        assert (first.ordinal, first.batch, first.name, first.arguments) == (0, 0, "read_file", {"path": "a"})
        assert second.id_pointer == "/messages/3/tool_calls/1/id"
        assert second.arguments_pointer == "/messages/3/tool_calls/1/function/arguments"
        assert answered_calls(reading) == [1, 0]
        assert reading.results[1].parts == (
            Text("A1", "/messages/5/content/0/text"),
            Text("A2", "/messages/5/content/1/text"),
        )
        assert len({tool_result.group for tool_result in reading.results}) == 1
        assert reading.turns[2].items[-1] == Text("And now?", "/messages/6/content")
        assert reading.residue == []

    @pytest.mark.parametrize("content", [None, "", " \n", []])
    def test_blank_content_next_to_calls_is_nothing(self, content: Any) -> None:
        reading = read_request(request(user(), assistant(call(), content=content), result()))
        assert [type(item) for item in reading.turns[1].items] == [Call]

    def test_content_may_be_absent(self) -> None:
        reading = read_request(request(user(), {"role": "assistant", "tool_calls": [call()]}, result()))
        assert answered_calls(reading) == [0]

    def test_system_text_in_the_middle_is_a_turn(self) -> None:
        reading = read_request(request(user(), {"role": "system", "content": "From now on, in German."}, user("Go.")))
        assert [turn.side for turn in reading.turns] == ["user", "system", "user"]
        assert reading.system == []

    def test_a_message_of_an_unknown_role_is_unknown(self) -> None:
        reading = read_request(request({"role": "model", "parts": [{"text": "Hi"}]}))
        assert reading.turns[0].items == [Unknown("model", "/messages/0")]

    def test_unknown_keys_are_residue(self) -> None:
        reading = read_request(request({**user(), "cache_control": {"type": "ephemeral"}}, top_k=5))
        assert {entry.pointer for entry in reading.residue} == {"/top_k", "/messages/0/cache_control"}


class TestPairing:
    def test_an_id_may_come_again_in_a_later_turn(self) -> None:
        turn = [assistant(call("call_0")), result("call_0")]
        reading = read_request(request(user(), *turn, user(), *turn))
        assert [tool_call.batch for tool_call in reading.calls] == [0, 1]
        assert answered_calls(reading) == [0, 1]

    def test_empty_ids_pair_in_order(self) -> None:
        reading = read_request(request(user(), assistant(call(""), call("")), result("", "A"), result("", "B")))
        assert answered_calls(reading) == [0, 1]

    def test_absent_ids_pair_by_name(self) -> None:
        first, second = call(), call()
        second["function"] = {"name": "write_file", "arguments": "{}"}
        for each in (first, second):
            del each["id"]
        answers = [{"role": "tool", "name": name, "content": "ok"} for name in ("write_file", "read_file")]
        reading = read_request(request(user(), assistant(first, second), *answers))
        assert [tool_call.id for tool_call in reading.calls] == [None, None]
        assert [tool_call.id_pointer for tool_call in reading.calls] == [None, None]
        assert answered_calls(reading) == [1, 0]

    def test_a_second_answer_pairs_with_the_same_call(self) -> None:
        assert answered_calls(read_request(request(user(), assistant(call()), result(), result()))) == [0, 0]

    def test_an_orphan_pairs_with_nothing(self) -> None:
        assert answered_calls(read_request(request(user(), assistant(call()), result(), result("call_9")))) == [0, None]

    def test_a_late_answer_finds_its_earlier_batch(self) -> None:
        reading = read_request(request(user(), assistant(call("a")), assistant(call("b")), result("a"), result("b")))
        assert answered_calls(reading) == [0, 1]

    def test_legacy_functions_pair_by_name(self) -> None:
        reading = read_request(
            {
                "model": "gpt-3.5-turbo",
                "functions": [{"name": "read_file", "parameters": PARAMETERS}],
                "function_call": {"name": "read_file"},
                "messages": [
                    user(),
                    {"role": "assistant", "content": None, "function_call": {"name": "read_file", "arguments": "{}"}},
                    {"role": "function", "name": "read_file", "content": "text"},
                ],
            }
        )
        assert reading.calls[0].pointer == "/messages/1/function_call"
        assert reading.calls[0].id is None
        assert answered_calls(reading) == [0]
        assert reading.tools[0].name_pointer == "/functions/0/name"
        assert reading.settings["tool_choice"].value == {"mode": "required", "names": ["read_file"]}
        assert reading.residue == []


class TestCalls:
    @pytest.mark.parametrize(
        ("raw", "read"),
        [
            ('{"n": 9223372036854775807}', {"n": 9223372036854775807}),
            ("", {}),
            (" \n", {}),
            (None, {}),
            ({"path": "a"}, {"path": "a"}),
            ('"{}"', "{}"),
            ("[1]", [1]),
            ('{"path": ', Unreadable('{"path": ')),
            ('{"a": 1, "a": 2}', {"a": 2}),
            ('{"n": NaN}', Unreadable('{"n": NaN}')),
        ],
    )
    def test_arguments(self, raw: Any, read: Any) -> None:
        assert read_request(request(assistant(call(arguments=raw)))).calls[0].arguments == read

    def test_arguments_may_be_missing(self) -> None:
        tool_call = read_response(reply(assistant({"id": "call_1", "function": {"name": "read_file"}}))).calls[0]
        assert tool_call.arguments == {}
        assert tool_call.arguments_pointer is None

    def test_a_custom_call_has_text(self) -> None:
        custom = {"id": "call_1", "type": "custom", "custom": {"name": "apply_patch", "input": "{}"}}
        tool_call = read_response(reply(assistant(custom))).calls[0]
        assert (tool_call.kind, tool_call.arguments) == ("custom", "{}")
        assert tool_call.arguments_pointer == "/choices/0/message/tool_calls/0/custom/input"

    def test_what_vendors_always_send_is_no_call(self) -> None:
        empty = {"name": "", "arguments": ""}
        message = assistant(call(custom={"name": "", "input": ""}, index=0), function_call=empty)
        assert [tool_call.kind for tool_call in read_response(reply(message)).calls] == ["function"]

    def test_a_call_of_neither_kind_is_unknown(self) -> None:
        reading = read_request(request(assistant({"id": "call_1", "type": "mcp"})))
        assert reading.turns[0].items == [Unknown("mcp", "/messages/0/tool_calls/0")]


class TestContent:
    def test_media(self) -> None:
        reading = read_request(
            request(
                user(
                    [
                        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw==", "detail": "low"}},
                        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
                        {"type": "input_audio", "input_audio": {"data": "SUQz", "format": "mp3"}},
                        {
                            "type": "file",
                            "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
                        },
                        {"type": "file", "file": {"file_id": "file-1"}},
                    ]
                )
            )
        )
        place = "/messages/0/content"
        assert reading.turns[0].items == [
            Media("image", "image/png", f"{place}/0", data="iVBORw=="),
            Media("image", None, f"{place}/1", url="https://example.org/a.png"),
            Media("audio", "audio/mpeg", f"{place}/2", data="SUQz"),
            Media("document", "application/pdf", f"{place}/3", data="JVBE"),
            Media("file", None, f"{place}/4", file_id="file-1"),
        ]
        assert reading.residue == []

    def test_media_after_results_belong_to_the_user_turn(self) -> None:
        image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
        reading = read_request(request(user(), assistant(call()), result(), user([image])))
        assert [type(item).__name__ for item in reading.turns[2].items] == ["Result", "Media"]

    def test_a_result_that_is_no_text_is_a_value(self) -> None:
        reading = read_request(request(assistant(call()), result(content={"branch": "main"})))
        assert reading.results[0].parts == (Value({"branch": "main"}, "/messages/1/content"),)

    @pytest.mark.parametrize("content", ["", None, []])
    def test_an_empty_result_is_still_a_result(self, content: Any) -> None:
        tool_result = read_request(request(assistant(call()), result(content=content))).results[0]
        assert (tool_result.parts, tool_result.content_pointer, tool_result.error) == ((), "/messages/1/content", None)

    def test_reasoning_of_vendors(self) -> None:
        message = assistant(
            call(extra_content={"google": {"thought_signature": "c2ln"}}),
            reasoning="I should read.",
            reasoning_content="I should read.",
            reasoning_details=[
                {
                    "type": "reasoning.text",
                    "text": "I should read.",
                    "signature": "EqQ",
                    "format": "anthropic-claude-v1",
                },
                {
                    "type": "reasoning.encrypted",
                    "data": "gAAA",
                    "format": "openai-responses-v1",
                    "id": "rs_1",
                    "index": 1,
                },
            ],
        )
        reading = read_response(reply(message))
        items = reading.turns[0].items
        assert [item.pointer for item in items if isinstance(item, Reasoning)] == [
            "/choices/0/message/reasoning_content"
        ]
        assert [(item.origin, item.value, item.call) for item in items if isinstance(item, Opaque)] == [
            ("anthropic", "EqQ", None),
            ("openai_responses", "gAAA", None),
            ("gemini", "c2ln", 0),
        ]
        assert reading.residue == []


class TestSettings:
    def test_neutral_names(self) -> None:
        reading = read_request(
            request(
                user(),
                max_tokens=100,
                max_completion_tokens=200,
                stop="END",
                parallel_tool_calls=False,
                user="u1",
                temperature=0.2,
                seed=None,
                reasoning_effort="low",
                stream=True,
                stream_options={"include_usage": True},
                response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {}, "strict": True}},
            )
        )
        values = {name: setting.value for name, setting in reading.settings.items()}
        assert values == {
            "model": "gpt-4.1-2025-04-14",
            "stream": True,
            "stream_counts": True,
            "max_output_tokens": 200,
            "temperature": 0.2,
            "stop": ["END"],
            "parallel_calls": False,
            "user_id": "u1",
            "reasoning": {"effort": "low"},
            "private:reasoning_effort": "low",
            "response_format": {"type": "json_schema", "schema": {}, "name": "n", "strict": True},
        }
        assert reading.settings["max_output_tokens"].pointer == "/max_completion_tokens"
        assert reading.residue == []

    @pytest.mark.parametrize(
        ("choice", "read"),
        [
            ("auto", {"mode": "auto"}),
            ("required", {"mode": "required"}),
            ({"type": "function", "function": {"name": "f"}}, {"mode": "required", "names": ["f"]}),
            ({"type": "function", "name": "f"}, {"mode": "required", "names": ["f"]}),
            ({"type": "custom", "custom": {"name": "f"}}, {"mode": "required", "names": ["f"]}),
            (
                {
                    "type": "allowed_tools",
                    "allowed_tools": {
                        "mode": "auto",
                        "tools": [
                            {"type": "function", "function": {"name": "f"}},
                            {"type": "custom", "custom": {"name": "g"}},
                        ],
                    },
                },
                {"mode": "auto", "names": ["f", "g"]},
            ),
        ],
    )
    def test_tool_choice(self, choice: Any, read: Any) -> None:
        assert read_request(request(user(), tool_choice=choice)).settings["tool_choice"].value == read

    def test_tools(self) -> None:
        custom = {"type": "custom", "custom": {"name": "apply_patch", "description": "Patch."}}
        strict = {"type": "function", "function": {"name": "now", "strict": True}}
        first, second, third, fourth = read_request(request(tools=[TOOL, strict, custom, {"type": "web_search"}])).tools
        assert (first.name, first.schema, first.strict) == ("read_file", PARAMETERS, None)
        assert first.schema_pointer == "/tools/0/function/parameters"
        assert (second.schema, second.schema_pointer, second.strict) == (None, None, True)
        assert (third.kind, third.description_pointer) == ("custom", "/tools/2/custom/description")
        assert (fourth.kind, fourth.name, fourth.name_pointer) == ("hosted", "web_search", None)


class TestFinish:
    @pytest.mark.parametrize(
        ("message", "raw", "reason"),
        [
            (assistant(call()), "tool_calls", "tools"),
            (assistant(call()), "stop", "tools"),
            (assistant(call()), "length", "length"),
            ({"role": "assistant", "content": "Done."}, "stop", "end"),
            ({"role": "assistant", "content": "Do"}, "length", "length"),
            ({"role": "assistant", "content": None}, "content_filter", "filter"),
            ({"role": "assistant", "content": None, "refusal": "I can't."}, "stop", "refusal"),
            ({"role": "assistant", "content": "Done."}, "", "end"),
            ({"role": "assistant", "content": "Done."}, None, "other"),
        ],
    )
    def test_reasons(self, message: dict[str, Any], raw: Any, reason: str) -> None:
        finish = read_response(reply(message, raw)).finish
        assert finish is not None
        assert (finish.reason, finish.raw, finish.pointer) == (reason, raw, "/choices/0/finish_reason")

    def test_usage(self) -> None:
        usage = {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 8, "audio_tokens": None},
        }
        reading = read_response(reply(assistant(call()), usage=usage))
        assert reading.usage == {"input": 100, "output": 20, "total": 120, "cached": 64, "reasoning": 8}


class TestHarmless:
    """Bodies that recorded traffic or the documentation shows to be right: no rule may speak up."""

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(request(user(), assistant(call(), content=""), result()), id="empty content beside calls"),
            pytest.param(
                request(user(), {"role": "assistant", "tool_calls": [call()]}, result()), id="no content beside calls"
            ),
            pytest.param(request(user(), assistant(call()), result(content="")), id="empty result"),
            pytest.param(request(user(), assistant(call()), result(name="read_file")), id="name on a result"),
            pytest.param(
                request(user(), assistant(call("a"), call("b")), result("b"), result("a")),
                id="results in another order",
            ),
            pytest.param(
                request(user(), assistant(call("x")), result("x"), assistant(call("x")), result("x")),
                id="an id comes again in the next turn",
            ),
            pytest.param(
                request(user(), assistant(call(index=0), annotations=[], refusal=None), result()),
                id="a reply's message sent back as it came",
            ),
            pytest.param(request(user(), tool_choice=None, stream_options=None), id="null settings"),
            pytest.param(request(user(), {"role": "assistant", "content": "So far:"}), id="an assistant message last"),
            pytest.param(request(user(), stop=[]), id="no stop sequence"),
            pytest.param(
                request(user(), tools=[{"type": "function", "function": {"name": "now"}}]), id="no parameters at all"
            ),
            pytest.param(
                request(
                    user(),
                    tools=[
                        {
                            "type": "function",
                            "function": {
                                "name": "f",
                                "strict": False,
                                "parameters": {
                                    "$schema": "http://json-schema.org/draft-07/schema#",
                                    "type": "object",
                                    "properties": {
                                        "type": {"type": ["string", "null"]},
                                        "required": {"$ref": "#/$defs/R"},
                                        "any": True,
                                        "deep": {"type": "object"},
                                    },
                                    "$defs": {"R": {"anyOf": [{"type": "array", "items": {}}, {"const": 1}]}},
                                },
                            },
                        }
                    ],
                ),
                id="an ordinary schema",
            ),
            pytest.param(
                {"model": "o4-mini", "messages": [user()], "max_completion_tokens": 5},
                id="a limit for a reasoning model",
            ),
        ],
    )
    def test_request(self, body: Any, corpus: Corpus) -> None:
        assert broken_rules(corpus, "request", body) == set()

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(reply({"role": "assistant", "content": ""}, "stop"), id="an empty answer"),
            pytest.param(reply({"role": "assistant", "tool_calls": [call(index=0)]}), id="no content, but an index"),
            pytest.param(reply(assistant(call(arguments='{\n  "path": "a"\n}'))), id="indented arguments"),
            pytest.param(reply(assistant(call(arguments='{"path": "a')), "length"), id="the last call cut"),
            pytest.param(
                reply(
                    {"role": "assistant", "content": "Hm.", "reasoning_content": "…", "tool_calls": None},
                    "stop",
                    x_groq={"id": "req_1"},
                    usage=None,
                ),
                id="keys of vendors",
            ),
            pytest.param(reply(assistant(call("toolu_bdrk_01")), service_tier="default"), id="another provider's id"),
        ],
    )
    def test_reply(self, body: Any, corpus: Corpus) -> None:
        assert broken_rules(corpus, "response", body) == set()

    def test_stop_with_calls_is_only_noted(self, corpus: Corpus) -> None:
        findings = check_body(corpus, "openai_chat", "response", reply(assistant(call()), "stop"))
        assert [(finding.rule, finding.level) for finding in findings] == [
            ("openai_chat/finish-tool-calls", Level.NOTE)
        ]


class TestFaults:
    """Each fault is reported once, by the right rule, at the right place."""

    @pytest.mark.parametrize(
        ("messages", "rules"),
        [
            ([assistant(call())], {"calls-answered"}),
            ([assistant(call("a"), call("b")), result("a")], {"calls-answered"}),
            ([assistant(call("a"), call("b")), result("a"), user(), result("b")], {"results-follow-calls"}),
            ([assistant(call("a")), assistant(call("b")), result("a"), result("b")], {"results-follow-calls"}),
            ([assistant(call("a")), result("a"), result("b")], {"result-answers-call"}),
            ([result("a")], {"result-answers-call"}),
            ([assistant(call("a")), result("a"), user(), result("a")], {"result-once"}),
            ([assistant(call("a")), result("b")], {"result-answers-call"}),
            ([assistant(call("a"), call("c")), result("b")], {"result-answers-call", "calls-answered"}),
            ([assistant(call("a")), {"role": "tool", "content": "x"}], {"result-call-id"}),
            ([assistant(call("a")), result("a", status="error")], {"result-error-mark"}),
            ([assistant({"id": "a", "type": "tool_use", "name": "f", "input": {}}), result("a")], None),
        ],
    )
    def test_history(self, messages: list[Any], rules: set[str] | None, corpus: Corpus) -> None:
        slugs = broken_rules(corpus, "request", request(user(), *messages))
        if rules is None:
            assert slugs >= {"call-type", "foreign-key"}
        else:
            assert slugs == rules

    def test_a_blank_string_of_arguments(self, corpus: Corpus) -> None:
        assert broken_rules(corpus, "response", reply(assistant(call(arguments="")))) == {"call-arguments-json"}

    def test_a_flat_tool_is_one_fault(self, corpus: Corpus) -> None:
        flat = {"type": "function", "name": "read_file", "parameters": PARAMETERS, "strict": False}
        assert broken_rules(corpus, "request", request(user(), tools=[flat])) == {"tool-nested"}

    def test_strict_is_looked_for_at_every_depth(self, corpus: Corpus) -> None:
        inner = {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False}
        parameters = {
            "type": "object",
            "properties": {"list": {"type": "array", "items": inner}},
            "required": ["list"],
            "additionalProperties": False,
        }
        tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": parameters}}
        (finding,) = check_body(corpus, "openai_chat", "request", request(user(), tools=[tool]))
        assert finding.rule == "openai_chat/strict-schema"
        assert finding.pointer == "/tools/0/function/parameters/properties/list/items"
