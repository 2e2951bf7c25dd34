"""An error of the provider against what the client gets: status, message, time to wait, envelope."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.findings import Finding, Level

MESSAGE = "Too many requests."
STATUS = "translation/upstream-error-status"
RETRYABLE = "translation/upstream-error-retryable"
RATE_LIMIT = "translation/upstream-error-rate-limit"
CLASS = "translation/upstream-error-class"
MUST, SHOULD = Level.MUST, Level.SHOULD


def anthropic(status: int, message: str = MESSAGE, **headers: str) -> dict[str, Any]:
    types = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 409: "conflict_error"}
    kinds = {**types, 402: "billing_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return {"status": status, "headers": headers, "body": body}


def chat(status: int, message: str = MESSAGE, **headers: str) -> dict[str, Any]:
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    body = {"error": {"message": message, "type": kind, "param": None, "code": None}}
    return {"status": status, "headers": headers, "body": body}


def gemini(status: int, message: str = MESSAGE, *details: dict[str, Any], **headers: str) -> dict[str, Any]:
    names = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL"}
    name = names.get(status, "UNAVAILABLE" if status >= 500 else "NOT_FOUND" if status == 404 else "INVALID_ARGUMENT")
    error = {"code": status, "message": message, "status": name, "details": list(details)}
    return {"status": status, "headers": headers, "body": {"error": error}}


MAKE = {"anthropic": anthropic, "openai_chat": chat, "gemini": gemini}


def error_findings(
    source: Any, output: Any, client: str = "openai_chat", upstream: str = "anthropic"
) -> tuple[Finding, ...]:
    return judge(source, output, client=client, upstream=upstream, direction="error").findings


def levels_by_rule(source: Any, output: Any, **ends: str) -> dict[str, Level]:
    return {finding.rule: finding.level for finding in error_findings(source, output, **ends)}


@pytest.mark.parametrize(
    ("client", "want", "got", "expected"),
    [
        ("openai_chat", 400, 400, {}),
        ("openai_chat", 400, 422, {}),
        ("openai_chat", 413, 400, {}),
        ("openai_chat", 400, 404, {CLASS: SHOULD}),
        ("openai_chat", 401, 403, {CLASS: SHOULD}),
        ("openai_chat", 400, 500, {RETRYABLE: MUST}),
        ("openai_chat", 400, 429, {RETRYABLE: MUST}),
        ("openai_chat", 404, 503, {RETRYABLE: MUST}),
        ("openai_chat", 401, 502, {"translation/upstream-error-account-retryable": SHOULD}),
        ("openai_chat", 402, 429, {"translation/upstream-error-account-retryable": SHOULD}),
        ("openai_chat", 403, 500, {"translation/upstream-error-account-retryable": SHOULD}),
        ("openai_chat", 429, 429, {}),
        ("openai_chat", 429, 500, {RATE_LIMIT: MUST}),
        ("openai_chat", 429, 400, {RATE_LIMIT: MUST}),
        ("openai_chat", 429, 503, {"translation/upstream-error-rate-limit-as-overload": SHOULD}),
        ("anthropic", 429, 529, {"translation/upstream-error-rate-limit-as-overload": SHOULD}),
        ("gemini", 429, 503, {"translation/upstream-error-rate-limit-as-overload": SHOULD}),
        ("gemini", 429, 529, {RATE_LIMIT: MUST}),
        ("openai_chat", 529, 503, {}),
        ("openai_chat", 503, 599, {}),
        ("openai_chat", 529, 400, {RETRYABLE: MUST}),
        ("openai_chat", 500, 429, {CLASS: SHOULD}),
        ("openai_chat", 500, 408, {CLASS: SHOULD}),
        ("gemini", 529, 503, {}),
        ("gemini", 529, 529, {RETRYABLE: MUST}),
        ("gemini", 500, 501, {RETRYABLE: MUST}),
        ("gemini", 502, 500, {}),
        ("openai_chat", 409, 400, {CLASS: SHOULD}),
        ("openai_chat", 400, 409, {CLASS: SHOULD}),
        ("openai_chat", 500, 200, {STATUS: MUST}),
        ("openai_chat", 429, 302, {STATUS: MUST}),
        ("openai_chat", 400, 600, {STATUS: MUST}),
    ],
)
def test_status(client: str, want: int, got: int, expected: dict[str, Level]) -> None:
    upstream = "openai_chat" if client == "anthropic" else "anthropic"
    names = {"gemini/error-status-name", "anthropic/error-type-status", "openai_chat/error-type-status"}
    levels = levels_by_rule(MAKE[upstream](want), MAKE[client](got), client=client, upstream=upstream)
    assert {rule: level for rule, level in levels.items() if rule not in names} == expected


def test_a_finding_says_both_statuses_and_where() -> None:
    (finding,) = error_findings(anthropic(529), chat(400))
    assert (finding.pointer, finding.want, finding.got) == ("/status", 529, 400)
    assert "does not retry" in finding.message
    assert finding.element == "error"


@pytest.mark.parametrize(("status", "expected"), [(401, {}), (400, {CLASS: SHOULD}), (403, {CLASS: SHOULD})])
def test_a_wrong_key_that_gemini_calls_a_wrong_request(status: int, expected: dict[str, Level]) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    assert levels_by_rule(gemini(400, MESSAGE, detail), chat(status), upstream="gemini") == expected


@pytest.mark.parametrize(
    ("want", "got", "is_faithful"),
    [
        ("Wait.", "Wait.", True),
        ("Wait.", "  wait. Wait.\n", True),
        ("Wait  for\nit.", "Wait for it.", True),
        ('The key "x" is wrong.\nMend it.', "Provider: " + json.dumps('The key "x" is wrong.\nMend it.'), True),
        ("Wait.", "wait.", False),
        ("Wait.", "Something went wrong.", False),
        ("Wait.", "", False),
        ("", "Something went wrong.", True),
        ("  ", "", True),
    ],
)
def test_message(want: str, got: str, is_faithful: bool) -> None:
    assert levels_by_rule(anthropic(429, want), chat(429, got)) == (
        {} if is_faithful else {"translation/upstream-error-message": SHOULD}
    )


def retry_info(text: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": text}


DATE = "Sun, 22 Nov 2026 06:00:00 GMT"


@pytest.mark.parametrize(
    ("source_headers", "output_headers", "is_faithful"),
    [
        ({"retry-after": "17"}, {"retry-after": "17"}, True),
        ({"retry-after": "17"}, {"Retry-After": "18"}, True),
        ({"retry-after": "17"}, {"retry-after-ms": "17000"}, True),
        ({"retry-after-ms": "16512", "retry-after": "17"}, {"retry-after": "17"}, True),
        ({"retry-after": "17"}, {"retry-after": "16"}, False),
        ({"retry-after": "17"}, {"retry-after-ms": "17"}, False),
        ({"retry-after": "17"}, {}, False),
        ({"retry-after": "17"}, {"retry-after": "soon"}, False),
        ({"retry-after": "17"}, {"retry-after": "-17"}, False),
        ({"retry-after": DATE}, {"retry-after": DATE}, True),
        ({"retry-after": DATE}, {}, False),
        ({"retry-after": "soon"}, {}, True),
        ({}, {"retry-after": "5"}, True),
    ],
)
def test_time_to_wait(source_headers: dict[str, str], output_headers: dict[str, str], is_faithful: bool) -> None:
    expected = {} if is_faithful else {"translation/retry-after": SHOULD}
    assert levels_by_rule(anthropic(429, **source_headers), chat(429, **output_headers)) == expected
    assert levels_by_rule(chat(429, **source_headers), chat(429, **output_headers), upstream="openai_chat") == expected


def test_time_to_wait_in_the_body() -> None:
    assert levels_by_rule(gemini(429, MESSAGE, retry_info("17.2s")), chat(429), upstream="gemini") == {
        "translation/retry-after": SHOULD
    }
    assert (
        levels_by_rule(gemini(429, MESSAGE, retry_info("17.2s")), chat(429, **{"retry-after": "18"}), upstream="gemini")
        == {}
    )
    assert (
        levels_by_rule(
            anthropic(429, **{"retry-after": "17"}), gemini(429, MESSAGE, retry_info("17s")), client="gemini"
        )
        == {}
    )


def test_translators_without_headers_need_none() -> None:
    output = chat(429)
    del output["headers"]
    assert levels_by_rule(anthropic(429, **{"retry-after": "17"}), output) == {}


@pytest.mark.parametrize("client", MAKE)
def test_one_finding_for_the_envelope_of_another_api(client: str) -> None:
    for upstream, make in MAKE.items():
        if upstream != client:
            (finding,) = error_findings(make(429), make(429), client=client, upstream=upstream)
            assert (finding.rule, finding.level, finding.pointer) == ("translation/target-format", MUST, "/body")
            assert upstream in finding.message


def test_both_openai_formats_have_one_envelope() -> None:
    assert levels_by_rule(chat(429), chat(429), client="openai_responses", upstream="openai_chat") == {}


@pytest.mark.parametrize("client", MAKE)
@pytest.mark.parametrize("body", [{"error": MESSAGE}, {"message": MESSAGE}, {}, [], {"error": {"error": {}}}, None])
def test_a_body_that_is_no_error_of_anybody(client: str, body: Any) -> None:
    upstream = "gemini" if client == "anthropic" else "anthropic"
    levels = levels_by_rule(
        MAKE[upstream](429), {"status": 429, "headers": {}, "body": body}, client=client, upstream=upstream
    )
    assert levels[f"{client}/error-envelope"] is MUST


def test_what_the_source_breaks_itself_is_a_note() -> None:
    source = {"status": 429, "headers": {}, "body": {"error": MESSAGE}}
    assert levels_by_rule(
        source, {"status": 429, "headers": {}, "body": {"error": {"type": "x", "param": None, "code": None}}}
    ) == {"openai_chat/error-envelope": Level.NOTE}


def test_between_two_ends_of_one_format_status_and_body_are_compared_as_json() -> None:
    ends = {"client": "openai_chat", "upstream": "openai_chat"}
    assert levels_by_rule(chat(503), chat(503, **{"x-gateway": "mine"}), **ends) == {}
    changed = chat(503)
    changed["body"]["error"]["trace"] = 1
    (finding,) = error_findings(chat(503), changed, **ends)
    assert (finding.rule, finding.pointer) == ("translation/identity", "/body/error/trace")
    assert levels_by_rule(chat(503), chat(500), **ends) == {"translation/identity-spelling": SHOULD}
    assert levels_by_rule(chat(503), {**chat(503), "status": 200}, **ends) == {STATUS: MUST}


@pytest.mark.parametrize("output", [None, [], "429", 429])
def test_an_output_that_is_no_object(output: Any) -> None:
    assert levels_by_rule(anthropic(429), output) == {"translation/target-format": MUST}
