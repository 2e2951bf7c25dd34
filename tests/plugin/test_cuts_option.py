"""``--toolcall-cuts``: what it runs, what it prints to run again, and what it does not take."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

DEAF = """
from toolcall_reference import ReferenceTranslator


class T:
    def open(self, route):
        inner = ReferenceTranslator().open(route)

        class Session:
            request = inner.request

            def stream(self, chunks):
                for chunk in chunks:
                    yield from inner.stream([chunk])

        return Session()
"""
ITEM = "toolcall::state/seed::stream::anthropic-to-gemini-recut"


@pytest.mark.parametrize("fineness", ["many", "0", "-3", "9999", "1.5"])
def test_a_wrong_value_is_a_usage_error(project: Any, fineness: str) -> None:
    result = project.run("toolcall::", f"--toolcall-cuts={fineness}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --toolcall-cuts: '{fineness}' is neither `default` nor `all` nor a number from 1 to 8192"]
    )


def test_all_has_items_in_every_case_and_says_how_to_run_them_again(pytester: pytest.Pytester) -> None:
    Path("deaf.py").write_text(DEAF, encoding="utf-8")
    options = ("-p", "no:hypothesispytest", "-p", "no:anyio", "--toolcall-translator", "deaf:T")
    none = pytester.runpytest_inprocess(*options, ITEM)
    none.stdout.fnmatch_lines(["*nothing was judged*"])
    result = pytester.runpytest_inprocess(*options, "--toolcall-cuts", "all", ITEM)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f'*again pytest --toolcall-translator deaf:T --toolcall-cuts all "{ITEM}"'])
    number = pytester.runpytest_inprocess(
        *options, "--toolcall-cuts=2", "toolcall::write_file/unicode-arguments::stream::gemini-to-gemini*"
    )
    assert "--toolcall-cuts 2" in number.stdout.str()
