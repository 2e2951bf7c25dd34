"""The checks within one format: which items there are, what their ids select, and how a fault in them is reported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# It does Anthropic alone, and drops what a test tells it to.
MINE = """
class Unsupported(Exception): pass

class Session:
    def tool_calls(self, reply):
        blocks = [block for block in reply["content"] if block["type"] == "tool_use"]
        return [{"id": block["id"], "name": block["name"], "arguments": block["input"]} for block in blocks]
    def tool_results(self, calls, results):
        assert len(calls) == len(results)
        blocks = [{"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["result"],
                 "is_error": one["is_error"]} for one in results]
        return [{"role": "user", "content": blocks}]

class T:
    name, version = "mine", "1"
    def open(self, route):
        if (route.client, route.upstream) != ("anthropic", "anthropic"):
            raise Unsupported("Anthropic alone")
        return Session()
"""
CASE = "toolcall::parallel/seed"
ITEMS = [f"{CASE}::adapter::anthropic", f"{CASE}::adapter::anthropic-swapped"]


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    def play(*arguments: str, module: str = MINE, spec: str = "mine:T") -> pytest.RunResult:
        pytester.makepyfile(mine=module)
        quiet = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
        importlib.invalidate_caches()  # of modules that other tests had under the same name
        return pytester.runpytest_inprocess(*quiet, "--toolcall-translator", spec, *arguments)

    return play


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("toolcall::")]


def test_only_translators_with_the_operations_get_items(run: Run) -> None:
    assert ids(run("--collect-only", "-q", CASE)) == ITEMS
    assert ids(run("--collect-only", "-q", CASE, spec="toolcall_reference:ReferenceTranslator"))
    assert not [nodeid for nodeid in ids(run("--collect-only", "-q", CASE)) if "-to-" in nodeid]


@pytest.mark.parametrize(
    ("selector", "items"),
    [
        (f"{CASE}::adapter", ITEMS),
        (ITEMS[0], ITEMS[:1]),
        (ITEMS[1], ITEMS[1:]),
        (f"{ITEMS[0]}*", ITEMS),
    ],
)
def test_ids_select_themselves(run: Run, selector: str, items: list[str]) -> None:
    assert ids(run("--collect-only", "-q", selector)) == items


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (f"{CASE}::adapter::antropic", "there is no format 'antropic'; did you mean anthropic?"),
        (f"{CASE}::adapter::anthropic-to-gemini", f"adapter is within one format; write {ITEMS[0]}"),
        (f"{CASE}::adapter::anthropic-swaped", "there is no variant 'swaped'; did you mean swapped?"),
    ],
)
def test_an_id_that_names_nothing(run: Run, wrong: str, sentence: str) -> None:
    result = run(wrong)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {wrong}: {sentence}*"])


def test_a_check_that_nobody_has_is_said(run: Run) -> None:
    result = run(f"{CASE}::adapter::gemini")
    assert result.ret != 0
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    result.stdout.fnmatch_lines(["*nothing was judged: mine supports none of the selected items: Anthropic alone *"])


def test_a_good_translator_passes(run: Run) -> None:
    run(CASE).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("in blocks]", "in blocks[1:]]", "translation/call-lost"),
        ('block["input"]', "{}", "translation/arguments"),
        ('one["tool_call_id"]', 'calls[0]["id"]', "translation/results-linked"),
        ('one["result"]', '""', "translation/result-content"),
        ('return [{"id": block', 'return {"calls": 1}\n        return [{"id": block', "translation/bad-output"),
        ('"content": blocks', '"content": blocks[:1]', "translation/result-lost"),
    ],
)
def test_a_fault_has_its_rule_and_its_item(run: Run, old: str, new: str, rule: str) -> None:
    assert MINE.count(old) == 1
    result = run(CASE, module=MINE.replace(old, new))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"*MUST*{rule}*"])


def test_a_child_has_them_too(run: Run) -> None:
    lending = Path(__file__).resolve().parents[1] / "drivers" / "exec_python.py"
    run(CASE, spec=f"exec:{sys.executable} {lending} mine:T").assert_outcomes(passed=2)
