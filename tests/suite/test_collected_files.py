"""An editor collects a user's file again after each change of it: only the cases that a class names are read."""

from __future__ import annotations

import json

import pytest

TESTS = """
from toolcall_conformance.suite import ConformanceSuite


class TestShell(ConformanceSuite):
    translator = "toolcall_reference:ReferenceTranslator"
    cases = ("shell",)
    routes = ("anthropic-to-gemini",)
    test_output = None


class TestGrep(ConformanceSuite):
    translator = "toolcall_reference:ReferenceTranslator"
    cases = ("grep",)
    routes = ("anthropic-to-gemini",)
    test_output = None
"""

# A process counts what it opens, and nothing takes such a hook away again.
COUNTING = """
import atexit, collections, json, pathlib, sys

opened = collections.Counter()


def count(event, arguments):
    path = str(arguments[0]).replace("\\\\", "/") if event == "open" else ""
    if "/corpus/scenarios/" in path:
        opened[path.rpartition("/scenarios/")[2]] += 1


sys.addaudithook(count)
atexit.register(lambda: pathlib.Path("opened.json").write_text(json.dumps(opened)))
"""

# Cases by whose bodies a translator is asked what it supports: one with a reply, one with an error.
MAX_OTHERS = 2


def test_collecting_a_family_reads_no_bodies_of_others(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(COUNTING)
    pytester.makepyfile(test_mine=TESTS)
    # As editors ask, but for a plugin of theirs that sends them the answer:
    # https://github.com/microsoft/vscode-python/blob/main/src/client/testing/testController/pytest/pytestDiscoveryAdapter.ts
    quiet = ("-p", "no:hypothesispytest", "-p", "no:anyio")
    result = pytester.runpytest_subprocess(*quiet, "--collect-only", "-q", f"--rootdir={pytester.path}", "test_mine.py")
    assert result.ret == 0
    assert any("TestGrep::test_rules[grep.seed" in line for line in result.outlines)
    opened: dict[str, int] = json.loads((pytester.path / "opened.json").read_text(encoding="utf-8"))
    bodies = [name for name in opened if not name.endswith("/scenario.json")]
    assert {"shell/seed", "grep/seed"} <= {case(name) for name in bodies}
    assert len({case(name) for name in bodies if not name.startswith(("shell/", "grep/"))}) <= MAX_OTHERS
    assert {name: times for name, times in opened.items() if name not in bodies and times > 1} == {}


def case(name: str) -> str:
    """The case of a file below ``scenarios``."""
    return "/".join(name.split("/")[:2])
