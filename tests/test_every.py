"""The helper for one test of many things: nothing that fails in one of them is lost, and nothing hides another."""

from __future__ import annotations

import re

import pytest

from every import every

MODULE = """
import pytest
from every import every

@every("word, number", {things}, id=lambda word, number: f"id/{{word}}", by=lambda word, number: word[0])
def test_it(word, number, tmp_path):
    assert tmp_path.is_dir()
    if number == 1:
        assert word == "right", "it says so"
    if number == 2:
        raise LookupError(f"of {{word}}")
    if number == 3:
        pytest.skip("not this one")
    if number == 4:
        raise SystemExit("gone")
    print(f"went through {{word}}")
"""


PLUGINS = ("-p", "turns.hooks", "-p", "every", "-p", "no:hypothesispytest", "-rN")


def run_generated_test(pytester: pytest.Pytester, things: object, *options: str) -> pytest.RunResult:
    pytester.makepyfile(test_made=MODULE.format(things=things))
    return pytester.runpytest_inprocess(*PLUGINS, *options)


def test_what_is_right_passes_and_each_was_gone_through(pytester: pytest.Pytester) -> None:
    done = run_generated_test(pytester, [("a1", 0), ("a2", 0), ("b1", 0)], "-s", "-v")
    done.assert_outcomes(passed=2)
    assert [done.stdout.str().count(f"went through {word}") for word in ("a1", "a2", "b1")] == [1, 1, 1]
    done.stdout.fnmatch_lines(["*test_it[[]a[]]*", "*test_it[[]b[]]*"])


def test_one_that_fails_is_named_with_what_its_assertion_said(pytester: pytest.Pytester) -> None:
    done = run_generated_test(pytester, [("a1", 0), ("a2", 1), ("a3", 0), ("b1", 0)])
    done.assert_outcomes(failed=1, passed=1)
    done.stdout.fnmatch_lines([
        "1 of 3 fail: id/a2",
        "____ id/a2 ____",
        "test_made.py:8: in test_it",
        "E   AssertionError: it says so",
        "E   assert 'a2' == 'right'",
    ])  # fmt: skip
    assert "every.py" not in done.stdout.str()
    assert "went through a3" in done.stdout.str()


def test_none_hides_another_whatever_it_raises(pytester: pytest.Pytester) -> None:
    things = [("a1", 1), ("a2", 2), ("a3", 0), ("a4", 3), ("a5", 4), ("a6", 1)]
    done = run_generated_test(pytester, things)
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines([
        "5 of 6 fail: id/a1, id/a2, id/a4, id/a5, id/a6",
        "____ id/a1 ____", "E   assert 'a1' == 'right'",
        "____ id/a2 ____", "E   LookupError: of a2",
        "____ id/a4 ____", "E   Skipped: not this one",
        "____ id/a5 ____", "E   SystemExit: gone",
        "____ id/a6 ____", "E   assert 'a6' == 'right'",
    ], consecutive=False)  # fmt: skip


def test_where_all_are_skipped_the_test_is(pytester: pytest.Pytester) -> None:
    done = run_generated_test(pytester, [("a1", 3), ("a2", 3), ("b1", 0)], "-rs")
    done.assert_outcomes(passed=1, skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED*not this one"])


def test_a_run_can_be_broken_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_made="""
        import pytest
        from every import every

        @every("number", [1, 2], id=str)
        def test_it(number):
            pytest.exit("enough")
        """
    )
    done = pytester.runpytest_inprocess(*PLUGINS)
    done.stdout.fnmatch_lines(["*Exit: enough*"])
    done.assert_outcomes()


def test_an_id_finds_the_test_that_goes_through_it(pytester: pytest.Pytester) -> None:
    done = run_generated_test(pytester, [("a1", 0), ("a2", 0), ("b1", 0)], "-v", "-k", "id/a2")
    done.assert_outcomes(passed=1, deselected=1)
    done.stdout.fnmatch_lines(["*test_it[[]a[]]*"])


def test_nothing_to_check_is_an_error(pytester: pytest.Pytester) -> None:
    done = run_generated_test(pytester, [])
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*ValueError: there is nothing to check"])


def test_things_that_are_found_in_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_made="""
        from every import every

        found = []

        def test_before():
            found.extend([1, 2])

        @every("number", lambda: found, id=str)
        def test_it(number):
            assert number > 2

        @every("number", lambda: [], id=str)
        def test_nothing(number):
            pass
        """
    )
    done = pytester.runpytest_inprocess(*PLUGINS)
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(["*2 of 2 fail: 1, 2", "*ValueError: there is nothing to check"])


def test_what_is_found_in_the_run_makes_no_groups() -> None:
    with pytest.raises(ValueError, match="makes no groups"):
        every("number", lambda: [1], id=str, by=str)


def run_with_parts(pytester: pytest.Pytester, *options: str) -> str:
    things = [(f"{family}{number}", 1 if number == 4 else 0) for family in "ab" for number in range(7)]
    pytester.makepyfile(test_made=MODULE.format(things=things).replace("by=", "parts=3, by="))
    return pytester.runpytest_inprocess(*PLUGINS, "-s", *options).stdout.str()


def test_a_part_is_gone_through_each_day(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    through: list[list[str]] = []
    for day in (6, 7, 8):
        monkeypatch.setenv("TOOLCALL_DAY", str(day))
        output = run_with_parts(pytester)
        through.append(re.findall(r"went through a(\d)", output))
        assert (
            ("1 of 2 fail: id/a4" in output)
            == (f"TOOLCALL_DAY={day} pytest 'test_made.py::test_it[a]' repeats it" in output)
            == (day == 8)
        )
    assert through == [["0", "3", "6"], ["2", "5"], ["1"]]  # and 4, which fails
    monkeypatch.delenv("TOOLCALL_DAY")
    assert len(re.findall("went through a", run_with_parts(pytester, "-k", "id/a2"))) == 6


def test_two_things_of_one_id_are_an_error() -> None:
    with pytest.raises(ValueError, match="two things have the id same"):
        every("number", [1, 2], id=lambda _: "same")
