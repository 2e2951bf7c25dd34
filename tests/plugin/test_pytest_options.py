"""pytest's own options work with our items: --lf, -x, --junitxml, -n, --pdb, --runxfail, --collect-only."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from miniature import CONFTEST

LOSES_TEXT_TO_BETA = """
    def request(self, body):
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {"text": "lost"} if lost else super().request(body)
"""


def test_last_failed_runs_what_failed(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", spec=spec).assert_outcomes(failed=2, passed=22)
    project.run("toolcall::", "--lf", spec=spec).assert_outcomes(failed=2, deselected=22)
    project.run("toolcall::", "--lf", spec="good:T").assert_outcomes(passed=2, deselected=22)


def test_last_failed_with_a_failing_test_of_the_user(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.write_module("test_own", "def test_own(): assert 0")
    project.run("toolcall::", "test_own.py", spec=spec).assert_outcomes(failed=3, passed=22)
    project.run("toolcall::", "test_own.py", "--lf", spec=spec).assert_outcomes(failed=3, deselected=22)


def test_exit_first(project: Any) -> None:
    result = project.run("toolcall::", "-x", spec=project.write_translator(LOSES_TEXT_TO_BETA))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1, passed=9)


def test_junit(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::box/two::request", "--junitxml", "j.xml", spec=spec)
    cases = {case.get("name"): case for case in ET.parse(project.path / "j.xml").iter("testcase")}
    failed = cases["alpha-to-beta"]
    assert failed.get("classname") == "toolcall.box/two.request"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "beta/text-kept"
    assert "/text" in (failure.text or "")
    properties = {entry.get("name"): entry.get("value") for entry in failed.iter("property")}
    assert properties == {
        "toolcall_case": "box/two",
        "toolcall_check": "request",
        "toolcall_route": "alpha-to-beta",
        "toolcall_verdict": "fail",
        "toolcall_rules": "beta/text-kept",
    }
    assert cases["alpha-to-alpha"].find("failure") is None


def test_junit_has_a_known_failure_as_skipped_with_its_reason(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    (project.path / "known.txt").write_text("* beta/text-kept # ticket 12\n", encoding="utf-8")
    options = ("--toolcall-known-failures", "known.txt", "--junitxml", "j.xml")
    project.run("toolcall::box/two::request", *options, spec=spec)
    cases = {case.get("name"): case for case in ET.parse(project.path / "j.xml").iter("testcase")}
    skipped = cases["alpha-to-beta"].find("skipped")
    assert skipped is not None
    assert "ticket 12" in (skipped.get("message") or "")
    assert cases["alpha-to-beta"].find("failure") is None
    properties = {entry.get("name"): entry.get("value") for entry in cases["alpha-to-beta"].iter("property")}
    assert properties["toolcall_rules"] == "beta/text-kept"


def test_pdb_stops_where_the_translator_raised(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n        clue = 'user frame'\n        raise KeyError('x')"
    )
    project.pytester.makeconftest(CONFTEST)
    result = project.pytester.run(
        *project.pytester._getpytestargs(),
        "--pdb",
        "--toolcall-translator",
        spec,
        "toolcall::box/one::request::alpha-to-beta",
        stdin=b"p clue\nq\n",
    )
    result.stdout.fnmatch_lines(["*mine.py(*)request()*", "*(Pdb)*'user frame'*"])


def test_collect_only_is_no_failure(project: Any) -> None:
    assert project.run("toolcall::", "--collect-only").ret == pytest.ExitCode.OK


def test_verbose_lines_name_the_item(project: Any) -> None:
    result = project.run("toolcall::box/one::request", "-v")
    result.stdout.fnmatch_lines(["toolcall::box/one::request::alpha-to-beta PASSED*"])


def test_output_of_the_translator_is_captured(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n        print('my own words')\n        raise KeyError('x')"
    )
    result = project.run("toolcall::box/one::request::alpha-to-beta", spec=spec)
    result.stdout.fnmatch_lines(["*Captured stdout call*", "my own words"])
