"""Golden errors of the upstream are legal in their own format and say what the scenario says."""

from __future__ import annotations

from every import every
from toolcall_conformance import formats
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.outcome.upstream_errors import error_kind
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
GOLDENS = {
    f"{case.id}-{name}": (case.scenario["upstream_error"], name, exchange)
    for case in CORPUS.cases.values()
    if "upstream_error" in case.scenario
    for name in case.formats
    for exchange in case.exchanges(name)
    if exchange.error is not None
}
each_golden = every("golden", GOLDENS, id=str)

#: What the errors are about: the scenario's word and the judge's.
MEANING = {
    "invalid_request": "wrong request",
    "unauthorized": "unknown caller",
    "invalid_key": "unknown caller",
    "rate_limit": "rate limit",
    "server_error": "failure of the provider",
    "overloaded": "failure of the provider",
}


def test_every_kind_is_there() -> None:
    assert {error["kind"] for error, _, _ in GOLDENS.values()} == set(MEANING)
    assert {(exchange.error or {})["status"] for _, _, exchange in GOLDENS.values()} == {400, 401, 429, 500, 503, 529}


@each_golden
def test_no_rule_is_broken(golden: str) -> None:
    _, name, exchange = GOLDENS[golden]
    assert check_body(CORPUS, name, "error", exchange.error) == []


@each_golden
def test_it_says_what_the_scenario_says(golden: str) -> None:
    error, name, exchange = GOLDENS[golden]
    assert exchange.number == error["exchange"]
    failure = formats.read(name, "error", exchange.error).failure
    assert failure is not None
    assert failure.message == error["message"]
    assert error_kind(load_corpus(), failure) == MEANING[error["kind"]]
    wait = error.get("retry_after")
    if wait is None:
        assert failure.wait.seconds is None
    else:  # one provider gives milliseconds beside the seconds, rounded up
        assert failure.wait.seconds is not None
        assert wait - 1 < failure.wait.seconds <= wait
    assert all(header == header.lower() for header in exchange.error["headers"])
