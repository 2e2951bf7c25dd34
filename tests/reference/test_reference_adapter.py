"""The adapter contract: calls out of every reply of the corpus, whole and streamed, and results back after it."""

from __future__ import annotations

import base64
import copy
import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.checks.adapter import call_rounds, neutral_results
from toolcall_conformance.library import Case, Exchange, load_corpus
from toolcall_reference import (
    ReferenceTranslator,
    Refused,
    UniversalToolCall,
    UniversalToolResult,
    Unsupported,
    build_follow_up,
    build_tool_results,
    formats,
    parse_tool_calls,
    parse_tool_calls_stream,
)
from toolcall_reference.adapter_json import call_from_json, call_to_json, result_from_json
from toolcall_reference.conversation.intermediate import Media, Text

CORPUS = load_corpus()
FORMATS = formats.names()
each_format = pytest.mark.parametrize("name", FORMATS)
CALL = UniversalToolCall("c1", "get_weather", {"city": "Oulu"})
OTHER = UniversalToolCall("c2", "get_tide", {})


def all_rounds(name: str) -> Iterator[tuple[Case, Exchange, Exchange]]:
    for case in CORPUS.cases.values():
        for exchange, following in call_rounds(case, name):
            yield case, exchange, following


def results_for(name: str, exchange: Exchange, following: Exchange) -> list[UniversalToolResult]:
    calls = [call_to_json(call) for call in parse_tool_calls(exchange.response, name)]
    results = neutral_results(CORPUS, name, following.request, calls)
    return [result_from_json(result, formats.get(name).provider.file_vendor) for result in results]


@each_format
def test_every_call_has_an_id_of_its_own_and_an_object(name: str) -> None:
    count = 0
    for _, exchange, _ in all_rounds(name):
        calls = parse_tool_calls(exchange.response, name)
        count += len(calls)
        assert len({call.id for call in calls if call.id.strip()}) == len(calls)
        assert all(isinstance(call.arguments, dict) for call in calls)
        assert [call_from_json(call_to_json(call)) for call in calls] == calls
        assert parse_tool_calls(exchange.response, name) == calls  # ids are made of the reply, not of the hour
    assert count > 200


def call_fields(call: UniversalToolCall) -> tuple[Any, ...]:
    return call.given_id, call.name, call.arguments, call.kind, call.readable, call.form


@each_format
def test_a_stream_has_the_calls_of_its_reply(name: str) -> None:
    count = 0
    for case, exchange, _ in all_rounds(name):
        if exchange.stream_path is None or case.scenario.get("stream"):
            continue
        whole = parse_tool_calls(exchange.response, name)
        streamed = parse_tool_calls_stream([exchange.stream()], name)
        assert [call.name for call in streamed] == [call.name for call in whole], case.id
        count += [call_fields(call) for call in streamed] == [call_fields(call) for call in whole]
    assert count > 100


@each_format
def test_what_an_agent_sends_next_is_what_the_corpus_has(name: str) -> None:
    count, wrong = 0, []
    for case, exchange, following in all_rounds(name):
        if any(key in following.request for key in ("previous_response_id", "conversation")):
            continue
        originals = copy.deepcopy([exchange.request, exchange.response])
        sent = build_follow_up(exchange.request, exchange.response, results_for(name, exchange, following), name)
        assert [exchange.request, exchange.response] == originals
        findings = HARNESS.judge.tool_results(name, following.request, sent, model=case.model(name)).findings
        own = HARNESS.judge.tool_results(name, following.request, following.request, model=case.model(name)).findings
        # A client may leave out what its API does not know; an agent hands back all that the reply has.
        allowed = {rule.rule for rule in own}
        if "extra_content" in str(exchange.response):
            allowed.add("translation/state-invented")
        left = [finding for finding in findings if finding.level is Level.MUST and finding.rule not in allowed]
        wrong += [f"{case.id}: {finding.rule} {finding.pointer} {finding.message}" for finding in left]
        count += 1
    assert not wrong, "\n".join(wrong)
    assert count > 100


@each_format
def test_a_streamed_reply_goes_back_as_well(name: str) -> None:
    exchange, following = next(
        (first, second) for case, first, second in all_rounds(name) if case.id == "parallel/seed"
    )
    results = results_for(name, exchange, following)
    sent = build_follow_up(exchange.request, [exchange.stream()], results, name)
    judged = HARNESS.judge.tool_results(name, following.request, sent, model=CORPUS.cases["parallel/seed"].model(name))
    assert [finding.rule for finding in judged.findings if finding.level is Level.MUST] == []


def entries(name: str, result: UniversalToolResult, *calls: UniversalToolCall) -> Any:
    return build_tool_results(calls or [CALL], [result], name)


def content(name: str, value: object, call: UniversalToolCall = CALL) -> Any:
    """The value as the model receives it, wherever the format has it."""
    (entry,) = entries(name, UniversalToolResult.of(value, call), call)
    if name == "anthropic":
        return entry["content"][0]["content"]
    if name == "gemini":
        return entry["parts"][0]["functionResponse"]["response"]
    return entry["output" if name == "openai_responses" else "content"]


@pytest.mark.parametrize(
    ("value", "text", "gemini"),
    [
        ("sunny", "sunny", {"output": "sunny"}),
        ('{"temp":22}', '{"temp":22}', {"output": '{"temp":22}'}),
        ({"temp": 22}, '{"temp":22}', {"temp": 22}),
        ({"is": [{"$ref": "#/a"}]}, '{"is":[{"$ref":"#/a"}]}', {"output": '{"is":[{"$ref":"#/a"}]}'}),
        ([1, "å"], '[1,"å"]', {"output": '[1,"å"]'}),
        (25, "25", {"output": "25"}),
        (True, "true", {"output": "true"}),
        (None, "null", {"output": "null"}),
        ("", "", {"output": ""}),
    ],
)
def test_a_value_of_python_in_each_format(value: object, text: str, gemini: object) -> None:
    assert [content(name, value) for name in FORMATS if name != "gemini"] == [text] * 3
    assert content("gemini", value) == gemini


def test_a_failure_in_each_format() -> None:
    error = TimeoutError("no answer in 5 s")
    marked = entries("anthropic", UniversalToolResult.of(error, CALL))[0]["content"][0]
    assert marked["is_error"] is True
    assert marked["content"] == "TimeoutError: no answer in 5 s"
    assert content("gemini", error) == {"error": "TimeoutError: no answer in 5 s"}
    assert content("openai_chat", error) == content("openai_responses", error) == "TimeoutError: no answer in 5 s"
    result = UniversalToolResult("c1", "get_weather", "no such city", is_error=True)
    assert entries("openai_chat", result)[0]["content"] == "Error: no such city"
    assert entries("gemini", result)[0]["parts"][0]["functionResponse"]["response"] == {"error": "no such city"}
    whole = UniversalToolResult("c1", "get_weather", {"code": 404}, is_error=True)
    assert entries("gemini", whole)[0]["parts"][0]["functionResponse"]["response"] == {"error": {"code": 404}}


@each_format
def test_bytes_and_parts(name: str) -> None:
    picture = UniversalToolResult.of(b"\x89PNG", CALL, media_type="image/png")
    assert picture.multimodal_parts == [Media("image", "image/png", data=base64.b64encode(b"\x89PNG").decode())]
    assert base64.b64encode(b"\x89PNG").decode() in str(entries(name, picture))
    both = UniversalToolResult.of([Text("the map"), picture.multimodal_parts[0]], CALL)
    assert both.result == "the map"
    assert "the map" in str(entries(name, both))


@pytest.mark.parametrize("value", [b"raw", {"at": object()}, {1: "x"}, float("nan"), {"x": [float("inf")]}, {1, 2}])
def test_what_is_no_result_is_said(value: object) -> None:
    with pytest.raises(TypeError, match="the result of get_weather is"):
        UniversalToolResult.of(value, CALL)


def test_results_of_gemini_are_in_the_order_of_the_calls() -> None:
    calls = [UniversalToolCall(f"made-{place}", "look", {"at": place}) for place in range(3)]
    results = [UniversalToolResult.of(str(call.arguments["at"]), call) for call in reversed(calls)]
    (entry,) = build_tool_results(calls, results, "gemini")
    responses = [part["functionResponse"] for part in entry["parts"]]
    assert responses == [{"name": "look", "response": {"output": str(place)}} for place in range(3)]  # and no made id


def test_ids_of_the_provider_come_back() -> None:
    calls = [UniversalToolCall(f"u{place}", "look", {}, given_id=f"call_{place}") for place in range(2)]
    results = [UniversalToolResult.of("x", call) for call in reversed(calls)]
    assert [entry["tool_call_id"] for entry in build_tool_results(calls, results, "openai_chat")] == [
        "call_1",
        "call_0",
    ]
    assert [entry["call_id"] for entry in build_tool_results(calls, results, "openai_responses")] == [
        "call_1",
        "call_0",
    ]
    (entry,) = build_tool_results(calls, results, "gemini")
    assert [part["functionResponse"]["id"] for part in entry["parts"]] == ["call_0", "call_1"]
    (entry,) = build_tool_results(calls, results, "anthropic")
    assert [block["tool_use_id"] for block in entry["content"]] == ["call_1", "call_0"]


GOOD = UniversalToolResult.of("x", CALL)


@each_format
@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        (
            [GOOD, UniversalToolResult("c9", "get_weather", "x")],
            "for the call 'c9', which is none of the reply's calls: 'c1', 'c2'",
        ),
        ([GOOD, GOOD], "a second result for the call 'c1'"),
        ([GOOD], "no result for the call 'c2' of get_tide"),
        ([GOOD, UniversalToolResult("c2", "get_weather", "x")], "'c2' of get_tide is named get_weather"),
    ],
)
def test_results_that_do_not_fit_are_refused(name: str, results: list[UniversalToolResult], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        build_tool_results([CALL, OTHER], results, name)


@each_format
def test_nothing_to_answer(name: str) -> None:
    exchange = CORPUS.cases["parallel/seed"].exchanges(name)[-1]
    assert parse_tool_calls(exchange.response, name) == []
    assert build_tool_results([], [], name) == []
    with pytest.raises(Refused, match="calls no tool"):
        build_follow_up(exchange.request, exchange.response, [], name)
    with pytest.raises(Refused):
        parse_tool_calls({}, name)
    with pytest.raises(Refused, match="broke off"):
        parse_tool_calls_stream(itertools.islice([exchange.stream()[:300]], 1), name)


def test_a_format_that_is_not_there() -> None:
    with pytest.raises(Unsupported, match="no such format: 'gemeni'"):
        parse_tool_calls({}, "gemeni")


def test_what_openai_keeps_is_named_and_not_said_again() -> None:
    request = {"model": "gpt-4.1", "previous_response_id": "resp_0", "input": "Weather?"}
    call = {"type": "function_call", "call_id": "c1", "name": "get_weather", "arguments": "{}"}
    reply = {
        "id": "resp_1",
        "status": "completed",
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, call],
    }
    answer = {"type": "function_call_output", "call_id": "c1", "output": "x"}
    sent = build_follow_up(request, reply, [GOOD], "openai_responses")
    assert sent == {**request, "previous_response_id": "resp_1", "input": [answer]}
    del request["previous_response_id"]
    sent = build_follow_up(request, reply, [GOOD], "openai_responses")
    assert sent["input"] == [{"role": "user", "content": "Weather?"}, *reply["output"], answer]


@each_format
def test_a_session_within_one_format_has_them(name: str) -> None:
    def operations(upstream: str) -> set[str]:
        route = SimpleNamespace(client=name, upstream=upstream, client_model="m", upstream_model="m", stream=False)
        return {"tool_calls", "tool_results"} & set(dir(ReferenceTranslator().open(route)))

    assert operations(name) == {"tool_calls", "tool_results"}
    assert [operations(other) for other in FORMATS if other != name] == [set()] * 3
