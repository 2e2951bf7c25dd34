"""Gemini: what its reader makes of the format's freedoms, and what its rules must not mind."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Media, Opaque, Reasoning, Result, Text, Value
from toolcall_conformance.formats.gemini.readers import read_request, read_response
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

ASK = {"role": "user", "parts": [{"text": "Compare both files."}]}
READ_FILE = {
    "name": "read_file",
    "description": "Reads a file.",
    "parameters": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}, "required": ["path"]},
}


def call(path: str = "a.txt", name: str = "read_file", **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"path": path}, **more}}


def result(output: Any = "A", name: str = "read_file", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": output}, **more}}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def request(*contents: Any, **more: Any) -> dict[str, Any]:
    return {"contents": list(contents), "tools": [{"functionDeclarations": [READ_FILE]}], **more}


def reply(*parts: Any, finish: Any = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": model(*parts), "finishReason": finish, "index": 0}]}


def answered_calls(*contents: Any) -> list[int | None]:
    """The ordinals of the calls that the results answer, in the order of the results."""
    return [entry.call for entry in read_request(request(*contents)).results]


def rules(corpus: Corpus, body: Any, direction: str = "request", name: str = "gemini-2.5-flash") -> set[str]:
    """The rules above NOTE that a body breaks."""
    findings = check_body(corpus, "gemini", direction, body, model=name)
    return {finding.rule.removeprefix("gemini/") for finding in findings if finding.level is not Level.NOTE}


class TestPairing:
    def test_ids_pair_in_any_order(self) -> None:
        turn = model(call("a.txt", id="x1"), call("b.txt", id="x2"))
        assert answered_calls(ASK, turn, user(result(id="x2"), result(id="x1"))) == [1, 0]

    def test_the_same_id_in_a_later_turn_is_another_call(self) -> None:
        first, second = call("a.txt", id="call_0"), call("b.txt", id="call_0")
        assert answered_calls(
            ASK, model(first), user(result(id="call_0")), model(second), user(result(id="call_0"))
        ) == [
            0,
            1,
        ]

    def test_without_ids_calls_of_one_function_are_answered_in_order(self) -> None:
        assert answered_calls(ASK, model(call("a.txt"), call("b.txt")), user(result("A"), result("B"))) == [0, 1]

    def test_without_ids_names_come_before_positions(self) -> None:
        turn = model(call("a.txt", "read_file"), call("*", "list_files"))
        assert answered_calls(ASK, turn, user(result(name="list_files"), result(name="read_file"))) == [1, 0]

    def test_what_no_name_decides_goes_by_position(self) -> None:
        turn = model(call("a.txt"), call("b.txt"))
        assert answered_calls(ASK, turn, user(result(name="unknown"), result(name="other"))) == [0, 1]

    def test_a_result_with_an_id_can_answer_a_call_without_one(self) -> None:
        assert answered_calls(ASK, model(call()), user(result(id="made-up"))) == [0]

    def test_a_result_with_a_strange_id_answers_no_call_that_has_one(self) -> None:
        assert answered_calls(ASK, model(call(id="x1")), user(result(id="y1"))) == [None]

    def test_an_empty_id_is_an_absent_id(self) -> None:
        body = request(ASK, model(call(id="")), user(result(id="")))
        reading = read_request(body)
        assert [(entry.id, entry.id_pointer) for entry in reading.calls] == [(None, None)]
        assert [entry.call for entry in reading.results] == [0]

    def test_a_result_too_many_answers_nothing(self) -> None:
        assert answered_calls(ASK, model(call()), user(result(), result())) == [0, None]

    def test_a_doubled_result_answers_the_same_call_twice(self) -> None:
        assert answered_calls(ASK, model(call(id="x1")), user(result(id="x1"), result(id="x1"))) == [0, 0]

    def test_a_result_after_another_reply_answers_nothing(self) -> None:
        assert answered_calls(ASK, model({"text": "No."}), user(result())) == [None]

    def test_neighbouring_contents_of_a_side_are_one_turn(self) -> None:
        reading = read_request(
            request(ASK, model(call("a.txt")), model(call("b.txt")), user(result("A")), user(result("B")))
        )
        assert [turn.side for turn in reading.turns] == ["user", "assistant", "user"]
        assert [entry.batch for entry in reading.calls] == [0, 1]
        assert [(entry.call, entry.group) for entry in reading.results] == [(0, 0), (1, 1)]

    def test_batches_are_numbered_by_turn(self) -> None:
        reading = read_request(
            request(ASK, model(call(), call("b")), user(result(), result()), model(call("c")), user(result()))
        )
        assert [entry.batch for entry in reading.calls] == [0, 0, 1]
        assert [entry.group for entry in reading.results] == [0, 0, 1]


class TestReading:
    def test_pointers_lead_to_what_was_read(self) -> None:
        body = request(ASK, model({"text": "Let me look."}, call(id="x1")), user(result(id="x1")))
        reading = read_request(body)
        entry = reading.calls[0]
        assert resolve(body, entry.pointer) == body["contents"][1]["parts"][1]["functionCall"]
        assert (entry.name_pointer, entry.arguments_pointer, entry.id_pointer) == tuple(
            f"/contents/1/parts/1/functionCall/{key}" for key in ("name", "args", "id")
        )
        answer = reading.results[0]
        assert answer.content_pointer == "/contents/2/parts/0/functionResponse/response"
        assert answer.parts == (Value({"output": "A"}, answer.content_pointer),)

    def test_other_spellings_are_read_and_keep_their_pointers(self) -> None:
        body = {
            "system_instruction": {"parts": {"text": "Be brief."}},
            "contents": [
                {"parts": {"text": "Hello."}},
                {"role": "model", "parts": {"function_call": {"name": "f"}, "thought_signature": "c2ln"}},
                {"role": "user", "parts": {"function_response": {"name": "f", "response": {"result": 1}}}},
            ],
            "tools": {
                "function_declarations": {
                    "name": "f",
                    "parameters": {"type": 6, "properties": {"any_of": {"any_of": [{"type": 1}, {"type": "integer"}]}}},
                }
            },
            "tool_config": {"function_calling_config": {"mode": 2, "allowed_function_names": ["f"]}},
            "generation_config": {"max_output_tokens": "1024", "stop_sequences": ["END"]},
        }
        reading = read_request(body)
        assert reading.residue == []
        assert [text.pointer for text in reading.system] == ["/system_instruction/parts/text"]
        assert [entry.call for entry in reading.results] == [0]
        assert reading.tools[0].schema == {
            "type": "OBJECT",
            "properties": {"any_of": {"anyOf": [{"type": "STRING"}, {"type": "integer"}]}},
        }
        assert reading.settings["max_output_tokens"].value == 1024
        assert reading.settings["tool_choice"].value == {"mode": "required", "names": ["f"]}
        assert reading.settings["tool_choice"].pointer == "/tool_config/function_calling_config"
        opaque = [item for turn in reading.turns for item in turn.items if isinstance(item, Opaque)]
        assert opaque == [Opaque("c2ln", "/contents/1/parts/thought_signature", "gemini", call=0)]

    @pytest.mark.parametrize(
        ("response", "error"),
        [
            ({"output": "fine"}, None),
            ({"output": "fine", "error": None}, None),
            ({"output": "fine", "error": ""}, None),
            ({"error": "no such file"}, True),
            ({"error": {"code": 5}}, True),
            ({"output": "no such file", "is_error": True}, True),
            ({"error": ""}, True),
            ({"output": "fine", "is_error": False}, False),
        ],
    )
    def test_the_error_mark_is_in_the_response(self, response: Any, error: bool | None) -> None:
        part = {"functionResponse": {"name": "read_file", "response": response}}
        assert read_request(request(ASK, model(call()), user(part))).results[0].error is error

    def test_media_of_a_result_and_next_to_it(self) -> None:
        image = {"inlineData": {"mimeType": "image/png", "data": PNG}}
        reading = read_request(request(ASK, model(call()), user(result(parts=[image]), image)))
        inside = reading.results[0].parts[1]
        assert isinstance(inside, Media)
        assert (inside.kind, inside.mime, inside.data) == ("image", "image/png", PNG)
        assert inside.pointer == "/contents/2/parts/0/functionResponse/parts/0/inlineData"
        assert next(item for item in reading.turns[2].items if isinstance(item, Media)).pointer == (
            "/contents/2/parts/1/inlineData"
        )

    @pytest.mark.parametrize(
        ("uri", "url", "file_id"),
        [
            ("https://example.com/a.pdf", "https://example.com/a.pdf", None),
            ("gs://bucket/a.pdf", "gs://bucket/a.pdf", None),
            ("files/x1y2", None, "files/x1y2"),
        ],
    )
    def test_media_by_reference(self, uri: str, url: str | None, file_id: str | None) -> None:
        part = {"fileData": {"mimeType": "application/pdf", "fileUri": uri}}
        item = read_request(request(user(part))).turns[0].items[0]
        assert item == Media("document", "application/pdf", "/contents/0/parts/0/fileData", None, url, file_id)

    def test_the_stand_in_for_a_signature_is_no_state(self) -> None:
        part = {**call(), "thoughtSignature": "skip_thought_signature_validator"}
        reading = read_request(request(ASK, model(part), user(result())))
        assert reading.residue == []
        assert not any(isinstance(item, Opaque) for turn in reading.turns for item in turn.items)

    def test_thoughts_are_not_text_and_blank_text_is_nothing(self) -> None:
        reading = read_response(
            reply({"text": "Hm.", "thought": True}, {"text": "Done."}, {"text": "", "thoughtSignature": "c2ln"})
        )
        assert [type(item) for item in reading.turns[0].items] == [Reasoning, Text, Opaque]

    def test_blank_contents_open_no_turn(self) -> None:
        reading = read_request(request(user({"text": " "}), model(call()), user(result())))
        assert [turn.side for turn in reading.turns] == ["assistant", "user"]

    def test_settings_have_neutral_names(self) -> None:
        reading = read_request(
            request(
                ASK,
                generationConfig={
                    "temperature": 0.2,
                    "topP": 0.9,
                    "topK": 40,
                    "seed": 7,
                    "frequencyPenalty": 0.1,
                    "presencePenalty": 0.2,
                    "responseMimeType": "application/json",
                    "responseJsonSchema": {"type": "object"},
                    "thinkingConfig": {"thinkingBudget": 0, "includeThoughts": False},
                },
                toolConfig={"functionCallingConfig": {"mode": "NONE"}},
                labels={"team": "a"},
            )
        )
        assert {name: setting.value for name, setting in reading.settings.items()} == {
            "temperature": 0.2,
            "top_p": 0.9,
            "top_k": 40,
            "seed": 7,
            "frequency_penalty": 0.1,
            "presence_penalty": 0.2,
            "response_format": {"type": "json_schema", "schema": {"type": "object"}},
            "reasoning": {"budget": 0},
            "private:includeThoughts": False,
            "tool_choice": {"mode": "none"},
            "metadata": {"team": "a"},
        }

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (reply(call()), "tools"),
            (reply(call(), finish=1), "tools"),
            (reply({"text": "Done."}), "end"),
            (reply({"text": "Do"}, finish="MAX_TOKENS"), "length"),
            (reply(call(), finish="MAX_TOKENS"), "length"),
            (reply(finish="SAFETY"), "filter"),
            (reply(finish="MALFORMED_FUNCTION_CALL"), "error"),
            (reply(call(), finish="UNEXPECTED_TOOL_CALL"), "error"),
            (reply(finish="LANGUAGE"), "other"),
            ({"promptFeedback": {"blockReason": "SAFETY"}}, "filter"),
            ({"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}}, "error"),
        ],
    )
    def test_finish_reasons(self, body: Any, reason: str) -> None:
        finish = read_response(body).finish
        assert finish is not None
        assert finish.reason == reason
        resolve(body, finish.pointer)

    def test_usage_counts_thoughts_as_output(self) -> None:
        usage = {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 60,
            "toolUsePromptTokenCount": 5,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
            "totalTokenCount": 155,
        }
        reading = read_response({**reply({"text": "Done."}), "usageMetadata": usage})
        assert reading.usage == {"input": 105, "output": 50, "total": 155, "cached": 60, "reasoning": 30}

    def test_unread_keys_are_residue(self) -> None:
        reading = read_request(request(ASK, model(call(call_id="x")), user(result()), messages=[]))
        assert [(entry.key, entry.pointer) for entry in reading.residue] == [
            ("call_id", "/contents/1/parts/0/functionCall/call_id"),
            ("messages", "/messages"),
        ]

    def test_a_call_is_found_in_the_first_candidate_only(self) -> None:
        body = {"candidates": [{"content": model({"text": "a"})}, {"content": model(call())}]}
        assert read_response(body).calls == []

    def test_arguments_may_be_absent(self) -> None:
        entry = read_response(reply({"functionCall": {"name": "now"}})).calls[0]
        assert (entry.arguments, entry.arguments_pointer) == ({}, None)
        assert isinstance(entry, Call)

    def test_a_result_in_text_is_read_as_text(self) -> None:
        part = {"functionResponse": {"name": "read_file", "response": "A"}}
        entry = read_request(request(ASK, model(call()), user(part))).results[0]
        assert isinstance(entry, Result)
        assert entry.parts == (Text("A", "/contents/2/parts/0/functionResponse/response"),)


LOOP = request(ASK, model(call()), user(result()))

#: Requests that Gemini takes, however unusual they look.
HARMLESS: dict[str, dict[str, Any]] = {
    "ids on both sides": request(ASK, model(call(id="x1")), user(result(id="x1"))),
    "results in another order than calls with ids": request(
        ASK, model(call(id="x1"), call("b", id="x2")), user(result(id="x2"), result(id="x1"))
    ),
    "the same id in a later turn": request(
        ASK, model(call(id="x1")), user(result(id="x1")), model(call(id="x1")), user(result(id="x1"))
    ),
    "any wrapper of a result": request(
        ASK, model(call()), user({"functionResponse": {"name": "read_file", "response": {"result": ["A"]}}})
    ),
    "an empty response": request(ASK, model(call()), user({"functionResponse": {"name": "read_file", "response": {}}})),
    "an error beside an output": request(
        ASK,
        model(call()),
        user({"functionResponse": {"name": "read_file", "response": {"output": "A", "error": "cut"}}}),
    ),
    "text before, between and after calls": request(
        ASK, model({"text": "a"}, call(), {"text": "b"}, call("b"), {"text": "c"}), user(result(), result())
    ),
    "text after results": request(ASK, model(call()), user(result(), {"text": "Be brief."})),
    "a message after results": request(ASK, model(call()), user(result()), user({"text": "Be brief."})),
    "media beside results": request(
        ASK, model(call()), user(result(), {"inlineData": {"mimeType": "image/png", "data": PNG}})
    ),
    "base64 of the other alphabet, without padding": request(
        user({"inlineData": {"mimeType": "image/jpeg", "data": "_9j_4AAQSkZJRgABAQAAAQ-B"}})
    ),
    "a content without a role": {"contents": [{"parts": [{"text": "Hello."}]}]},
    "single entries that stand by themselves": {
        "contents": {"parts": {"text": "Hello."}},
        "tools": {"functionDeclarations": READ_FILE},
        "systemInstruction": {"parts": {"text": "Be brief."}},
    },
    "snake_case": {
        "contents": [
            {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": PNG}}]},
            {"role": "model", "parts": [{"function_call": {"name": "read_file", "args": {}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "read_file", "response": {"output": 1}}}]},
        ],
        "tools": [{"function_declarations": [{"name": "read_file", "parameters_json_schema": {"type": "object"}}]}],
        "tool_config": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["read_file"]}},
        "generation_config": {"max_output_tokens": 100, "thinking_config": {"thinking_budget": 0}},
    },
    "enums as numbers and in lower case": request(
        ASK,
        tools=[{"functionDeclarations": [{"name": "f", "parameters": {"type": 6, "properties": {"a": {"type": 1}}}}]}],
        toolConfig={"functionCallingConfig": {"mode": "any"}},
        safetySettings=[{"category": 10, "threshold": 3}],
    ),
    "parameters that are called like keywords": request(
        ASK,
        tools=[
            {
                "functionDeclarations": [
                    {
                        "name": "f",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {
                                name: {"type": "STRING"}
                                for name in (
                                    "const",
                                    "type",
                                    "required",
                                    "properties",
                                    "oneOf",
                                    "ref",
                                    "any_of",
                                    "enum",
                                )
                            },
                            "required": ["required", "properties"],
                        },
                    }
                ]
            }
        ],
    ),
    "all of JSON Schema in parametersJsonSchema": request(
        ASK,
        tools=[
            {
                "functionDeclarations": [
                    {
                        "name": "f",
                        "parametersJsonSchema": {
                            "$schema": "https://json-schema.org/draft/2020-12/schema",
                            "type": "object",
                            "properties": {"a": {"type": ["string", "null"]}, "b": {"oneOf": [{"const": 1}]}},
                            "$defs": {"c": {"type": "array"}},
                            "additionalProperties": False,
                        },
                    }
                ]
            }
        ],
    ),
    "a function without parameters": request(ASK, tools=[{"functionDeclarations": [{"name": "now"}]}]),
    "a subset in the mode VALIDATED": request(
        ASK, toolConfig={"functionCallingConfig": {"mode": "VALIDATED", "allowedFunctionNames": ["read_file"]}}
    ),
    "calls of an older turn without signatures": LOOP,
}


@pytest.mark.parametrize("body", HARMLESS.values(), ids=HARMLESS)
def test_harmless_requests_have_no_finding(body: Any, corpus: Corpus) -> None:
    assert rules(corpus, body) == set()


@pytest.mark.parametrize(
    "body",
    [
        reply({"text": "Done."}),
        reply(call(), call("b")),
        reply({**call(), "thoughtSignature": "c2ln"}),
        reply({"functionCall": {"name": "now"}}),
        reply(call(), finish="UNEXPECTED_TOOL_CALL"),
        {"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}], "brandNewKey": {"a": 1}},
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4, "totalTokenCount": 4}},
        {"error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}},
    ],
)
def test_harmless_replies_have_no_finding(body: Any, corpus: Corpus) -> None:
    assert rules(corpus, body, "response") == set()


SIGNED = {**call(), "thoughtSignature": "c2ln"}


class TestSignatures:
    """To Gemini 3, in the current turn, the first call of a step is signed."""

    def test_nothing_is_demanded_of_other_models(self, corpus: Corpus) -> None:
        assert rules(corpus, LOOP, name="gemini-2.5-pro") == set()
        assert check_body(corpus, "gemini", "request", LOOP, model=None) == []

    @pytest.mark.parametrize("name", ["gemini-3-pro-preview", "models/gemini-3.5-flash", "google/gemini-4-flash"])
    def test_the_name_of_the_model_decides(self, name: str, corpus: Corpus) -> None:
        assert rules(corpus, LOOP, name=name) == {"signature-demanded"}

    def test_every_step_of_the_current_turn(self, corpus: Corpus) -> None:
        body = request(ASK, model(SIGNED), user(result()), model(call("b")), user(result()))
        findings = check_body(corpus, "gemini", "request", body, model="gemini-3-pro-preview")
        assert [finding.pointer for finding in findings] == ["/contents/3/parts/0"]

    def test_only_the_first_of_parallel_calls(self, corpus: Corpus) -> None:
        body = request(ASK, model(SIGNED, call("b")), user(result(), result()))
        assert rules(corpus, body, name="gemini-3-pro-preview") == set()

    def test_not_in_earlier_turns(self, corpus: Corpus) -> None:
        body = request(ASK, model(call()), user(result()), model({"text": "Done."}), ASK)
        assert rules(corpus, body, name="gemini-3-pro-preview") == set()


class TestFindings:
    def test_a_wrong_name_is_shown_with_the_right_one(self, corpus: Corpus) -> None:
        body = request(ASK, model(call()), user(result(name="unknown")))
        (finding,) = check_body(corpus, "gemini", "request", body)
        assert (finding.rule, finding.pointer) == (
            "gemini/result-names-call",
            "/contents/2/parts/0/functionResponse/name",
        )
        assert (finding.want, finding.got, finding.level) == ("read_file", "unknown", Level.MUST)

    def test_a_missing_name_is_the_same_rule(self, corpus: Corpus) -> None:
        body = request(ASK, model(call()), user({"functionResponse": {"response": {"output": "A"}}}))
        assert rules(corpus, body) == {"result-names-call"}

    def test_keys_of_other_formats_are_unknown(self, corpus: Corpus) -> None:
        body = request(ASK, model(call()), user(result(tool_call_id="call_1")), max_tokens=100)
        findings = [finding for finding in check_body(corpus, "gemini", "request", body) if finding.level is Level.MUST]
        assert [(finding.rule, finding.pointer) for finding in findings] == [
            ("gemini/unknown-key", "/contents/2/parts/0/functionResponse/tool_call_id"),
            ("gemini/unknown-key", "/max_tokens"),
        ]

    def test_nulls_are_mild(self, corpus: Corpus) -> None:
        part = {"text": "Hello.", "functionCall": None, "thoughtSignature": None}
        body = {"contents": [user(part)], "systemInstruction": None, "tools": None}
        findings = check_body(corpus, "gemini", "request", body)
        assert {finding.rule for finding in findings} == {"gemini/null-key"}

    def test_a_schema_fault_is_shown_where_it_is(self, corpus: Corpus) -> None:
        schema = {
            "type": "OBJECT",
            "properties": {"a": {"type": "ARRAY", "items": {"type": "OBJECT", "properties": {"b": {"const": 1}}}}},
        }
        body = request(ASK, tools=[{"functionDeclarations": [{"name": "f", "parameters": schema}]}])
        pointers = {
            finding.rule: finding.pointer
            for finding in check_body(corpus, "gemini", "request", body)
            if finding.level is Level.MUST
        }
        place = "/tools/0/functionDeclarations/0/parameters/properties/a/items/properties/b/const"
        assert pointers == {"gemini/schema-keyword": place}

    def test_an_unanswered_call_is_named(self, corpus: Corpus) -> None:
        body = request(ASK, model(call(), call("b")), user(result()))
        (finding,) = check_body(corpus, "gemini", "request", body)
        assert (finding.rule, finding.pointer) == ("gemini/results-complete", "/contents/1/parts/1/functionCall")
        assert finding.subject == "call 2, read_file"

    def test_an_id_on_one_side_only_is_mild(self, corpus: Corpus) -> None:
        both = model(call(id="x1"), call(id="x2"))
        for body in (
            request(ASK, both, user(result(id="x1"), result())),
            request(ASK, both, user(result(), result(id="x2"))),
            request(ASK, model(call()), user(result(id="x1"))),
        ):
            (finding,) = check_body(corpus, "gemini", "request", body)
            assert (finding.rule, finding.level) == ("gemini/result-id-both-or-neither", Level.SHOULD)

    def test_no_result_of_a_turn_need_have_an_id(self, corpus: Corpus) -> None:
        """Google's own SDK answers its functions so, and leaves the pairing to names and places."""
        first, second = call(id="x1"), call("list_files", id="x2")
        for turns in (
            (model(first), user(result())),
            (model(first, second), user(result(), result("list_files"))),
            (model(first), user(result()), model(second), user(result("list_files", id="x2"))),
        ):
            assert check_body(corpus, "gemini", "request", request(ASK, *turns)) == []

    def test_a_strange_id_is_one_finding(self, corpus: Corpus) -> None:
        body = request(ASK, model(call(id="x1")), user(result(id="y1")))
        assert rules(corpus, body) == {"result-id-matches-call"}
