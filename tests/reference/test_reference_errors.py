"""The reference on errors of the upstream: what it makes of statuses, waits, details, and bodies of no API."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, REQUESTS, open_way
from toolcall_reference.render import render

SCENARIO: dict[str, Any] = {
    "id": "errors/any",
    "conversation": [{"role": "user", "content": [{"text": "Hi"}]}],
    "upstream_error": {"exchange": 1, "kind": "rate_limit", "message": "Wait.", "retry_after": 3},
}


def wire(name: str, status: int, message: str = "Wait.") -> dict[str, Any]:
    if name == "anthropic":
        return {"type": "error", "error": {"type": "api_error", "message": message}}
    if name == "gemini":
        return {"error": {"code": status, "message": message, "status": "UNKNOWN"}}
    return {"error": {"message": message, "type": "server_error", "param": None, "code": None}}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, {"anthropic": 400, "openai_chat": 400, "openai_responses": 400, "gemini": 400}),
        (402, {"anthropic": 402, "openai_chat": 402, "openai_responses": 402, "gemini": 402}),
        (404, {"anthropic": 404, "openai_chat": 404, "openai_responses": 404, "gemini": 404}),
        (422, {"anthropic": 422, "openai_chat": 422, "openai_responses": 422, "gemini": 422}),
        (429, {"anthropic": 429, "openai_chat": 429, "openai_responses": 429, "gemini": 429}),
        (500, {"anthropic": 500, "openai_chat": 500, "openai_responses": 500, "gemini": 500}),
        (502, {"anthropic": 502, "openai_chat": 502, "openai_responses": 502, "gemini": 500}),
        (501, {"anthropic": 501, "openai_chat": 501, "openai_responses": 501, "gemini": 500}),
        (503, {"anthropic": 529, "openai_chat": 503, "openai_responses": 503, "gemini": 503}),
        (529, {"anthropic": 529, "openai_chat": 503, "openai_responses": 503, "gemini": 503}),
    ],
)
def test_statuses(status: int, expected: dict[str, int]) -> None:
    for client, upstream in itertools.permutations(FORMATS, 2):
        if {client, upstream} == {"openai_chat", "openai_responses"}:
            continue
        got, body, _ = open_way(client, upstream).error(status, wire(upstream, status), {})
        assert got == expected[client], (client, upstream)
        assert body["error"]["message"] == "Wait."
        if client == "gemini":
            assert body["error"]["code"] == got


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_format_is_identity(name: str) -> None:
    body = {**wire(name, 500), "unheard_of": [1.0, None]}
    assert open_way(name, name).error(599, body, {"x-any": "1"}) == (599, body, {"x-any": "1"})


def test_the_two_openai_formats_share_the_error_object() -> None:
    body = {"error": {"message": "No.", "type": "tokens", "param": "tools[0]", "code": "x", "more": 1}}
    assert open_way("openai_chat", "openai_responses").error(418, body, {})[:2] == (418, body)


@pytest.mark.parametrize(
    "body", [{"error": "Wait."}, {"message": "Wait."}, {"detail": "Wait."}, {"error": {"detail": "Wait."}}]
)
def test_the_text_of_another_shape_is_kept(body: dict[str, Any]) -> None:
    for client, upstream in itertools.permutations(FORMATS, 2):
        _, output, _ = open_way(client, upstream).error(429, body, {})
        assert output["error"]["message"] == "Wait."


@pytest.mark.parametrize("body", [{}, {"error": None}, {"error": []}, {"error": {"message": 7}}, {"type": "error"}])
def test_a_body_that_says_nothing_still_has_a_status(body: dict[str, Any]) -> None:
    for client, upstream in itertools.permutations(FORMATS, 2):
        status, output, _ = open_way(client, upstream).error(500, body, {})
        assert (status, output["error"]["message"]) == (500, "HTTP 500")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "17"}, "17"),
        ({"Retry-After": "17"}, "17"),
        ({"retry-after-ms": "1200", "retry-after": "9"}, "2"),
        ({"retry-after-ms": "soon", "retry-after": "9"}, "9"),
        ({"retry-after": "Sun, 22 Nov 2026 06:00:00 GMT"}, "Sun, 22 Nov 2026 06:00:00 GMT"),
        ({"content-length": "99"}, None),
    ],
)
def test_time_to_wait(headers: dict[str, str], wait: str | None) -> None:
    _, _, output_headers = open_way("anthropic", "openai_chat").error(429, wire("openai_chat", 429), headers)
    assert output_headers.get("retry-after") == wait
    assert "content-length" not in output_headers
    _, body, _ = open_way("gemini", "openai_chat").error(429, wire("openai_chat", 429), headers)
    details = body["error"].get("details")
    assert details == (
        [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{wait}s"}]
        if wait and wait.isdigit()
        else None
    )


def test_details_of_gemini() -> None:
    kind = "type.googleapis.com/google.rpc."
    error = {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}
    error["details"] = [{"@type": kind + "ErrorInfo", "reason": "API_KEY_INVALID"}, {"@type": kind + "Help"}, "odd"]
    session = open_way("openai_chat", "gemini")
    status, body, _ = session.error(400, {"error": error}, {})
    assert (status, body["error"]["code"]) == (401, "invalid_api_key")
    assert [(loss.element, loss.where) for loss in session.losses] == [("error", "Help")]
    error["details"] = [{"@type": kind + "RetryInfo", "retryDelay": "1.4s"}]
    assert session.error(429, {"error": error}, {})[2]["retry-after"] == "2"
    assert session.error(429, {"error": error}, {"retry-after": "5"})[2]["retry-after"] == "5"


def test_an_overload_of_anthropic_under_another_status() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Later."}}
    assert open_way("openai_chat", "anthropic").error(500, body, {})[0] == 503
    assert open_way("openai_chat", "anthropic").error(400, body, {})[0] == 400


@pytest.mark.parametrize("upstream", FORMATS)
def test_the_session_goes_on_after_an_error(upstream: str) -> None:
    client = "openai_chat" if upstream == "anthropic" else "anthropic"
    session = open_way(client, upstream)
    before = session.request(REQUESTS[client])
    session.error(429, wire(upstream, 429), {})
    assert session.request(REQUESTS[client]) == before


@pytest.mark.parametrize("name", FORMATS)
def test_an_error_is_rendered_after_the_request(name: str) -> None:
    bodies = render(SCENARIO, {}, name)
    assert list(bodies) == ["01-request.json", "01-error.json"]
    assert bodies == render(SCENARIO, {}, name)
    answered = {
        **SCENARIO,
        "conversation": [*SCENARIO["conversation"], {"role": "assistant", "content": [{"text": "Hi"}]}],
    }
    assert list(render(answered, {}, name)) == ["01-request.json", "01-error.json", "01-response.json"]
    assert "01-error.json" not in render(
        {**answered, "upstream_error": {**SCENARIO["upstream_error"], "exchange": 3}}, {}, name
    )
