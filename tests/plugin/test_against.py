"""``--toolcall-against``: the outputs of two translators for the same inputs, reported in addition to the verdicts."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.engine.run import Run
from toolcall_conformance.engine.setup import prepare_run
from toolcall_conformance.reports.writers import json_report
from toolcall_reference import ReferenceTranslator

TRANSLATOR = """
import json, re
from toolcall_reference import ReferenceTranslator

class Session:
    def __init__(self, route):
        self.session = ReferenceTranslator().open(route)
    def __getattr__(self, name):
        return getattr(self.session, name)
    def request(self, body):
        return CHANGE(self.session.request(body))

def same(body):
    # Other ids, and another order of keys.
    text = re.sub(r'"((?:toolu|call)_[^"]+)"', r'"\\1x"', json.dumps(body))
    return json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))

def one_thing(body):
    for tool in body.get("tools", ()):
        tool.get("function", tool).pop("description", None)
    return body

def crashing(body):
    raise ValueError("no")

CHANGE = {change}

class T:
    name, version = "other", "2"
    def open(self, route):
        return Session(route)
"""
ITEMS = [f"toolcall::parallel/seed::{check}::anthropic-to-openai_chat" for check in ("request", "agent_loop", "stream")]
numbers = itertools.count()


@pytest.fixture
def write_other_translator(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a translator that changes what the reference makes; its option."""

    def write(change: str) -> str:
        name = f"against_{next(numbers)}"
        pytester.makepyfile(**{name: TRANSLATOR.replace("{change}", change)})
        monkeypatch.syspath_prepend(pytester.path)
        return f"--toolcall-against={name}:T"

    return write


def _run(pytester: pytest.Pytester, option: str, *items: str) -> Run:
    config = pytester.parseconfig(option)
    return prepare_run(config, items or ITEMS, translator=ReferenceTranslator(), name="reference")


def _differences(run: Run) -> dict[str, set[tuple[str, str]]]:
    """By check the elements and rules in which the two differ."""
    differences = {item.check: run.play_once(item).differences for item in run.selected}
    run.close()
    return {check: {(finding.element, finding.rule) for finding in each} for check, each in differences.items()}


def test_a_difference_is_reported_with_its_place(pytester: pytest.Pytester, write_other_translator: Any) -> None:
    differing = {("tool", "translation/tool-description")}
    differences = _differences(_run(pytester, write_other_translator("one_thing")))
    assert differences == {"request": differing, "agent_loop": differing, "stream": set()}


def test_the_same_in_other_words_is_no_difference(pytester: pytest.Pytester, write_other_translator: Any) -> None:
    differences = _differences(_run(pytester, write_other_translator("same")))
    assert differences == {"request": set(), "agent_loop": set(), "stream": set()}


def test_a_body_that_only_one_makes(pytester: pytest.Pytester, write_other_translator: Any) -> None:
    differences = _differences(_run(pytester, write_other_translator("crashing"), ITEMS[0]))
    assert differences == {"request": {("body", "translation/identity")}}


def test_a_baseline_in_another_process(pytester: pytest.Pytester) -> None:
    child = Path(__file__).parents[1] / "doubles" / "child.py"
    option = f"--toolcall-against=exec:{sys.executable} {child} toolcall_reference:ReferenceTranslator"
    assert _differences(_run(pytester, option, ITEMS[0])) == {"request": set()}


def test_what_is_printed_and_reported(pytester: pytest.Pytester, write_other_translator: Any) -> None:
    result = pytester.runpytest_inprocess(
        "-p",
        "no:cacheprovider",
        "--toolcall-translator=toolcall_reference:ReferenceTranslator",
        write_other_translator("one_thing"),
        "--toolcall-report=report.json",
        *ITEMS[:1],
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "toolcall: compared with other 2: differences in 1 of 1 item, 1 cause; no verdict rests on them",
            "toolcall:   tool: a tool's description was lost or changed (in 1 item)",
            f"toolcall:     in      {ITEMS[0]}, 01-request at /tools/0",
            'toolcall:     ours    "*',
            "toolcall:     theirs  (absent)",
        ]
    )
    report = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8")))
    assert report["against"]["name"] == "other"
    [item] = report["items"]
    assert {finding["element"] for finding in item["against"]} == {"tool"}
    assert item["verdict"] == "pass"


def test_a_missing_baseline_is_an_error(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="nobody_at_home"):
        _run(pytester, "--toolcall-against=nobody_at_home:T")
