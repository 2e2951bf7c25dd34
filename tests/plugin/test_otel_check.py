"""The check ``otel`` as a user runs it: a translator with the operation gets items, and a fault is reported with its
place.
"""

from __future__ import annotations

import importlib

import pytest

MINE = """
from toolcall_reference import otel

class Session:
    def __init__(self, name): self.name = name
    def otel(self, request, reply):
        found = otel.of_exchange(request, reply, self.name).attributes()
        FAULT
        return found

class T:
    name, version = "mine", "1"
    def open(self, route): return Session(route.client)
"""


def run(pytester: pytest.Pytester, fault: str, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(mine=MINE.replace("FAULT", fault))
    quiet = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
    importlib.invalidate_caches()
    return pytester.runpytest_inprocess(*quiet, "--toolcall-translator", "mine:T", *arguments)


def test_each_format_is_an_item(pytester: pytest.Pytester) -> None:
    listed = run(pytester, "pass", "--collect-only", "-q", "toolcall::shell/seed")
    assert {line for line in listed.outlines if line.startswith("toolcall::")} == {
        f"toolcall::shell/seed::otel::{name}" for name in ("anthropic", "openai_chat", "openai_responses", "gemini")
    }
    run(pytester, "pass", "toolcall::shell/seed::otel").assert_outcomes(passed=4)


def test_a_fault_is_reported_with_rule_and_place(pytester: pytest.Pytester) -> None:
    fault = "[one.pop('name', 0) for message in found['output_messages'] for one in message['parts']]"
    result = run(pytester, fault, "toolcall::shell/seed::otel::gemini")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*otel/part-shape*", "*/output_messages/0/parts/*"])


def test_what_is_no_object_is_bad_output(pytester: pytest.Pytester) -> None:
    result = run(pytester, "return []", "toolcall::shell/seed::otel::gemini")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*translation/bad-output*"])
