"""Errors of the upstream in the checks: played after their request, asked only of translators that translate errors,
state intact.
"""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.contract import ErrorTranslator, ErrorTranslatorWithHeaders, Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, ONE_FORMAT, ItemResult, needs, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import plan_items, probe
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
LIMIT, AFTER_TOOL = CORPUS.cases["errors/upstream-rate-limit"], CORPUS.cases["errors/upstream-rate-limit-after-tool"]


class Session:
    """The reference's session, noting what it was asked."""

    def __init__(self, route: Route, log: list[str]) -> None:
        self.log = log
        self.inner: Any = ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        self.log.append("request")
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        self.log.append("response")
        return self.inner.response(body)

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        self.log.append(f"error {status}")
        return self.inner.error(status, body, headers)


class WithoutHeaders(Session):
    """Takes and gives no headers."""

    def error(self, status: int, body: dict[str, Any], /) -> Any:  # type: ignore[override]
        return self.inner.error(status, body, {})[:2]


class Raises(Session):
    """Raises where it should translate."""

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        del body, headers
        raise RuntimeError(f"upstream answered {status}")


class ErrorAsBody(Session):
    """Returns a body alone."""

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        del body, headers
        return {"error": {"code": status}}


class Mutates(Session):
    """Changes the body that it was given."""

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        output = self.inner.error(status, body, headers)
        body.clear()
        return output


class ForgetsAfterError(Session):
    """Throws the conversation away when the provider fails."""

    failed = False

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        self.failed = True
        return super().error(status, body, headers)

    def request(self, body: dict[str, Any], /) -> Any:
        output = super().request(body)
        if self.failed:
            del output["messages"][1:]
        return output


class NoErrors(Session):
    """Has the method, and says that it does no errors."""

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        del status, body, headers
        raise Unsupported("no errors yet")


class Unsupported(Exception):  # noqa: N818 - recognised by its name
    pass


class RepliesOnly:
    """Has neither errors nor anything else but replies and requests."""

    def __init__(self, route: Route, log: list[str]) -> None:
        session = Session(route, log)
        self.request, self.response = session.request, session.response


class Translator:
    def __init__(self, session: type[Any]) -> None:
        self.session = session
        self.log: list[str] = []

    def open(self, route: Route, /) -> Any:
        return self.session(route, self.log)


def play(session: type[Any], check: str = "response", case: Any = LIMIT, **ends: str) -> tuple[ItemResult, list[str]]:
    client, upstream = ends.get("client", "openai_chat"), ends.get("upstream", "anthropic")
    translator = Translator(session)
    route = Route(client, upstream, case.model(client), case.model(upstream))
    result = CHECKS[check](case, route, PythonDriver(translator, "t:T").open, HARNESS, "", None)
    return result, translator.log


def test_an_error_comes_after_its_request() -> None:
    result, log = play(Session)
    assert result.verdict is Verdict.PASS
    assert log == ["request", "error 429"]
    assert [played.name for played in result.played] == ["01-error"]
    assert result.played[0].golden["status"] == 429
    assert result.played[0].produced["headers"]["retry-after"] == "17"


def test_the_conversation_goes_on_with_the_same_request() -> None:
    result, log = play(Session, case=AFTER_TOOL)
    assert result.verdict is Verdict.PASS
    assert log == ["request", "response", "request", "error 429", "request", "response"]
    assert [played.name for played in result.played] == ["01-response", "02-error", "02-response"]


def test_the_loop_sends_the_request_again() -> None:
    result, log = play(Session, "agent_loop", AFTER_TOOL)
    assert result.verdict is Verdict.PASS
    assert log == ["request", "response", "request", "error 429", "request"]


def test_the_loop_sees_what_an_error_did_to_the_session() -> None:
    result, _ = play(ForgetsAfterError, "agent_loop", AFTER_TOOL)
    assert result.verdict is Verdict.FAIL
    assert play(ForgetsAfterError, "request", AFTER_TOOL)[0].verdict is Verdict.PASS


def test_a_translator_without_headers_loses_none() -> None:
    result, _ = play(WithoutHeaders)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())


@pytest.mark.parametrize(
    ("session", "verdict", "rule", "level"),
    [
        (Raises, Verdict.FAIL, "translation/crashed", Level.MUST),
        (ErrorAsBody, Verdict.FAIL, "translation/bad-output", Level.MUST),
        (Mutates, Verdict.WARN, "translation/input-mutated", Level.SHOULD),
    ],
)
def test_faults_of_the_call(session: type[Any], verdict: Verdict, rule: str, level: Level) -> None:
    result, _ = play(session)
    assert result.verdict is verdict
    assert [(finding.rule, finding.level, finding.body) for finding in result.findings] == [(rule, level, "01-error")]


def test_an_error_in_the_loop_that_raises_blocks_it() -> None:
    result, _ = play(Raises, "agent_loop", AFTER_TOOL)
    assert result.verdict is Verdict.BLOCKED
    assert "RuntimeError" in result.reason


def test_what_a_case_needs() -> None:
    assert needs("response", LIMIT, "gemini") == {"error"}
    assert needs("response", AFTER_TOOL, "gemini") == {"response", "error"}
    assert needs("response", CORPUS.cases["shell/seed"], "gemini") == {"response"}
    assert needs("request", LIMIT, "gemini") == {"request"}
    assert needs("agent_loop", AFTER_TOOL, "gemini") == {"request", "response"}


def test_no_loop_where_the_error_is_the_last_word() -> None:
    assert variants(CORPUS, "agent_loop", LIMIT, "anthropic", "gemini") == ()
    assert variants(CORPUS, "agent_loop", AFTER_TOOL, "anthropic", "gemini") != ()


@pytest.mark.parametrize(("session", "reason"), [(RepliesOnly, ""), (NoErrors, "no errors yet")])
def test_errors_are_played_only_with_translators_of_errors(session: type[Any], reason: str) -> None:
    support = probe(PythonDriver(Translator(session), "t:T"), CORPUS)
    every = [item for item in plan_items(CORPUS) if item.check not in ONE_FORMAT and not support.covers(item)]
    left = [item for item in every if "stream" not in needs(item.check, item.case, item.route.upstream, item.variant)]
    failing = {case.id for case in CORPUS.cases.values() if "upstream_error" in case.scenario}
    assert {item.case.id for item in left} == failing
    assert {item.check for item in left} == {"response"}
    assert set(support.reasons.values()) == ({reason} if reason else set())


def test_the_reference_does_them_all() -> None:
    support = probe(PythonDriver(ReferenceTranslator(), "t:T"), CORPUS)
    assert {item.check for item in plan_items(CORPUS) if not support.covers(item)} == {"otel"}
    assert all("error" in operations for operations in support.operations.values())


def test_the_protocols_take_both_forms() -> None:
    """The type checker's test as much as ours."""
    route = Route("openai_chat", "gemini", "gpt-4.1", "gemini-2.5-flash")
    with_headers: ErrorTranslatorWithHeaders = ReferenceTranslator().open(route)
    without: ErrorTranslator = WithoutHeaders(route, [])
    body = {"error": {"code": 503, "message": "Later.", "status": "UNAVAILABLE"}}
    status, error_body, headers = with_headers.error(503, body, {})  # type: ignore[misc]
    assert (status, error_body) == without.error(503, body)
    assert headers == {"content-type": "application/json"}
