"""What an adapter says that it made up is marked and fails nothing; what is judged cannot be made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reports import report_items
from toolcall_conformance.basics.contract import Body, Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers import Opened, ProtocolError
from toolcall_conformance.drivers.child.driver import ExecDriver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.html.data import pack_run
from toolcall_conformance.reports.item_record import ItemRecord, finding_json
from toolcall_conformance.reports.text.failure import ReportedItem, describe
from toolcall_conformance.reports.text.summary import made_up_text as counted
from toolcall_conformance.reports.text.terminal import Detail, summary_lines
from toolcall_conformance.reports.writers import json_report, markdown_report
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["write_file/unicode-arguments"]
ROUTE = route_of(CASE, "openai_chat", "anthropic")
ENVELOPE = "openai_chat/reply-envelope"
MADE_UP = {"response": ["/created", "/choices/*/index"]}

Change = Callable[[Body], None]


def created_in_words(reply: Body) -> None:
    reply["created"] = "now"


def index_in_words(reply: Body) -> None:
    reply["choices"][0]["index"] = "first"


def without_created(reply: Body) -> None:
    del reply["created"]


def without_counts(reply: Body) -> None:
    reply["usage"] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def without_calls(reply: Body) -> None:
    reply["choices"][0]["message"].pop("tool_calls", None)


class Session:
    """The reference, whose replies an adapter changes."""

    def __init__(self, route: Route, change: Change, made_up: Any) -> None:
        self._inner = ReferenceTranslator().open(route)
        self._change = change
        if made_up is not None:
            self.made_up = made_up

    def request(self, body: Body) -> Body:
        return self._inner.request(body)

    def response(self, body: Body) -> Body:
        reply = self._inner.response(body)
        self._change(reply)
        return reply

    def stream(self, chunks: Any) -> Any:
        for piece in self._inner.stream(chunks):
            yield piece.replace(b'"created":', b'"created":"now","was":')


class Adapter:
    """What is judged."""

    name, version = "adapter", "1"

    def __init__(self, change: Change = created_in_words, made_up: Any = None) -> None:
        self._given = change, made_up

    def open(self, route: Route) -> Session:
        return Session(route, *self._given)


class Sayer(Adapter):
    """The same, for a child."""

    def __init__(self) -> None:
        super().__init__(created_in_words, MADE_UP)


def run_check(change: Change, made_up: Any = None, check: str = "response") -> ItemResult:
    driver = PythonDriver(Adapter(change, made_up), "adapter")
    try:
        return CHECKS[check](CASE, ROUTE, driver.open, make_harness(CORPUS), "", None)
    finally:
        driver.close()


def must_rules(result: ItemResult) -> set[str]:
    return {finding.rule for finding in result.findings if finding.is_must}


@pytest.mark.parametrize("change", [created_in_words, index_in_words])
def test_a_wrong_envelope_is_a_fault_unless_the_adapter_made_it_up(change: Change) -> None:
    assert must_rules(run_check(change)) == {ENVELOPE}
    result = run_check(change, MADE_UP)
    assert result.verdict is Verdict.PASS
    assert {(finding.rule, finding.level, finding.made_up) for finding in result.findings} == {
        (ENVELOPE, Level.NOTE, Level.MUST)
    }


def test_the_whole_body_is_made_up_only_where_it_is_listed() -> None:
    assert must_rules(run_check(without_created, MADE_UP)) == {ENVELOPE}
    assert run_check(without_created, {"response": [""]}).verdict is Verdict.PASS
    assert must_rules(run_check(created_in_words, {"response": [""]})) == {ENVELOPE}  # it is inside, not at it


def test_a_place_of_another_operation_marks_nothing() -> None:
    assert must_rules(run_check(created_in_words, {"request": ["/created"], "stream": ["/created"]})) == {ENVELOPE}


@pytest.mark.parametrize(
    ("change", "place"), [(without_counts, "/usage"), (without_calls, "/choices/*/message/tool_calls")]
)
def test_what_a_translation_must_carry_is_never_made_up(change: Change, place: str) -> None:
    plain, claimed = must_rules(run_check(change)), must_rules(run_check(change, {"response": [place]}))
    assert plain
    assert plain <= claimed


@pytest.mark.parametrize(
    "place", ["/choices/*/message/tool_calls/*/id", "/choices", "/choices/0/message/content", "/choices/*/message"]
)
def test_what_is_judged_cannot_be_made_up(place: str) -> None:
    result = run_check(created_in_words, {"response": [place, "/created"]})
    assert must_rules(result) == {"translation/protocol-error", ENVELOPE}
    assert f"made_up lists {place} of response, where there is a " in result.findings[0].message


def test_tools_of_a_request_cannot_be_made_up() -> None:
    assert must_rules(run_check(created_in_words, {"request": ["/max_tokens"]}, "request")) == set()
    assert must_rules(run_check(created_in_words, {"request": ["/tools"]}, "request")) == {"translation/protocol-error"}


def test_streams_have_places_in_events_and_in_the_reply_that_they_make() -> None:
    plain = {
        finding.body.partition(", ")[2]
        for finding in run_check(created_in_words, check="stream").findings
        if finding.is_must
    }
    assert plain
    pointers = {"stream": ["/events/*/data/created", "/events/*/data/was"], "response": ["/created", "/was"]}
    result = run_check(created_in_words, pointers, "stream")
    assert must_rules(result) == set()
    assert any(finding.made_up for finding in result.findings)


@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("/events", "text"),
        ("/events/3/data/choices", "text"),
        ("/events/*/data/choices/0/delta/content", "text"),
        ("/events/*/data/choices/*/delta/tool_calls/*/function/name", "call"),
        ("/events/*/*/choices/0/delta/tool_calls/*/function/arguments", "call's arguments"),
    ],
)
def test_what_events_of_a_stream_say_cannot_be_made_up(place: str, what: str) -> None:
    result = run_check(created_in_words, {"stream": [place]}, "stream")
    (refused, *_) = result.findings
    assert refused.rule == "translation/protocol-error"
    assert f"made_up lists {place} of stream, where there is a {what}" in refused.message


@pytest.mark.parametrize(
    ("made_up", "says"),
    [
        (["/id"], "make it an object such as"),
        ({"respons": ["/id"]}, "did you mean 'response'?"),
        ({"response": "/id"}, "make it a list of JSON Pointers"),
        ({"response": ["id"]}, "write a JSON Pointer such as"),
        ({"response": ["/a~2"]}, "write a JSON Pointer such as"),
    ],
)
def test_what_cannot_be_read_is_refused(made_up: Any, says: str) -> None:
    opened = PythonDriver(Adapter(made_up=made_up), "adapter").open(ROUTE)
    assert isinstance(opened, ProtocolError)
    assert says in opened.sentence


def test_a_child_says_the_same_when_it_opens_a_session() -> None:
    child = Path(__file__).parents[1] / "drivers" / "exec_python.py"
    driver = ExecDriver(f"exec:{sys.executable} {child} checks.test_made_up_values:Sayer", directory=child.parents[1])
    try:
        opened = driver.open(ROUTE)
        assert isinstance(opened, Opened)
        assert opened.session.made_up == {"response": ("/created", "/choices/*/index")}
        result = CHECKS["response"](CASE, ROUTE, driver.open, make_harness(CORPUS), "", None)
    finally:
        driver.close()
    assert result.verdict is Verdict.PASS
    assert {finding.made_up for finding in result.findings} == {Level.MUST}


def test_reports_say_and_count_it() -> None:
    result = run_check(created_in_words, MADE_UP)
    plain = finding_json(result.findings[0])
    assert (plain["level"], plain["made_up"], plain["own_level"]) == ("NOTE", True, "MUST")
    item = ItemRecord("id", CASE.id, "response", "openai_chat", "anthropic", None, "pass", "passed", findings=[plain])
    assert counted([item, item]) == "2 findings in 2 items about what the adapter made up (made_up): they fail nothing"
    assert counted([]) == ""
    subject = ReportedItem(CASE.id, "response", "openai_chat", "anthropic", 1)
    lines = describe(subject, result.findings, CORPUS, failing=(), known_reason=lambda _finding: None)
    assert any(line.text.endswith("NOTE, made up by the adapter (otherwise MUST)") for line in lines)


def test_every_report_has_it() -> None:
    marked = report_items.finding(ENVELOPE, "NOTE", made_up=True, own_level="MUST")
    run = report_items.run([report_items.item("box/one", marked, verdict="pass", outcome="passed")])
    sentence = "1 finding in 1 item about what the adapter made up (made_up): they fail nothing"
    assert f"{sentence}." in markdown_report.WRITER.text(run, CORPUS).splitlines()
    lines = summary_lines(run, CORPUS.rules, run.rerun_command, detail=Detail.USUAL)
    assert sentence in ["".join(piece.text for piece in line) for line in lines]
    page = pack_run(run, CORPUS.rules)
    assert page.texts[page.findings[0][page.columns["finding"].index("own_level")]] == "MUST"
    schema = json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8"))
    jsonschema.validate(marked, {"$ref": "#/$defs/finding", "$defs": schema["$defs"]})
