"""What the corpus's pairs of bodies never hold: values, replies and errors at the edges of what formats allow."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge import Ends, Judge, judge_variants
from toolcall_conformance.judge.translation.outcome.upstream_errors import compare_errors
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.results.failures import looks_like_error
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()


def rules(source: Any, output: Any, client: str, upstream: str, **more: Any) -> set[str]:
    """The rules of translation that are broken, notes aside."""
    findings = judge(source, output, client=client, upstream=upstream, **more).findings
    own = {finding.rule for finding in findings if finding.level is not Level.NOTE}
    return {rule.removeprefix("translation/") for rule in own if rule.startswith("translation/")}


def chat(arguments: str, *more: dict[str, Any]) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}
    turns = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]}, result]
    return {"model": "m", "messages": [*turns, *more]}


def anthropic(arguments: Any, *content: dict[str, Any]) -> dict[str, Any]:
    call = {"type": "tool_use", "id": "call_1", "name": "f", "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "call_1", "content": "ok"}
    turns = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}]
    return {"model": "m", "max_tokens": 9, "messages": [*turns, {"role": "user", "content": [result, *content]}]}


def gemini(arguments: Any) -> dict[str, Any]:
    call = {"functionCall": {"id": "call_1", "name": "f", "args": arguments}}
    result = {"functionResponse": {"id": "call_1", "name": "f", "response": {"output": "ok"}}}
    turns = [{"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": [call]}]
    return {"contents": [*turns, {"role": "user", "parts": [result]}]}


def test_arguments_that_are_no_json_may_be_in_a_list() -> None:
    rule_names = rules(chat("not json"), anthropic({"raw": ["not json"]}), "openai_chat", "anthropic")
    assert "unreadable-arguments" not in rule_names
    assert "unreadable-arguments" in rules(chat("not json"), anthropic({"raw": ["other"]}), "openai_chat", "anthropic")


def test_numbers_beyond_every_double() -> None:
    large, larger = 10**400, 10**400 + 1
    assert rules(chat(json.dumps({"n": large})), gemini({"n": large}), "openai_chat", "gemini") == set()
    assert "arguments" in rules(chat(json.dumps({"n": large})), gemini({"n": larger}), "openai_chat", "gemini")


def test_arguments_encoded_again_and_again() -> None:
    def twice(text: str) -> bool:
        findings = judge(anthropic({"a": 1}), chat(text), client="anthropic", upstream="openai_chat").findings
        (finding,) = (finding for finding in findings if finding.rule == "translation/arguments")
        return "encoded twice" in finding.message

    assert twice(json.dumps(json.dumps({"a": 1})))
    assert not twice(json.dumps("[2]"))
    assert not twice(json.dumps(json.dumps(json.dumps(json.dumps(json.dumps("5"))))))


def test_an_output_that_is_no_object() -> None:
    suite_judge, ends = Judge(CORPUS), Ends("openai_chat", "anthropic")
    judgements = [
        suite_judge.history(anthropic({}), [], ends),
        suite_judge.round_trip(chat("{}"), "text", own="openai_chat", through="anthropic", direction="request"),
    ]
    assert [[finding.rule for finding in judgement.findings] for judgement in judgements] == [
        ["translation/target-format"]
    ] * 2


def test_the_same_format_without_a_conversation() -> None:
    assert rules(chat("{}"), {"model": "m"}, "openai_chat", "openai_chat") == {"target-format"}


def test_not_every_difference_of_the_same_format_is_listed() -> None:
    many = {f"x_{number}": number for number in range(200)}
    judgement = judge(chat("{}") | {"metadata": many}, chat("{}"), client="openai_chat", upstream="openai_chat")
    assert 0 < len(judgement.findings) < 100


def reply(reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": "Hi."}
    return {"choices": [{"index": 0, "finish_reason": reason, "message": message}]}


def answer(reason: str) -> dict[str, Any]:
    text = {"type": "text", "text": "Hi."}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "m", "type": "message", "role": "assistant", "model": "m",
        "content": [text], "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def test_an_unknown_reason_demands_nothing() -> None:
    ends = {"client": "anthropic", "upstream": "openai_chat", "direction": "response"}
    assert rules(reply("length"), answer("end_turn"), **ends) == {"finish-reason"}
    assert rules(reply("solar_flare"), answer("end_turn"), **ends) == set()


def failure(status: int) -> dict[str, Any]:
    return {"status": status, "body": {"error": {"message": "no", "type": "server_error"}}}


def test_an_error_with_a_status_of_success_is_compared_by_its_words() -> None:
    error = {"status": 500, "body": {"type": "error", "error": {"type": "api_error", "message": "no"}}}
    ends = {"client": "anthropic", "upstream": "openai_chat", "direction": "error"}
    assert rules(failure(500), error, **ends) == set()
    assert rules(failure(200), error, **ends) == set()
    other = {"status": 500, "body": {"type": "error", "error": {"type": "api_error", "message": "yes"}}}
    assert rules(failure(200), other, **ends) == {"upstream-error-message"}


def test_tools_without_names_are_no_twins() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    nameless = {"input_schema": {"type": "object", "properties": {}}}
    rule_names = rules(
        chat("{}") | {"tools": [tool]}, anthropic({}) | {"tools": [nameless]}, "openai_chat", "anthropic"
    )
    assert {"tool-lost", "tool-invented"} <= rule_names


def test_a_number_of_a_setting_in_another_spelling() -> None:
    output = anthropic({}) | {"temperature": 1.0}
    judgement = judge(
        chat("{}") | {"temperature": 1}, output, client="openai_chat", upstream="anthropic", tolerated=True
    )
    assert [deviation.source_pointer for deviation in judgement.tolerated if deviation.name == "number-spelling"] == [
        "/temperature"
    ]


def document(mime: str, data: bytes | str) -> dict[str, Any]:
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    file = {"filename": "a.txt", "file_data": f"data:{mime};base64,{text}"}
    return {"role": "user", "content": [{"type": "file", "file": file}]}


def test_a_plain_text_document_whose_bytes_are_no_text() -> None:
    source = {"inlineData": {"mimeType": "text/plain", "data": base64.b64encode(b"\xff\xfe").decode()}}
    request = {"contents": [{"role": "user", "parts": [{"text": "go"}, source]}]}
    output = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
    assert "media-lost" in rules(request, output, "gemini", "anthropic")


def test_a_text_under_another_type_of_text() -> None:
    bodies = [
        {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": mime, "data": "aGVsbG8="}}]}]}
        for mime in ("text/markdown", "text/plain", "application/pdf")
    ]
    chats = [
        {"model": "m", "messages": [document(mime, b"hello")]}
        for mime in ("text/markdown", "text/plain", "application/pdf")
    ]
    assert "media-lost" not in rules(bodies[0], chats[1], "gemini", "openai_chat")
    assert "media-lost" in rules(bodies[0], chats[2], "gemini", "openai_chat")


def responses(**more: Any) -> dict[str, Any]:
    call = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    return {"model": "m", "input": [{"role": "user", "content": "go"}, call, result], **more}


def test_forms_of_replies_with_and_without_a_schema() -> None:
    closed = {"name": "n", "schema": {"type": "object", "properties": {}}}
    forms: list[dict[str, Any]] = [{"type": "json_schema", **closed}, {"type": "json_schema", "name": "n"}]
    forms.append({"type": "json_object"})

    def rules_of_form(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
        inner = {key: value for key, value in before.items() if key != "type"}
        request = chat("{}") | {"response_format": {"type": "json_schema", "json_schema": inner}}
        return rules(request, responses(text={"format": after}), "openai_chat", "openai_responses")

    assert (
        rules_of_form(forms[0], forms[0])
        == rules_of_form(forms[1], forms[1])
        == rules_of_form(forms[1], forms[0])
        == set()
    )
    assert rules_of_form(forms[0], forms[1]) == rules_of_form(forms[0], forms[2]) == {"response-format-changed"}


def test_a_choice_and_a_flag_where_there_are_no_calls() -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "go"}]}
    output = request | {"max_tokens": 9}
    function = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    tool = {"name": "f", "input_schema": {"type": "object", "properties": {}}}
    rule_names = rules(request, output | {"tool_choice": {"type": "any"}}, "openai_chat", "anthropic")
    assert rule_names == {"tool-choice"}
    flag = {"parallel_tool_calls": False}
    none = {"tools": [tool], "tool_choice": {"type": "none"}}
    assert rules(request | flag, output, "openai_chat", "anthropic") == set()
    request_with_tools = request | flag | {"tools": [function]}
    assert rules(request_with_tools | {"tool_choice": "none"}, output | none, "openai_chat", "anthropic") == set()
    assert rules(request_with_tools, output | {"tools": [tool]}, "openai_chat", "anthropic") == {"parallel-flag"}


def anthropic_request_with_result(content: Any, *, failed: bool = False) -> dict[str, Any]:
    body = anthropic({})
    result = body["messages"][-1]["content"][0]
    result.update({"content": content} | ({"is_error": True} if failed else {}))
    return body


def chat_request_with_result(text: str) -> dict[str, Any]:
    body = chat("{}") | {"max_completion_tokens": 9}
    body["messages"][-1]["content"] = text
    return body


def gemini_request_with_result(response: dict[str, Any]) -> dict[str, Any]:
    body = gemini({}) | {"generationConfig": {"maxOutputTokens": 9}}
    body["contents"][-1]["parts"][0]["functionResponse"]["response"] = response
    return body


FULL = "The disk is full"
FAILED = anthropic_request_with_result(FULL, failed=True)
RESULTS: dict[str, tuple[Any, Any, set[str]]] = {
    "a-list-of-texts": (
        anthropic_request_with_result([{"type": "text", "text": text} for text in "ab"]),
        gemini_request_with_result({"output": ["a", "b"]}),
        {"result-wrapped"},
    ),
    "a-number-for-the-message": (FAILED, gemini_request_with_result({"error": 5}), {"error-message"}),
    "an-object-for-the-message": (
        FAILED,
        gemini_request_with_result({"output": {"error": 5}}),
        {"error-mark", "error-message"},
    ),
    "a-message-for-none": (
        anthropic_request_with_result("", failed=True),
        chat_request_with_result("x"),
        {"result-content"},
    ),
    "a-denial-of-other-words": (
        FAILED,
        chat_request_with_result(f"Not so (it seems to me): failed: {FULL}"),
        {"error-message-extended"},
    ),
    "a-denial-far-away": (FAILED, chat_request_with_result(f"no; failure. {FULL}"), {"error-message-extended"}),
    "an-object-that-says-error-by-itself": (
        gemini_request_with_result({"error": True, "code": 7}),
        anthropic_request_with_result('{"error": true, "code": 7}', failed=True),
        set(),
    ),
    "bytes-that-are-no-text": (
        anthropic_request_with_result(
            [{"type": "document", "source": {"type": "base64", "media_type": "text/plain", "data": "//4="}}]
        ),
        gemini_request_with_result({"output": "other"}),
        {"media-lost", "result-content"},
    ),
    "an-object-that-says-error": (
        gemini_request_with_result({"output": {"error": 7}}),
        anthropic_request_with_result('{"error": 7}', failed=True),
        {"error-mark-invented"},
    ),
}


@pytest.mark.parametrize(("source", "output", "expected"), RESULTS.values(), ids=RESULTS)
def test_results(source: Any, output: Any, expected: set[str]) -> None:
    client = "anthropic" if "max_tokens" in source else "gemini"
    upstream = next(name for name, key in MARKS.items() if key in output)
    assert rules(source, output, client, upstream) - {"tools-declared"} == expected


MARKS = {"gemini": "contents", "anthropic": "max_tokens", "openai_chat": "messages"}


def test_a_pair_of_which_one_is_no_error_is_not_compared() -> None:
    corpus = load_corpus()
    read = formats.read("anthropic", "response", answer("end_turn"))
    assert list(compare_errors(Sides(corpus, read, read))) == []


def test_an_error_that_cannot_be_read_is_not_compared() -> None:
    error = {"status": 500, "body": {"type": "error", "error": {"type": "api_error", "message": "no"}}}
    ends = {"client": "anthropic", "upstream": "openai_chat", "direction": "error"}
    assert rules({"status": 500, "body": "text"}, error, **ends) == set()


def test_a_tool_that_lost_its_name_is_known_by_its_words() -> None:
    description = {"description": "Search the manual of it."}
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema, **description}}
    nameless = {"input_schema": schema, **description}
    rule_names = rules(
        chat("{}") | {"tools": [tool]}, anthropic({}) | {"tools": [nameless]}, "openai_chat", "anthropic"
    )
    assert rule_names == {"tool-name-kept"}


def test_an_object_that_says_error_reads_like_a_failure() -> None:
    def read(value: Any) -> bool:
        (result,) = formats.read("gemini", "request", gemini_request_with_result(value)).results
        return looks_like_error(CORPUS, result)

    assert read({"error": 5, "code": 1})
    assert not read({"error": 0, "code": 1})


def message_with_thinking(text: str, *more: dict[str, Any]) -> dict[str, Any]:
    """An assistant's message that begins with thinking."""
    return {"role": "assistant", "content": [{"type": "thinking", "thinking": text, "signature": "c2ln"}, *more]}


def history_rules(golden: list[Any], output: list[Any]) -> set[str]:
    settings = {"model": "m", "max_tokens": 9}
    ends = Ends("openai_chat", "anthropic")
    findings = Judge(CORPUS).history({**settings, "messages": golden}, {**settings, "messages": output}, ends).findings
    return {
        finding.rule.removeprefix("translation/") for finding in findings if finding.rule.startswith("translation/")
    }


def test_state_where_nothing_is_called() -> None:
    messages = [{"role": "user", "content": "go"}, message_with_thinking("Hm.", {"type": "text", "text": "Hi."})]
    messages.append({"role": "user", "content": "on"})
    assert history_rules(messages, messages) == set()


def test_state_of_a_call_that_is_lost_is_not_moved() -> None:
    first, _, result = anthropic({})["messages"]
    call = anthropic({})["messages"][1]["content"][0]
    rest = [message_with_thinking("Hm.", {"type": "text", "text": "Hi."}), {"role": "user", "content": "on"}]
    rule_names = history_rules([first, message_with_thinking("Hm.", call), result, rest[1]], [first, *rest])
    assert "call-lost" in rule_names
    assert "state-moved" not in rule_names


def stored_request(*items: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "previous_response_id": "resp_1", "input": list(items)}


def test_calls_of_the_new_part_of_a_kept_conversation() -> None:
    call, result = responses()["input"][1:]
    body = anthropic({})
    body["messages"][:1] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "here"},
    ]
    source = stored_request({"role": "user", "content": "here"}, call, result)
    assert rules(source, body, "openai_responses", "anthropic") == set()
    body["messages"][3]["content"][0]["name"] = "g"
    assert "call-name" in rules(source, body, "openai_responses", "anthropic")


def test_a_result_that_nobody_gave_in_a_kept_conversation() -> None:
    body = anthropic({}, {"type": "text", "text": "on"})
    rule_names = rules(stored_request({"role": "user", "content": "on"}), body, "openai_responses", "anthropic")
    assert "result-invented" in rule_names


def test_two_pictures_under_one_caption_may_go_into_the_result() -> None:
    pictures = [f"data:image/png;base64,{data}" for data in ("aGk=", "aGU=")]
    images = [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
    caption = {"type": "text", "text": "Pictures from call_1:"}
    source = chat("{}", {"role": "user", "content": [caption, *images]})
    inside = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": url.partition(",")[2]}}
        for url in pictures
    ]
    output = anthropic({})
    output["messages"][-1]["content"][0]["content"] = [{"type": "text", "text": "ok"}, *inside]
    assert rules(source, output, "openai_chat", "anthropic") == set()
    output["messages"][-1]["content"][0]["content"].pop()
    assert "media-lost" in rules(source, output, "openai_chat", "anthropic")


def test_text_after_a_call_may_come_before_it_where_no_order_is_kept() -> None:
    source = anthropic({})
    source["messages"][1]["content"].append({"type": "text", "text": "I wait for it."})
    output = chat("{}") | {"max_completion_tokens": 9}
    output["messages"][1]["content"] = "I wait for it."
    judgement = judge(source, output, client="anthropic", upstream="openai_chat", tolerated=True)
    assert "text-before-calls" in {deviation.name for deviation in judgement.tolerated}


TEXTS: dict[str, tuple[list[str], list[str]]] = {
    "a-tag-behind-a-blank-beginning": (["\n <b>leading</b>", "x y"], ["\n <b>leading!</b>", "x y"]),
    "a-blank-beginning": ([" leading", "x y"], [" leading!", "x y"]),
    "cut-in-the-middle-of-another": (["Intro", "Hello world", "End"], ["Other", "Hello", "world", "End!"]),
    "other-white-space": (["a  b"], ["c", "a b"]),
    "other-white-space-at-the-end": (["one", "two  words"], ["zero", "two words"]),
}


@pytest.mark.parametrize(("before", "after"), TEXTS.values(), ids=TEXTS)
def test_texts_that_are_nearly_the_same(before: list[str], after: list[str]) -> None:
    def request_with_texts(texts: list[str]) -> dict[str, Any]:
        content = [{"type": "text", "text": text} for text in texts]
        return {"model": "m", "messages": [{"role": "user", "content": content}]}

    assert rules(
        request_with_texts(before), request_with_texts(after) | {"max_tokens": 9}, "openai_chat", "anthropic"
    ) == {"text-changed"}


def test_no_more_than_a_few_differences_of_the_same_format() -> None:
    source = chat("{}") | {f"x_{number}": number for number in range(30)}
    assert len(judge(source, chat("{}"), client="openai_chat", upstream="openai_chat").findings) == 20


def test_a_name_in_the_proto_s_spelling_is_listed() -> None:
    picture = {"inline_data": {"mime_type": "image/png", "data": "aGk="}}
    source = {"contents": [{"role": "user", "parts": [{"text": "go"}, picture]}]}
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    output = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "go"}, part]}]}
    judgement = judge(source, output, client="gemini", upstream="openai_chat", tolerated=True)
    place = "/contents/0/parts/1/inline_data"
    names = [deviation.source_pointer for deviation in judgement.tolerated if deviation.name == "proto-json-names"]
    assert names == [place, f"{place}/mime_type"]


@pytest.mark.parametrize("got", [[{"run": "7"}], "7", 7, True])
def test_a_setting_that_was_an_object_is_another_value(got: Any) -> None:
    """Metadata and how much to think are objects; anything else in their place is reported, and nothing raises."""
    source = {"model": "m", "messages": [{"role": "user", "content": "go"}], "metadata": {"run": "7"}, "store": True}
    output = {"model": "m", "input": "go", "metadata": got, "store": True}
    findings = judge(source, output, client="openai_chat", upstream="openai_responses").findings
    assert any(finding.pointer.startswith("/metadata") for finding in findings)


@pytest.mark.parametrize("sentence", ["[the]", "hello"])
def test_bytes_that_are_no_text_are_not_replaced_by_words(sentence: str) -> None:
    data = base64.b64encode(b"\xff\xfe").decode()
    parts = [{"text": "go"}, {"inlineData": {"mimeType": "text/plain", "data": data}}]
    content = [{"type": "text", "text": text} for text in ("go", sentence)]
    output = {"model": "m", "messages": [{"role": "user", "content": content}]}
    rule_names = rules({"contents": [{"role": "user", "parts": parts}]}, output, "gemini", "openai_chat")
    assert rule_names == {"media-unmentioned", "text-invented"}


def test_judgements_are_kept_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_variants, "MAX_CACHED_JUDGEMENTS", 2)
    caching_judge, ends = judge_variants.CachingJudge(CORPUS), Ends("openai_chat", "anthropic")
    first = caching_judge.history(anthropic({}), anthropic({}), ends)
    assert caching_judge.history(anthropic({}), anthropic({}), ends) is first
    for number in range(3):
        caching_judge.history(anthropic({"n": number}), anthropic({"n": number}), ends)
    assert len(caching_judge) == 2
