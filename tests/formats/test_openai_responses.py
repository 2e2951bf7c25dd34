"""The Responses reader, and what the rules of the format must leave alone."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Hosted, Media, Opaque, Reasoning, Text, Unknown, Unreadable, Value
from toolcall_conformance.formats.openai_responses.readers import read_request, read_response
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

USER = {"role": "user", "content": "What is the weather in Oslo and in Bergen?"}
TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "Current weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "strict": False,
}
PIXEL = base64.b64encode(b"\x89PNG").decode()


def call(call_id: str | None = "call_a", arguments: Any = '{"city":"Oslo"}', **more: Any) -> dict[str, Any]:
    item = {"type": "function_call", "call_id": call_id, "name": "get_weather", "arguments": arguments, **more}
    return {key: value for key, value in item.items() if value is not None}


def output(call_id: str = "call_a", value: Any = "4 degrees", **more: Any) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": value, **more}


def request(*items: Any, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4.1-2025-04-14", "input": [USER, *items], "tools": [TOOL], **more}


def reply(*items: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1761000355,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "gpt-4.1-2025-04-14",
        "output": list(items),
        "tools": [TOOL],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        **more,
    }


def message(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [*parts], **more}


def output_text(text: str) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": []}


def broken_rules(corpus: Corpus, direction: str, body: Any) -> set[str]:
    """The rules that a body breaks, whatever their level."""
    return {finding.rule.split("/")[1] for finding in check_body(corpus, "openai_responses", direction, body)}


# Input and turns


def test_a_string_is_one_user_turn() -> None:
    reading = read_request({"model": "m", "input": "Hello"})
    assert [(turn.side, turn.items) for turn in reading.turns] == [("user", [Text("Hello", "/input")])]


def test_an_item_with_a_role_and_no_type_is_a_message() -> None:
    reading = read_request(request({"role": "assistant", "content": "Let me look."}, call(), output()))
    assert [turn.side for turn in reading.turns] == ["user", "assistant", "user"]
    assert reading.turns[1].items[0] == Text("Let me look.", "/input/1/content")


def test_instructions_and_leading_messages_are_system_text() -> None:
    developer = {"role": "developer", "content": [{"type": "input_text", "text": "Use tools."}]}
    reading = read_request(
        {"instructions": "Be brief.", "input": [developer, USER, {"role": "system", "content": "Now in French."}]}
    )
    assert reading.system == [Text("Be brief.", "/instructions"), Text("Use tools.", "/input/0/content/0/text")]
    assert [turn.side for turn in reading.turns] == ["user", "system"]


def test_blank_text_opens_no_turn() -> None:
    reading = read_request(request({"role": "assistant", "content": " "}, call(), output()))
    assert [turn.pointer for turn in reading.turns] == ["/input/0/content", "/input/2", "/input/3"]


# Calls and pairing


def test_a_call_has_its_pointers() -> None:
    reading = read_request(request(call(id="fc_1", status="completed"), output()))
    (tool_call,) = reading.calls
    assert (tool_call.ordinal, tool_call.batch, tool_call.name, tool_call.arguments, tool_call.id) == (
        0,
        0,
        "get_weather",
        {"city": "Oslo"},
        "call_a",
    )
    assert (tool_call.pointer, tool_call.name_pointer, tool_call.arguments_pointer, tool_call.id_pointer) == (
        "/input/1",
        "/input/1/name",
        "/input/1/arguments",
        "/input/1/call_id",
    )


def test_the_item_id_is_not_the_call_id() -> None:
    (tool_call,) = read_request(request(call(call_id=None, id="fc_1"))).calls
    assert (tool_call.id, tool_call.id_pointer) == (None, None)


def test_batches_are_runs_of_the_assistants_items() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    say = {"role": "assistant", "content": "And Bergen."}
    reading = read_request(
        request(thought, call("a"), say, call("b"), output("b"), output("a"), call("c"), output("c"), call("d"))
    )
    assert [tool_call.batch for tool_call in reading.calls] == [0, 0, 1, 2]
    assert [(result.id, result.call, result.group) for result in reading.results] == [
        ("b", 1, 1),
        ("a", 0, 1),
        ("c", 2, 2),
    ]


def test_an_output_answers_the_latest_unanswered_call_of_its_id() -> None:
    reading = read_request(request(call("x"), output("x"), USER, call("x"), output("x"), output("x")))
    assert [result.call for result in reading.results] == [0, 1, 1]


def test_calls_of_one_id_in_one_batch_are_answered_in_order() -> None:
    reading = read_request(request(call("x"), call("x"), output("x", "first"), output("x", "second")))
    assert [result.call for result in reading.results] == [0, 1]


def test_an_output_without_its_call_is_paired_with_none() -> None:
    (result,) = read_request({"previous_response_id": "resp_1", "input": [output()]}).results
    assert (result.call, result.id, result.pointer) == (None, "call_a", "/input/0")


def test_an_output_does_not_answer_a_later_call() -> None:
    assert read_request(request(output(), call())).results[0].call is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("{}", {}),
        ("", {}),
        ("  ", {}),
        (None, {}),
        ("[1]", [1]),
        ('{"n": 9007199254740993}', {"n": 9007199254740993}),
        ('{"a":', Unreadable('{"a":')),
        ({"city": "Oslo"}, {"city": "Oslo"}),
    ],
)
def test_arguments(raw: Any, expected: Any) -> None:
    (tool_call,) = read_request(request(call(arguments=raw))).calls
    assert tool_call.arguments == expected


def test_a_custom_tools_call_has_its_text_as_arguments() -> None:
    custom = {"type": "custom_tool_call", "call_id": "c", "name": "run_sql", "input": "{}"}
    answer = {"type": "custom_tool_call_output", "call_id": "c", "output": "ok"}
    reading = read_request(request(custom, answer))
    assert (reading.calls[0].kind, reading.calls[0].arguments) == ("custom", "{}")
    assert reading.calls[0].arguments_pointer == "/input/1/input"
    assert reading.results[0].call == 0


def test_tools_that_the_client_runs_for_openai_are_calls() -> None:
    patch = {"type": "create_file", "path": "a.txt", "diff": "+a"}
    reading = read_request(
        request(
            {"type": "apply_patch_call", "call_id": "p", "operation": patch, "status": "completed"},
            {"type": "apply_patch_call_output", "call_id": "p", "status": "failed", "output": "no such folder"},
        )
    )
    (tool_call,), (result,) = reading.calls, reading.results
    assert (tool_call.name, tool_call.kind, tool_call.arguments, tool_call.name_pointer) == (
        "apply_patch",
        "builtin",
        patch,
        "/input/1/type",
    )
    assert (result.call, result.error) == (0, True)


# Results


def test_a_result_has_no_error_mark() -> None:
    (result,) = read_request(request(call(), output(value='{"error": "timeout"}'))).results
    assert result.error is None
    assert result.parts == (Text('{"error": "timeout"}', "/input/2/output"),)
    assert (result.content_pointer, result.id_pointer) == ("/input/2/output", "/input/2/call_id")


def test_parts_of_a_result() -> None:
    parts = [
        {"type": "input_text", "text": "Here it is."},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="},
        {"type": "something_new", "x": 1},
    ]
    (result,) = read_request(request(call(), output(value=parts))).results
    assert result.parts == (
        Text("Here it is.", "/input/2/output/0/text"),
        Media("image", "image/png", "/input/2/output/1", data=PIXEL),
        Media("document", "application/pdf", "/input/2/output/2", data="JVBERi0="),
        Value({"type": "something_new", "x": 1}, "/input/2/output/3"),
    )


def test_an_object_as_output_is_kept_as_a_value() -> None:
    (result,) = read_request(request(call(), output(value={"degrees": 4}))).results
    assert result.parts == (Value({"degrees": 4}, "/input/2/output"),)


URL = "https://example.com/a"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"type": "input_image", "image_url": URL}, Media("image", None, "", url=URL)),
        ({"type": "input_image", "file_id": "file-1"}, Media("image", None, "", file_id="file-1")),
        ({"type": "input_image", "image_url": {"url": URL}}, Media("image", None, "", url=URL)),
        ({"type": "input_file", "file_url": URL}, Media("document", None, "", url=URL)),
        ({"type": "input_file", "file_data": "JVBE"}, Media("document", None, "", data="JVBE")),
        ({"type": "input_file", "file_data": "data:image/png;base64,AA"}, Media("image", "image/png", "", data="AA")),
        (
            {"type": "input_audio", "input_audio": {"data": "AA", "format": "wav"}},
            Media("audio", "audio/wav", "", data="AA"),
        ),
    ],
)
def test_media_of_a_user(part: Any, expected: Media) -> None:
    (turn,) = read_request({"input": [{"role": "user", "content": [part]}]}).turns
    assert turn.items == [replace(expected, pointer="/input/0/content/0")]


# Reasoning and hosted steps


def test_reasoning_is_text_and_sealed_state() -> None:
    thought = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "Oslo first."}],
        "encrypted_content": "gAAA",
    }
    reading = read_response(reply(thought, call(id="fc_1", status="completed")))
    assert reading.turns[0].items[:2] == [
        Reasoning("Oslo first.", "/output/0/summary/0/text"),
        Opaque(
            "gAAA",
            "/output/0/encrypted_content",
            "openai_responses",
            sealed_id="rs_1",
            id_pointer="/output/0/id",
        ),
    ]


def test_hosted_steps_are_no_calls() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    }
    reading = read_response(reply(search, message(output_text("It rains."))))
    assert reading.calls == []
    assert reading.turns[0].items[0] == Hosted("web_search_call", "web_search", "ws_1", search, "/output/0")
    assert reading.finish is not None
    assert reading.finish.reason == "end"


def test_an_unknown_item_is_unknown() -> None:
    assert read_response(reply({"type": "dream", "id": "dr_1"})).turns[0].items == [Unknown("dream", "/output/0")]


# Tools and settings


def test_tools() -> None:
    tools = [
        TOOL,
        {"type": "custom", "name": "run_sql", "format": {"type": "text"}},
        {"type": "web_search"},
        {"type": "namespace", "name": "crm", "description": "", "tools": [{"type": "function", "name": "find"}]},
    ]
    reading = read_request({"input": [], "tools": tools})
    assert [(tool.name, tool.kind, tool.pointer, tool.strict) for tool in reading.tools] == [
        ("get_weather", "function", "/tools/0", False),
        ("run_sql", "custom", "/tools/1", None),
        ("web_search", "hosted", "/tools/2", None),
        ("find", "function", "/tools/3/tools/0", None),
    ]
    assert reading.residue == []


def test_a_reply_declares_no_tools_and_sets_nothing() -> None:
    reading = read_response(reply(message(output_text("Hello."))))
    assert reading.tools == []
    assert reading.settings == {}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", {"mode": "auto"}),
        ("required", {"mode": "required"}),
        ("none", {"mode": "none"}),
        ({"type": "function", "name": "f"}, {"mode": "required", "names": ["f"]}),
        ({"type": "custom", "name": "f"}, {"mode": "required", "names": ["f"]}),
        ({"type": "web_search"}, {"mode": "required", "names": ["web_search"]}),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
            {"mode": "auto", "names": ["f"]},
        ),
    ],
)
def test_tool_choice(choice: Any, expected: Any) -> None:
    setting = read_request({"input": "Hi", "tool_choice": choice}).settings["tool_choice"]
    assert (setting.value, setting.pointer) == (expected, "/tool_choice")


def test_settings_have_neutral_names() -> None:
    body = {
        "model": "gpt-4.1",
        "input": "Hi",
        "stream": True,
        "max_output_tokens": 64,
        "temperature": 0.5,
        "top_p": 1,
        "parallel_tool_calls": False,
        "metadata": {"a": "b"},
        "user": "u-1",
        "store": False,
        "tool_choice": None,
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": True}, "verbosity": "low"},
    }
    settings = read_request(body).settings
    assert {name: (setting.value, setting.pointer) for name, setting in settings.items()} == {
        "model": ("gpt-4.1", "/model"),
        "stream": (True, "/stream"),
        "max_output_tokens": (64, "/max_output_tokens"),
        "temperature": (0.5, "/temperature"),
        "top_p": (1, "/top_p"),
        "parallel_calls": (False, "/parallel_tool_calls"),
        "metadata": ({"a": "b"}, "/metadata"),
        "user_id": ("u-1", "/user"),
        "response_format": ({"type": "json_schema", "schema": {}, "name": "n", "strict": True}, "/text/format"),
        "verbosity": ("low", "/text/verbosity"),
        "store": (False, "/store"),
    }


def test_a_foreign_key_is_residue() -> None:
    reading = read_request(request(call(index=0), output(is_error=True), max_tokens=5))
    assert {residue.pointer for residue in reading.residue} == {
        "/input/1/index",
        "/input/2/is_error",
        "/max_tokens",
    }


# Finish and usage


@pytest.mark.parametrize(
    ("more", "items", "expected"),
    [
        ({}, [call()], ("tools", "/status")),
        ({}, [message(output_text("Hi."))], ("end", "/status")),
        ({}, [message({"type": "refusal", "refusal": "No."})], ("refusal", "/status")),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            [call()],
            ("length", "/incomplete_details/reason"),
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            [],
            ("filter", "/incomplete_details/reason"),
        ),
        ({"status": "incomplete"}, [], ("other", "/status")),
        ({"status": "failed"}, [], ("error", "/status")),
        ({"status": "queued"}, [], ("other", "/status")),
    ],
)
def test_finish(more: Any, items: list[Any], expected: tuple[str, str]) -> None:
    finish = read_response(reply(*items, **more)).finish
    assert finish is not None
    assert (finish.reason, finish.pointer) == expected


def test_usage() -> None:
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens_details": {"reasoning_tokens": 2},
    }
    assert read_response(reply(usage=usage)).usage == {
        "input": 10,
        "output": 5,
        "total": 15,
        "cached": 4,
        "reasoning": 2,
    }


@pytest.mark.parametrize("body", [None, [], "x", 7, {"input": {}}, {"output": "x", "input": [None, 1, "x"]}])
def test_what_is_no_body_reads_as_an_empty_one(body: Any) -> None:
    for reading in (read_request(body), read_response(body)):
        for turn in reading.turns:
            resolve(body, turn.pointer)


# What the rules leave alone


@pytest.mark.parametrize(
    "body",
    [
        request(call("x"), output("x"), USER, call("x"), output("x")),
        request(call("a"), call("b"), output("b"), output("a")),
        request(call("a"), {"role": "assistant", "content": "One moment."}, output("a")),
        request(call(), output(value="")),
        request(call(), output(), tools=[{**TOOL, "strict": None}]),
        request(call(), output(), tools=[{**TOOL, "description": None, "parameters": {}}]),
        request(call(status="completed", id="fc_68f1"), output(id="fco_1", status="completed")),
        request(call(arguments='{"city":', status="incomplete"), output(value="cut off")),
        {"model": "gpt-4.1", "input": [output()], "previous_response_id": "resp_1"},
        {"model": "gpt-4.1", "input": [{"type": "item_reference", "id": "fc_1"}, output()]},
        {"model": "gpt-4.1", "input": [{"id": "fc_1"}, output()]},
        {"model": "gpt-4.1", "conversation": {"id": "conv_1"}, "previous_response_id": None},
        {"input": "Hi", "prompt": {"id": "pmpt_1"}},
        request(tool_choice={"type": "web_search_preview"}, tools=[{"type": "web_search"}]),
        request({"type": "reasoning", "id": "rs_1", "summary": []}, message(output_text("Hi.")), USER),
        request(call() | {"async": True}),
        request({"type": "additional_tools", "role": "developer", "tools": [TOOL]}, tools=[], tool_choice="required"),
    ],
)
def test_legal_requests_have_no_fault(corpus: Corpus, body: Any) -> None:
    findings = check_body(corpus, "openai_responses", "request", body)
    assert [finding for finding in findings if finding.level is not Level.NOTE] == []


def test_an_early_output_is_one_finding(corpus: Corpus) -> None:
    assert broken_rules(corpus, "request", request(output(), call())) == {"result-after-call"}


def test_a_call_without_its_id_is_one_finding(corpus: Corpus) -> None:
    assert broken_rules(corpus, "request", request(call(call_id=None, id="fc_1"), output())) == {"call-complete"}


def test_an_output_without_its_id_is_one_finding(corpus: Corpus) -> None:
    nameless = {"type": "function_call_output", "output": "4 degrees"}
    assert broken_rules(corpus, "request", request(call(), nameless)) == {"result-names-call"}


@pytest.mark.parametrize(
    "body",
    [
        reply(call(id="fc_1", status="completed"), call("call_b", id="fc_2", status="completed")),
        reply(message(output_text("Hi.")), usage=None, billing={"payer": "openai"}),
        reply({"type": "dream", "id": "dr_1"}),
        reply(
            {
                "type": "computer_call",
                "id": "cu_1",
                "call_id": "c",
                "status": "in_progress",
                "action": {},
                "pending_safety_checks": [],
            }
        ),
        reply(status="queued"),
        reply(
            call(id="fc_1", arguments='{"city":', status="incomplete"),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        reply(status="failed", error={"code": "server_error", "message": "Try again."}),
    ],
)
def test_legal_replies_have_no_fault(corpus: Corpus, body: Any) -> None:
    assert check_body(corpus, "openai_responses", "response", body) == []
