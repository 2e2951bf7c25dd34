"""The check ``round_trip``: what comes back is compared, and nothing fails by this check alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Judgement, Level, Verdict
from toolcall_conformance.checks import CHECKS, Harness, ItemResult, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import PlannedItem, Support
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["shell/two-rounds"]
Change = Callable[[Any], Any]


def play(
    operation: str = "", change: Change = lambda body: body, harness: Harness = HARNESS, case: str = "shell/two-rounds"
) -> ItemResult:
    """The reference, with a change in all that one operation brings for an OpenAI Chat end."""

    class Session:
        def __init__(self, route: Route) -> None:
            self.route, self.inner = route, ReferenceTranslator().open(route)

        def request(self, body: Any, /) -> Any:
            output = self.inner.request(body)
            return change(output) if operation == "request" and self.route.upstream == "openai_chat" else output

        def response(self, body: Any, /) -> Any:
            output = self.inner.response(body)
            return change(output) if operation == "response" and self.route.client == "openai_chat" else output

    class Translator:
        def open(self, route: Route, /) -> Session:
            return Session(route)

    played = CORPUS.cases[case]
    route = Route("anthropic", "openai_chat", played.model("anthropic"), played.model("openai_chat"))
    return CHECKS["round_trip"](played, route, PythonDriver(Translator(), "double").open, harness, "", None)


def no_text_results(body: Any) -> Any:
    for message in body["messages"]:
        if message["role"] == "tool":
            message["content"] = "gone"
    return body


def test_the_reference_comes_back() -> None:
    result = play()
    assert result.verdict is Verdict.PASS
    names = ["03-request", "01-response", "02-response"]
    assert [played.name for played in result.played] == [way for name in names for way in (name, f"{name}-between")]


def test_what_is_lost_on_the_way_is_missing_in_the_end() -> None:
    result = play("request", no_text_results)
    assert result.verdict is Verdict.FAIL
    assert {finding.rule for finding in result.findings} == {"translation/result-content"}
    for finding in result.findings:
        assert "(on the way up, anthropic-to-openai_chat;" in finding.message
        assert finding.message.endswith(" the body between is 03-request-between)")
        assert finding.between["messages"][-1]["content"] == "gone"


def test_a_fault_that_no_translation_shows_is_a_warning() -> None:
    class Blind(Judge):
        def request(self, *_: Any, **__: Any) -> Judgement:
            return Judgement()

    nothing = replace(HARNESS, judge=Blind(CORPUS))
    result = play("request", no_text_results, nothing)
    assert result.verdict is Verdict.WARN
    assert {finding.level for finding in result.findings} == {Level.SHOULD}
    assert all("neither breaks a MUST by itself" in finding.message for finding in result.findings)


@pytest.mark.parametrize(
    ("other", "verdict", "message"),
    [
        (
            "translation/call-name",
            Verdict.WARN,
            "(neither way breaks this rule by itself; other MUSTs broke on the way up, anthropic-to-openai_chat;",
        ),
        ("translation/tool-lost", Verdict.FAIL, "(on the way up, anthropic-to-openai_chat: translation/tool-lost;"),
    ],
)
def test_of_other_rules_only_what_may_be_the_cause_makes_a_must(other: str, verdict: Verdict, message: str) -> None:

    class Other(Judge):
        def request(self, *args: Any, **more: Any) -> Judgement:
            judgement = super().request(*args, **more)
            return replace(
                judgement, findings=tuple(replace(finding, rule=other, subject="") for finding in judgement.findings)
            )

    result = play("request", no_text_results, replace(HARNESS, judge=Other(CORPUS)))
    assert result.verdict is verdict
    assert all(message in finding.message for finding in result.findings)


def test_an_argument_lost_on_the_way_back() -> None:
    def without(body: Any) -> Any:
        for call in body["choices"][0]["message"].get("tool_calls") or []:
            call["function"]["arguments"] = "{}"
        return body

    # The reply goes from Chat to Anthropic and back: only the way back brings one for a Chat end.
    result = play("response", without)
    assert result.verdict is Verdict.FAIL
    assert {finding.rule for finding in result.findings} == {"translation/arguments"}
    assert {finding.message.rpartition(" (")[2].partition(";")[0] for finding in result.findings} == {
        "on the way back, openai_chat-to-anthropic"
    }


def test_a_translation_that_fails_blocks() -> None:
    def fall(body: Any) -> Any:
        raise KeyError(min(body))

    result = play("request", fall)
    assert result.verdict is Verdict.BLOCKED
    assert "KeyError" in result.reason


@pytest.mark.parametrize(
    ("back", "applies"), [(frozenset({"request"}), True), (frozenset({"response"}), False), (frozenset(), False)]
)
def test_it_needs_both_ways(back: frozenset[str], applies: bool) -> None:
    ends = {("anthropic", "gemini"): frozenset({"request", "response"}), ("gemini", "anthropic"): back}
    item = PlannedItem(CASE, "round_trip", Route("anthropic", "gemini", "m", "m"))
    assert Support(ends, {}).covers(item) is applies


def test_no_trip_within_one_format_or_into_one_that_nobody_reads() -> None:
    assert variants(CORPUS, "round_trip", CASE, "gemini", "gemini") == ()
    assert variants(CORPUS, "round_trip", CASE, "gemini", "gamma") == ()
    assert variants(CORPUS, "round_trip", CASE, "gemini", "anthropic") == ("",)


def test_an_unread_key_in_another_notation_is_named() -> None:
    class Session:
        """Writes Gemini's declarations in snake_case, and reads them in camelCase alone."""

        def __init__(self, route: Route) -> None:
            self.route, self.inner = route, ReferenceTranslator().open(route)

        def request(self, body: Any, /) -> Any:
            for tool in body["tools"] if self.route.client == "gemini" else ():
                tool.pop("function_declarations", None)
            output = self.inner.request(body)
            for tool in output["tools"] if self.route.upstream == "gemini" else ():
                tool["function_declarations"] = tool.pop("functionDeclarations")
            return output

        def response(self, body: Any, /) -> Any:
            return self.inner.response(body)

    class Translator:
        def open(self, route: Route, /) -> Session:
            return Session(route)

    route = Route("anthropic", "gemini", CASE.model("anthropic"), CASE.model("gemini"))
    result = CHECKS["round_trip"](CASE, route, PythonDriver(Translator(), "double").open, HARNESS, "", None)
    lost = [finding for finding in result.findings if finding.rule == "translation/tool-lost"]
    assert lost
    assert all("; the body says it as `function_declarations`)" in finding.message for finding in lost)


def require_all(body: Any) -> Any:
    """Every parameter required and nullable, as OpenAI's strict mode wants it."""
    for tool in body.get("tools", ()):
        schema = tool["function"]["parameters"]
        for name, member in schema["properties"].items():
            if name not in schema["required"]:
                member["type"] = [member["type"], "null"]
        schema.update(required=[*schema["properties"]], additionalProperties=False)
    return body


def test_an_unrestored_schema_is_reported_as_on_its_way() -> None:
    """The provider answers by the schema that was declared to it, and the reply comes back so."""
    findings = [
        finding
        for finding in play("request", require_all, case="grep/two-rounds").findings
        if finding.body.endswith("response")
    ]
    assert {(finding.rule, finding.level) for finding in findings} == {("translation/arguments-undone", Level.MUST)}
    assert all("on the way down, anthropic-to-openai_chat;" in finding.message for finding in findings)
