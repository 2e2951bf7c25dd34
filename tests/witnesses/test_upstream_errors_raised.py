"""The official SDKs raise golden errors as what they are, and try again after the statuses that format.json lists.

They are why some rules are a MUST: what an SDK does next goes by the status, and what it tells by the envelope.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from toolcall_conformance.library import Exchange, load_corpus
from toolcall_conformance.translation.upstream_errors import retried

CORPUS = load_corpus()
GOLDENS = {
    f"{case.id}-{name}": (name, exchange, case.scenario["upstream_error"]["message"])
    for case in CORPUS.cases.values()
    if "upstream_error" in case.scenario
    for name in case.formats
    for exchange in case.exchanges(name)
    if exchange.error is not None
}
each_golden = pytest.mark.parametrize(("name", "exchange", "message"), GOLDENS.values(), ids=GOLDENS)
each_format = pytest.mark.parametrize("name", CORPUS.formats)
STATUSES = (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504, 529)

#: The exceptions of the SDKs of OpenAI and Anthropic by status; Google's has one for 4xx and one for 5xx.
RAISED = {
    400: "BadRequestError",
    401: "AuthenticationError",
    429: "RateLimitError",
    500: "InternalServerError",
    503: "InternalServerError",
    529: "OverloadedError",
}

Reply = dict[str, Any]


class Asked:
    """How often an SDK asked, and what it raised in the end; ``raised`` is None if nothing."""

    def __init__(self, name: str, reply: Reply, retries: int = 0) -> None:
        httpx2 = pytest.importorskip("httpx2", reason="the SDKs' HTTP library is not installed (extra `dev`)")
        self.times = 0
        self.raised: Any = None

        def answer(_request: Any) -> Any:
            self.times += 1
            content = json.dumps(reply["body"]).encode()
            return httpx2.Response(reply["status"], content=content, headers=reply["headers"])

        try:
            _USERS[name](httpx2.Client(transport=httpx2.MockTransport(answer)), retries)
        except Exception as error:
            self.raised = error


def _anthropic(client: Any, retries: int) -> None:
    sdk = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
    sdk.Anthropic(api_key="key", http_client=client, max_retries=retries).messages.create(
        model="claude", max_tokens=10, messages=[{"role": "user", "content": "Hi"}]
    )


def _openai_chat(client: Any, retries: int) -> None:
    sdk = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    sdk.OpenAI(api_key="key", http_client=client, max_retries=retries).chat.completions.create(
        model="gpt-4.1", messages=[{"role": "user", "content": "Hi"}]
    )


def _openai_responses(client: Any, retries: int) -> None:
    sdk = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    sdk.OpenAI(api_key="key", http_client=client, max_retries=retries).responses.create(model="gpt-4.1", input="Hi")


def _gemini(client: Any, retries: int) -> None:
    genai = pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
    # It has to be told to try again at all.
    again = genai.types.HttpRetryOptions(attempts=retries + 1, initial_delay=0.0, max_delay=0.0, jitter=0.0)
    options = genai.types.HttpOptions(httpx_client=client, retry_options=again)
    sdk = genai.Client(api_key="key", http_options=options)
    sdk.models.generate_content(model="gemini-2.5-flash", contents="Hi")


_USERS: dict[str, Callable[[Any, int], None]] = {
    "anthropic": _anthropic,
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "gemini": _gemini,
}


@each_golden
def test_a_golden_is_raised_as_what_it_is(name: str, exchange: Exchange, message: str) -> None:
    reply = exchange.error
    raised = Asked(name, reply).raised
    assert message in str(raised)
    error = reply["body"]["error"]
    if name == "gemini":
        assert type(raised).__name__ == ("ClientError" if reply["status"] < 500 else "ServerError")
        assert (raised.code, raised.message, raised.status) == (reply["status"], message, error["status"])
    else:
        assert RAISED[reply["status"]] in {base.__name__ for base in type(raised).__mro__}
        assert (raised.status_code, raised.type) == (reply["status"], error["type"])


def golden(name: str, status: int) -> Reply:
    """A golden error under another status, with the order to wait no time at all."""
    wanted = next(exchange.error for one, exchange, _ in GOLDENS.values() if one == name and exchange.error)
    return {**wanted, "status": status, "headers": {"content-type": "application/json", "retry-after-ms": "1"}}


@each_format
def test_nothing_is_raised_for_an_error_with_a_status_of_success(name: str) -> None:
    """translation/upstream-error-status"""
    assert Asked(name, golden(name, 200)).raised is None
    assert Asked(name, golden(name, 429)).raised is not None


@each_format
@pytest.mark.parametrize("status", STATUSES)
def test_tried_again_after_the_listed_statuses(name: str, status: int) -> None:
    """translation/upstream-error-retryable"""
    assert (Asked(name, golden(name, status), retries=1).times == 2) == retried(CORPUS.format(name), status)


@each_format
def test_an_exception_of_its_own_for_a_rate_limit(name: str) -> None:
    """translation/upstream-error-rate-limit"""
    others = {type(Asked(name, golden(name, status)).raised) for status in (500, 502, 503)}
    assert type(Asked(name, golden(name, 429)).raised) not in others


@each_format
@pytest.mark.parametrize("body", [{"error": "Too many requests."}, {"message": "Too many requests."}, {"detail": []}])
def test_a_message_outside_the_envelope_is_no_message_of_the_error(name: str, body: dict[str, Any]) -> None:
    """The envelopes' rules: the text is nowhere that an SDK offers it as the error's own."""
    raised = Asked(name, {**golden(name, 429), "body": body}).raised
    told = {"anthropic": "api_message", "gemini": "message"}.get(name)
    if told is not None:
        assert getattr(raised, told) is None or "message" in body  # Google takes one at the top, too
    else:
        assert (raised.type, raised.code, raised.param) == (None, None, None)
