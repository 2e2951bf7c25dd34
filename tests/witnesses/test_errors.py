"""Errors of an upstream: the SDKs take the golden ones as what they are, and send again what ``format.json`` says."""

from __future__ import annotations

import contextlib

import pytest

from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.library import Case, load_corpus
from witnesses.conversation import QUIET, USERS, user
from witnesses.full_replies import CONVERSATIONS
from witnesses.wire import Wire

pytestmark = QUIET

CORPUS = load_corpus()
FAILED = [
    (case, name)
    for case in CORPUS.cases.values()
    for name in case.formats
    if any(exchange.error is not None for exchange in case.exchanges(name))
]
STATUSES = (400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529)


@pytest.mark.parametrize(("case", "name"), FAILED, ids=lambda value: getattr(value, "id", value))
def test_an_sdk_tells_its_user_the_golden_error(case: Case, name: str) -> None:
    someone, wire = user(name)
    for exchange in case.exchanges(name):
        if exchange.error is None:
            continue
        wire.errors = [exchange.error]
        with pytest.raises(someone.error) as caught:
            someone.ask(exchange.request, someone.opening(exchange.request), case.model(name))
        status, body = someone.told(caught.value)
        assert status == exchange.error["status"]
        assert equal(body, exchange.error["body"])


@pytest.mark.parametrize("name", USERS)
def test_an_sdk_sends_again_after_the_statuses_that_the_corpus_names(name: str) -> None:
    wire = Wire()
    someone = USERS[name](wire, retries=1)
    request = CONVERSATIONS[name][0].request
    wire.reply = CONVERSATIONS[name][0].response
    named = CORPUS.format(name)["retried_statuses"]
    for status in STATUSES:
        # One millisecond: the SDKs wait as long as they are told.
        wire.errors = [{"status": status, "headers": {"retry-after-ms": "1"}, "body": {"error": {"message": "no"}}}]
        again = any(low <= status <= high for low, high in named)
        with contextlib.nullcontext() if again else pytest.raises(someone.error):
            someone.ask(request, someone.opening(request), "model")
