"""A request that fails for a setting: what follows it is judged without the setting, and the failure is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.conversation.shorter_requests import drop_members, shorter_requests
from toolcall_conformance.drivers import Crashed, TimedOut, TranslatorError
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["ids/seed"]
"""With max_completion_tokens in Chat."""
Fall = Callable[[dict[str, Any]], None]


def raise_naming_limit(body: dict[str, Any]) -> None:
    if "max_completion_tokens" in body:
        raise TypeError("create() got an unexpected keyword argument 'max_completion_tokens'")


def raise_silently(body: dict[str, Any]) -> None:
    if "max_completion_tokens" in body:
        raise TypeError("something went wrong")


class Session:
    """The reference's session, which falls over some requests of a Chat client; its replies may be ``wrong``."""

    def __init__(self, route: Route, fall: Fall, wrong: bool) -> None:
        self.route, self.fall, self.wrong = route, fall, wrong
        self.inner = ReferenceTranslator().open(route)

    def request(self, body: dict[str, Any], /) -> Any:
        if self.route.client == "openai_chat":
            self.fall(body)
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        output = self.inner.response(body)
        for choice in output.get("choices", ()) if self.wrong else ():
            for call in choice["message"].get("tool_calls") or ():
                call["function"]["arguments"] = "{}"
        return output

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        return self.inner.stream(chunks)


class Translator:
    def __init__(self, fall: Fall, wrong: bool) -> None:
        self.fall, self.wrong = fall, wrong

    def open(self, route: Route, /) -> Session:
        return Session(route, self.fall, self.wrong)


def run_check(
    check: str, fall: Fall, variant: str = "", *, wrong: bool = False, client: str = "openai_chat"
) -> ItemResult:
    upstream = "anthropic" if client == "openai_chat" else "openai_chat"
    route = Route(client, upstream, CASE.model(client), CASE.model(upstream))
    driver = PythonDriver(Translator(fall, wrong), "t:T")
    return CHECKS[check](CASE, route, driver.open, HARNESS, variant, None)


CHECKED = [
    ("response", ""),
    ("stream", ""),
    ("agent_loop", ""),
    ("agent_loop", "streamed"),
    ("agent_loop", "interleaved"),
    ("round_trip", ""),
]


@pytest.mark.parametrize("fall", [raise_naming_limit, raise_silently])
@pytest.mark.parametrize(("check", "variant"), CHECKED)
def test_what_follows_is_judged(check: str, variant: str, fall: Fall) -> None:
    result = run_check(check, fall, variant)
    assert result.verdict is Verdict.WARN
    summary = [(finding.rule, finding.level, finding.body[3:]) for finding in result.findings if not finding.is_note]
    assert summary == [("translation/crashed", Level.SHOULD, "request")]
    assert "raised TypeError" in result.findings[0].message
    assert "/max_completion_tokens" in result.left_out
    assert len(result.left_out) == 1 or fall is raise_silently
    assert result.reason == ""
    assert result.played


def test_a_fault_after_it_fails() -> None:
    result = run_check("response", raise_naming_limit, wrong=True)
    assert result.verdict is Verdict.FAIL
    assert {finding.rule for finding in result.findings if finding.is_must} == {"translation/arguments"}


def test_the_way_back_of_a_trip_may_fail_for_it_too() -> None:
    result = run_check("round_trip", raise_naming_limit, client="anthropic")
    assert result.verdict in (Verdict.WARN, Verdict.BLOCKED)
    assert [finding for finding in result.findings if finding.is_must] == []


def test_the_check_of_requests_has_it_with_full_weight() -> None:
    result = run_check("request", raise_naming_limit)
    assert result.verdict is Verdict.FAIL
    assert result.left_out == ()


@pytest.mark.parametrize(("check", "variant"), CHECKED)
def test_a_request_that_always_fails_is_blocked(check: str, variant: str) -> None:
    def falls(body: dict[str, Any]) -> None:
        raise KeyError(min(body))

    result = run_check(check, falls, variant)
    assert (result.verdict, result.findings, result.left_out) == (Verdict.BLOCKED, (), ())
    assert "KeyError" in result.reason


def test_a_later_request_that_fails_is_judged_as_ever() -> None:
    def falls(body: dict[str, Any]) -> None:
        if any(message["role"] == "tool" for message in body["messages"]):
            raise_naming_limit(body)

    result = run_check("agent_loop", falls)
    assert result.verdict is Verdict.FAIL
    assert result.left_out == ()


def crash(words: str, *, died: bool = False) -> Crashed:
    return Crashed(TranslatorError(words), "", died=died)


BODY = {
    "model": "gemini-2.5-flash",
    "contents": [],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    "generationConfig": {"maxOutputTokens": 9, "temperature": 1, "thinkingConfig": {"thinkingLevel": "HIGH"}},
}


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ('Unknown name "maxOutputTokens"', ("/generationConfig/maxOutputTokens",)),
        ("expected low at 'reasoning.effort'", ("/generationConfig/thinkingConfig",)),
        ("temperature and max_output_tokens", ("/generationConfig/maxOutputTokens", "/generationConfig/temperature")),
    ],
)
def test_the_named_setting_goes_first_then_all(words: str, first: tuple[str, ...]) -> None:
    (request_fields, shorter), (rest, bare) = shorter_requests(
        CORPUS, "gemini", BODY, crash(f"raised ValueError: {words}")
    )
    assert sorted(request_fields) == sorted(first)
    assert shorter == drop_members(BODY, first) != BODY
    assert {*first} < {*rest}
    assert bare["generationConfig"] == {}
    assert bare["contents"] == []
    assert "model" in bare


def test_what_a_format_demands_stays() -> None:
    body = {"model": "m", "max_tokens": 9, "stream": True, "temperature": 1, "messages": []}
    ((pointers, _),) = shorter_requests(CORPUS, "anthropic", body, crash("max_tokens is wrong"))
    assert pointers == ("/temperature",)


@pytest.mark.parametrize("failed", [TimedOut(1.0), crash("the process died", died=True)])
def test_a_session_that_does_not_come_back_is_not_asked_again(failed: Any) -> None:
    assert list(shorter_requests(CORPUS, "gemini", BODY, failed)) == []


def test_pointers_that_lead_nowhere_change_nothing() -> None:
    assert drop_members({"a": {"b": 1}}, ("/c/d", "/a/x", "/a/b/c")) == {"a": {"b": 1}}
