"""--toolcall-repeat: what differs from try to try is unstable, and neither a new nor a stale known failure."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

# Loses `two` always, `one` in every other session on its way to beta.
MOODY = """
    made = 0

    def __init__(self, route):
        super().__init__(route)
        Session.made += 1
        self.odd = Session.made % 2

    def request(self, body):
        lost = "two" in body["text"] or (self.odd and "one" in body["text"])
        return {"text": "lost"} if lost and self.route.upstream == "beta" else super().request(body)
"""
ALWAYS = MOODY.replace("self.odd and", "")
NEVER = MOODY.replace("(self.odd and", "(False and")
REPORT = "--toolcall-report=r.json"


def _report(project: Any) -> dict[str, Any]:
    report: dict[str, Any] = json.loads((project.path / "r.json").read_text(encoding="utf-8"))
    return report


def _known_patterns(project: Any) -> list[str]:
    causes = tomllib.loads((project.path / "known.toml").read_text(encoding="utf-8"))["causes"]
    return [pattern for patterns in causes.values() for pattern in patterns]


def test_what_differs_is_unstable_and_fails_no_run(project: Any) -> None:
    spec = project.write_translator(MOODY)
    result = project.run("toolcall::", "--toolcall-repeat=2", REPORT, "-v", spec=spec)
    result.assert_outcomes(passed=20, failed=2)  # two always fail
    result.stdout.fnmatch_lines(["toolcall::box/one::request::alpha-to-beta UNSTABLE*"])
    result.stdout.fnmatch_lines(
        ["2 unstable items: another try ended otherwise", "  toolcall::box/one::request::alpha-to-beta"]
    )
    report = _report(project)
    assert report["counts"]["unstable"] == 2
    item = next(item for item in report["items"] if item["outcome"] == "unstable")
    assert [finding.get("unstable") for finding in item["findings"]] == [True]
    assert item["reason"].startswith("unstable: ")
    assert "beta/text-kept 1 of 2 times" in item["reason"]


def test_one_run_of_unstable_items_alone_succeeds_unless_it_is_strict(project: Any) -> None:
    spec = project.write_translator(MOODY)
    arguments = ("toolcall::box/one::request", "--toolcall-repeat=2")
    result = project.run(*arguments, spec=spec)
    assert result.ret == pytest.ExitCode.OK
    assert "MUST" not in result.stdout.str()
    assert project.run(*arguments, "--toolcall-strict", spec=spec).ret == pytest.ExitCode.TESTS_FAILED
    assert project.run(*arguments, "--runxfail", spec=spec).ret == pytest.ExitCode.TESTS_FAILED


def test_it_is_neither_new_nor_stale_nor_written(project: Any) -> None:
    update = ("toolcall::", "--toolcall-known-failures=known.toml", "--toolcall-known-failures-update")
    project.run(*update, "--toolcall-repeat=2", spec=project.write_translator(MOODY, "moody"))
    assert _known_patterns(project) == ["box/two::request::{alpha,beta}-to-beta"]
    project.run(*update, spec=project.write_translator(ALWAYS, "always"))
    both = _known_patterns(project)
    assert both == ["4 × box/*::request::{alpha,beta}-to-beta"]
    judge = ("toolcall::", "--toolcall-known-failures=known.toml", "--toolcall-repeat=2")
    result = project.run(*judge, spec="moody:T")
    assert result.ret == pytest.ExitCode.OK
    assert "toolcall: stale" not in result.stdout.str()
    project.run(*update, "--toolcall-repeat=2", spec="moody:T")
    assert _known_patterns(project) == both
    result = project.run(*judge, spec=project.write_translator(NEVER, "never"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: stale known failure: *2 of 4 items no longer fail: *; it stands in line *"])


@pytest.mark.parametrize("count", ["0", "-1", "two", "1.5"])
def test_a_number_that_is_none(project: Any, count: str) -> None:
    result = project.run("toolcall::", f"--toolcall-repeat={count}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --toolcall-repeat: '{count}' is no number of tries; give 1 or more"])
