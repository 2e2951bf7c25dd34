"""--toolcall-known-failures: expected findings, stale entries, and lines that cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

LOSES = """
    def request(self, body):
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {**({"text": "lost"} if lost else super().request(body)), "extra": 1}
"""


@pytest.fixture
def run_with_known(project: Any) -> Any:
    """Write the file and run with it: ``run_with_known("line", …, arguments…)``."""
    spec = project.write_translator(LOSES)

    def run(text: str, *arguments: str) -> pytest.RunResult:
        (project.path / "known.txt").write_text(text, encoding="utf-8")
        result: pytest.RunResult = project.run("--toolcall-known-failures", "known.txt", *arguments, spec=spec)
        return result

    return run


def test_a_known_failure_does_not_fail_the_run(run_with_known: Any) -> None:
    result = run_with_known("# ours\n\nbox/two::request::*-to-beta  beta/text-kept  # issue 12\n", "toolcall::", "-rx")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=22, xfailed=2)
    result.stdout.fnmatch_lines(["XFAIL toolcall::box/two::request::alpha-to-beta - beta/text-kept: issue 12"])
    result.stdout.fnmatch_lines(["*2 known*", "1 known cause, in 2 items"])


def test_the_prefix_may_be_written(run_with_known: Any) -> None:
    assert run_with_known("toolcall::*  beta/text-kept  # issue 12\n", "toolcall::").ret == pytest.ExitCode.OK


def test_another_finding_still_fails(run_with_known: Any) -> None:
    result = run_with_known("*  beta/text-kept  # issue 12\n", "toolcall::box/two::request", "-v", "--toolcall-strict")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["  translation/extra *SHOULD", "  known beta/text-kept  (issue 12)"])


def test_a_stale_entry_fails_the_run(run_with_known: Any) -> None:
    text = "box/two::request::*-to-beta beta/text-kept # issue 12\nbox/one::*  beta/text-kept  # issue 13\n"
    result = run_with_known(text, "toolcall::")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["toolcall: stale known failure: *known.txt: beta/text-kept: box/one::[*] no longer fails; delete line 2"]
    )


def test_an_entry_is_not_stale_when_some_of_its_items_did_not_run(run_with_known: Any) -> None:
    assert run_with_known("*  beta/text-kept  # issue 12\n", "toolcall::box/one").ret == pytest.ExitCode.OK
    assert run_with_known("box/one::*  beta/text-kept  # x\n", "toolcall::", "-k", "response").ret == pytest.ExitCode.OK


def test_an_entry_that_matches_nothing_is_stale(run_with_known: Any) -> None:
    result = run_with_known("bxo/*  beta/text-kept  # issue 12\n", "toolcall::box/one")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*known.txt: bxo/[*] (line 1) matches no item; correct the pattern or delete the line"]
    )


def test_runxfail_shows_the_failure(run_with_known: Any) -> None:
    result = run_with_known(
        "*  beta/text-kept  # issue 12\n", "toolcall::box/two::request::alpha-to-beta", "--runxfail"
    )
    result.assert_outcomes(failed=1)


def test_a_known_failure_is_reported_like_any_other_where_its_text_is_requested(run_with_known: Any) -> None:
    """Its text is its findings, never a way through pytest's code."""
    arguments = ("*  beta/text-kept  # issue 12\n", "toolcall::box/two::request::alpha-to-beta")
    result = run_with_known(*arguments, "--xfail-tb")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["  known beta/text-kept  (issue 12)"])
    assert "site-packages" not in result.stdout.str()
    assert "  known beta/text-kept" not in run_with_known(*arguments).stdout.str()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("box/one\n", "known.txt:1: write ITEM-PATTERN RULE # reason, found 'box/one'"),
        ("\n\nbox/one beta/text-kept\n", "known.txt:3: a reason is missing*"),
        ("box/one beta/text-kept  #  \n", "known.txt:1: a reason is missing*"),
        ("* beta/text-kep # x\n", "known.txt:1: there is no rule 'beta/text-kep'; did you mean beta/text-kept*"),
        ("a b c # x\n", "known.txt:1: write ITEM-PATTERN RULE # reason*"),
    ],
)
def test_a_bad_line_is_a_usage_error_with_its_number(run_with_known: Any, text: str, sentence: str) -> None:
    result = run_with_known(text, "toolcall::")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{sentence}"])


def test_a_missing_file_is_a_usage_error(project: Any) -> None:
    result = project.run("toolcall::", "--toolcall-known-failures", "nowhere.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *nowhere.txt: cannot be read (No such file or directory)*"])
