"""The official SDKs raise golden errors as what they are, and try again after the statuses that format.json lists.

They are why some rules are a MUST: what an SDK does next goes by the status, and its message by the envelope.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from every import every
from toolcall_conformance.judge.translation.outcome.upstream_errors import is_retried
from toolcall_conformance.library import load_corpus
from witnesses.wire import sdk

CORPUS = load_corpus()
GOLDENS = {
    f"{case.id}-{name}": (name, exchange, case.scenario["upstream_error"]["message"])
    for case in CORPUS.cases.values()
    if "upstream_error" in case.scenario
    for name in case.formats
    for exchange in case.exchanges(name)
    if exchange.error is not None
}
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

    def __init__(self, name: str, reply: Reply, *, insists: bool = False) -> None:
        witness = sdk(name)
        witness.wire.lay(reply["body"], reply["status"], reply["headers"])
        self.raised: Any = None
        try:
            witness.insist() if insists else witness.reply()
        except Exception as error:
            self.raised = error
        self.times = witness.wire.asked


@every("golden_id", GOLDENS, id=str)
def test_a_golden_is_raised_as_what_it_is(golden_id: str) -> None:
    name, exchange, message = GOLDENS[golden_id]
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
    """A golden error under another status."""
    error = next(
        exchange.error for format_name, exchange, _ in GOLDENS.values() if format_name == name and exchange.error
    )
    return {**error, "status": status, "headers": {}}


@each_format
def test_nothing_is_raised_for_an_error_with_a_status_of_success(name: str) -> None:
    """translation/upstream-error-status"""
    assert Asked(name, golden(name, 200)).raised is None
    assert Asked(name, golden(name, 429)).raised is not None


@every(
    "name, status",
    product(CORPUS.formats, STATUSES),
    id=lambda name, status: f"{status}-{name}",
    by=lambda name, _: name,
)
def test_tried_again_after_the_listed_statuses(name: str, status: int) -> None:
    """translation/upstream-error-retryable"""
    assert (Asked(name, golden(name, status), insists=True).times == 2) == is_retried(CORPUS.format(name), status)


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
    attribute = {"anthropic": "api_message", "gemini": "message"}.get(name)
    if attribute is not None:
        assert getattr(raised, attribute) is None or "message" in body  # Google takes one at the top, too
    else:
        assert (raised.type, raised.code, raised.param) == (None, None, None)
