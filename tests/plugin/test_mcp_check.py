"""The check ``mcp`` as a user runs it: a translator with both operations gets items, and a fault is reported with its
place.
"""

from __future__ import annotations

import pytest

MINE = """
from toolcall_reference.mcp import mcp_result, mcp_tools

class Session:
    def __init__(self, name): self.name = name
    def mcp_tools(self, listed): return mcp_tools(listed, self.name)
    def mcp_result(self, call, result):
        FAULT
        return mcp_result(call, result, self.name)

class T:
    name, version = "mine", "1"
    def open(self, route): return Session(route.client)
"""
CASE = "toolcall::mcp_results/failing-tool"


def run(pytester: pytest.Pytester, fault: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(mine=MINE.replace("FAULT", fault))
    quiet = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
    return pytester.runpytest_subprocess(*quiet, "--toolcall-translator", "mine:T", *arguments)


def test_each_format_is_an_item_and_a_fault_is_reported_with_its_place(pytester: pytest.Pytester) -> None:
    result = run(pytester, "self.name == 'gemini' and result.update(isError=False)", "-v", CASE)
    result.assert_outcomes(passed=3, failed=1)
    for name in ("anthropic", "openai_chat", "openai_responses", "gemini"):
        result.stdout.fnmatch_lines([f"{CASE}::mcp::{name} *"])
    result.stdout.fnmatch_lines(["*translation/error-mark*", "*result-2*", "*functionResponse*"])


def test_what_is_no_list_is_bad_output(pytester: pytest.Pytester) -> None:
    result = run(pytester, "return {}", f"{CASE}::mcp::gemini")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*translation/bad-output*"])
