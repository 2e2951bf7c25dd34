"""``--toolcall-policy``: on the command line and in the settings, in the report, and files that are wrong."""

from __future__ import annotations

import json

import pytest

MINE = """
from toolcall_reference import Policy, ReferenceTranslator
Plain = ReferenceTranslator
T = ReferenceTranslator(Policy(rename={"cat": "read_file"}))
"""
POLICY = '[rename]\ncat = "read_file"\n'
ITEM = "toolcall::policy/renamed::request::anthropic-to-gemini"
QUIET = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")


@pytest.fixture
def run(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(mine=MINE)
    pytester.makefile(".toml", policy=POLICY)
    return pytester


def test_what_is_said_is_demanded(run: pytest.Pytester) -> None:
    arguments = (*QUIET, "--toolcall-policy=policy.toml", "--toolcall-report=report.json", ITEM)
    run.runpytest_inprocess(*arguments, "--toolcall-translator", "mine:T").assert_outcomes(passed=1)
    report = json.loads((run.path / "report.json").read_text(encoding="utf-8"))
    assert report["policy"] == {"rename": {"cat": "read_file"}}
    result = run.runpytest_inprocess(*arguments, "--toolcall-translator", "mine:Plain")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*translation/tool-lost*MUST", "*again pytest * --toolcall-policy=policy.toml*"])
    # Without a word of it, a new name is a warning.
    run.runpytest_inprocess(*QUIET, "--toolcall-translator", "mine:T", "--toolcall-strict", ITEM).assert_outcomes(
        failed=1
    )


def test_the_settings_name_it(run: pytest.Pytester) -> None:
    run.makepyprojecttoml('[tool.toolcall]\ntranslator = "mine:Plain"\npolicy = "policy.toml"\n')
    run.runpytest_inprocess(*QUIET, ITEM).assert_outcomes(failed=1)


def test_there_are_no_round_trips(run: pytest.Pytester) -> None:
    arguments = (*QUIET, "--toolcall-translator", "mine:T", "--collect-only", "-q", "toolcall::policy/renamed")
    assert "::round_trip::" in run.runpytest_inprocess(*arguments).stdout.str()
    assert "::round_trip::" not in run.runpytest_inprocess(*arguments, "--toolcall-policy=policy.toml").stdout.str()


def test_a_file_that_is_wrong_ends_the_run(run: pytest.Pytester) -> None:
    run.makefile(".toml", policy="[renames]\n")
    result = run.runpytest_inprocess(*QUIET, "--toolcall-translator", "mine:T", "--toolcall-policy=policy.toml", ITEM)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *policy.toml: there is no table 'renames'; did you mean rename[?]"])
