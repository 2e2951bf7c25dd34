"""``--toolcall-witness``: a failed item says what the official client does with the body, and its verdict stays."""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.writers import json_report
from toolcall_conformance.trust import witnesses
from witnesses.wire import sdk

pytestmark = pytest.mark.any_python

# Of requests it drops the ids of results, of replies the second call; in streams it says tool_use otherwise.
TRANSLATOR = """
from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, session):
        self.session = session

    def request(self, body):
        made = self.session.request(body)
        for message in made["messages"]:
            message.pop("tool_call_id", None)
        return made

    def response(self, body):
        made = self.session.response(body)
        made["content"].pop(2)
        return made

    def stream(self, pieces):
        for piece in self.session.stream(pieces):
            yield piece.replace(b"tool_use", b"tool_call")


class T:
    def open(self, route):
        return Session(ReferenceTranslator().open(route))
"""
ITEM = "toolcall::parallel/three-tools::{}::anthropic-to-openai_chat"
OPTIONS = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
numbers = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def loaded_sdks() -> None:
    """Load the SDKs whole: what a run in this process imports for itself, pytester throws away afterwards."""
    for name in ("anthropic", "openai_chat"):
        sdk(name)
        exchange = load_corpus().cases["parallel/three-tools"].exchanges(name)[0]
        assert witnesses.witness(name, "stream", exchange.stream()).accepted
        assert witnesses.witness(name, "request", exchange.request).accepted
        assert witnesses.witness(name, "response", exchange.response).accepted


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the translator with the real corpus; the lines of the run."""
    name = f"witnessed_{next(numbers)}"
    pytester.makepyfile(**{name: TRANSLATOR})
    monkeypatch.syspath_prepend(pytester.path)

    def start(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess(*OPTIONS, "--toolcall-translator", f"{name}:T", *arguments)

    return start


def lines(result: pytest.RunResult) -> list[str]:
    return [line.strip() for line in result.outlines if line.startswith("    client ")]


@pytest.mark.parametrize(
    ("check", "text"),
    [
        ("response", "lost call 2 (get_"),
        ("stream", "lost call 1 (find_trains)"),
        ("request", "its types do not take /messages/"),
    ],
)
def test_a_line_for_the_body_that_fails(run: Any, check: str, text: str) -> None:
    name = "openai_chat" if check == "request" else "anthropic"
    case = ITEM.format(check) if check != "request" else "toolcall::parallel/seed::request::anthropic-to-openai_chat"
    package = sdk(name).name
    result = run("--toolcall-witness", case)
    assert result.ret == 1
    (line, *_) = lines(result)
    assert line.startswith(f"client {package} ")
    assert text in line
    assert "accepted it" not in line
    assert lines(run(case)) == []


def test_the_report_has_it_and_its_verdicts_stay(run: Any, pytester: pytest.Pytester) -> None:
    sdk("anthropic")
    items = [ITEM.format(check) for check in ("response", "request")]
    run("--toolcall-report=with.json", "--toolcall-witness", *items)
    run("--toolcall-report=without.json", *items)
    reports = [json.loads((pytester.path / f"{name}.json").read_text(encoding="utf-8")) for name in ("with", "without")]
    schema = json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8"))
    jsonschema.validate(reports[0], schema)
    witness_lists = [item.pop("witness") for item in reports[0]["items"]]
    assert [item.pop("witness") for item in reports[1]["items"]] == [[], []]
    bodies = [[witness["body"] for witness in each] for each in witness_lists]
    assert bodies == [["02-request"], ["01-response"]]
    for report in reports:
        for item in report["items"]:
            item.pop("duration")
    assert reports[0]["items"] == reports[1]["items"]


def test_a_run_again_has_the_option(run: Any) -> None:
    sdk("anthropic")
    result = run("--toolcall-witness", ITEM.format("response"))
    assert any("again pytest" in line and "--toolcall-witness" in line for line in result.outlines)


def test_without_the_extra_nothing_runs(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    witnesses.sdk_of.cache_clear()
    monkeypatch.setitem(sys.modules, "anthropic", None)
    result = run("--toolcall-witness", ITEM.format("response"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "pip install 'toolcall-conformance[witnesses]'" in result.stderr.str()
    assert "--toolcall-witness" in result.stderr.str()


@pytest.mark.usefixtures("run")
def test_the_suite_class_has_it(pytester: pytest.Pytester) -> None:
    sdk("anthropic")
    pytester.makepyfile(
        test_mine=f"""
        from toolcall_conformance.suite import ConformanceSuite

        class TestMine(ConformanceSuite):
            translator = "{next(pytester.path.glob("witnessed_*.py")).stem}:T"
            cases = ("parallel/three-tools",)
            routes = ("anthropic-to-openai_chat",)
            checks = ("response",)
            test_output = None
        """
    )
    # Where CI is set, pytest repeats the whole text in its list of failures.
    result = pytester.runpytest_inprocess(*OPTIONS, "--toolcall-witness", "test_mine.py", "-W", "ignore", "-rN")
    assert len([line for line in result.outlines if "    client anthropic " in line]) == 1
