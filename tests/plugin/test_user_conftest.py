"""The hooks in a user's conftest.py see our items as those of the folder in which pytest was started."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from miniature import CONFTEST

# Every hook that pytest calls for an item, with what it was called for; one line each, at once: workers have it, too.
HOOKS = """
from pathlib import Path

import pytest

def heard(hook, phase=""):
    with Path(__file__).with_name("heard.txt").open("a", encoding="utf-8") as file:
        print(hook, phase, file=file)

def pytest_itemcollected(item): heard("itemcollected")
def pytest_runtest_protocol(item): heard("protocol")
def pytest_runtest_logstart(nodeid): heard("logstart")
def pytest_runtest_setup(item): heard("setup")
def pytest_runtest_call(item): heard("call")
def pytest_runtest_teardown(item): heard("teardown")
def pytest_runtest_makereport(item, call): heard("makereport", call.when)
def pytest_runtest_logreport(report): heard("logreport", report.when)
def pytest_report_teststatus(report): heard("teststatus", report.when)
def pytest_runtest_logfinish(nodeid): heard("logfinish")
def pytest_collection_modifyitems(items): [heard("modifyitems") for item in items]
"""
EACH = (
    *("itemcollected", "modifyitems", "protocol", "logstart", "setup", "call", "teardown", "logfinish"),
    *(
        f"{hook} {phase}"
        for hook in ("makereport", "logreport", "teststatus")
        for phase in ("setup", "call", "teardown")
    ),
)


def hook_counts(folder: Path) -> Counter[str]:
    """How often each hook of the conftest file in a folder was called."""
    file = folder / "heard.txt"
    return (
        Counter(line.strip() for line in file.read_text(encoding="utf-8").splitlines()) if file.exists() else Counter()
    )


def write(folder: Path, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "conftest.py").write_text(text, encoding="utf-8")


def test_every_hook_is_called_for_every_item(project: Any) -> None:
    write(project.path, HOOKS)
    project.run("toolcall::").assert_outcomes(passed=24)
    assert hook_counts(project.path) == dict.fromkeys(EACH, 24)


def test_hooks_are_called_in_workers(project: Any) -> None:
    write(project.path, CONFTEST + HOOKS)
    project.run("toolcall::", "-n", "1").assert_outcomes(passed=24)
    counts = hook_counts(project.path)
    assert {hook: counts[hook] for hook in ("setup", "call", "teardown")} == dict.fromkeys(
        ("setup", "call", "teardown"), 24
    )
    # xdist's controller hears of reports, too.
    assert counts["logreport call"] == 48


def test_the_folder_is_that_in_which_pytest_was_started(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for name in (".", "here", "there", "here/below"):
        write(project.path / name, HOOKS)
    (project.path / "there" / "test_theirs.py").write_text("def test_theirs(): pass", encoding="utf-8")
    project.pytester.syspathinsert()
    monkeypatch.chdir(project.path / "here")
    # The argument that is a path keeps pytest from reading the conftest file of the folder by itself.
    project.run("../there", "toolcall::box/one", spec="good:T").assert_outcomes(passed=9)
    assert {name: hook_counts(project.path / name)["setup"] for name in (".", "here", "there", "here/below")} == {
        ".": 9,
        "here": 8,
        "there": 1,
        "here/below": 0,
    }


def test_outside_of_the_root_directory_the_folder_is_the_root(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write(project.path / "root", HOOKS)
    write(project.path / "elsewhere", HOOKS)
    project.pytester.syspathinsert()
    monkeypatch.chdir(project.path / "elsewhere")
    root = str(project.path / "root")
    project.run("toolcall::box/one", f"--rootdir={root}").assert_outcomes(passed=8)
    assert (hook_counts(Path(root))["setup"], hook_counts(project.path / "elsewhere")["setup"]) == (8, 0)


def test_marks_by_the_folder_of_an_item(project: Any) -> None:
    """As conftest files do that mark tests by where they lie, which raised ValueError for a path in an installation."""
    write(
        project.path,
        "import pytest\n"
        "def pytest_collection_modifyitems(config, items):\n"
        "    for item in items:\n"
        "        if item.path.relative_to(config.rootpath).parts == () and 'beta-to-beta' in item.name:\n"
        "            item.add_marker(pytest.mark.skip(reason='not ours'))\n",
    )
    project.run("toolcall::").assert_outcomes(passed=18, skipped=6)


@pytest.mark.parametrize("hook", ["pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown"])
def test_a_hook_for_functions_says_what_to_do_in_its_own_lines(project: Any, hook: str) -> None:
    write(project.path, f"def {hook}(item):\n    helper(item)\n\ndef helper(item):\n    item.function\n")
    result = project.run("toolcall::box/one::request::alpha-to-beta")
    text = result.stdout.str()
    result.stdout.fnmatch_lines(
        [">*helper(item)", "E  *no attribute 'function': an item of toolcall:: is no test function;*isinstance(*"]
    )
    assert "_multicall" not in text
    assert len(text.splitlines()) < 45
    whole = project.run("toolcall::box/one::request::alpha-to-beta", "--full-trace")
    assert "_multicall" in whole.stdout.str()


def test_what_a_hook_around_the_call_raises_is_reported_with_its_place(project: Any) -> None:
    write(project.path, "def pytest_runtest_call(item):\n    item.obj\n")
    result = project.run("toolcall::box/one")
    result.stdout.fnmatch_lines(
        ["*8 × stopped before its verdict: AttributeError at conftest.py:2: no attribute 'obj':*"]
    )


def test_a_hook_for_functions_at_collection_says_what_to_do(project: Any) -> None:
    write(project.path, "def pytest_collection_modifyitems(items):\n    items[0].function\n")
    result = project.run("toolcall::box/one")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    result.stdout.fnmatch_lines(["INTERNALERROR> *an item of toolcall:: is no test function;*"])


def test_a_run_whose_items_a_hook_skips_says_so(project: Any) -> None:
    write(project.path, "import pytest\ndef pytest_runtest_setup(item): pytest.skip('not today')\n")
    result = project.run("toolcall::box/one")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*nothing was judged: no item was played: 8 skipped in the setup, by a hook or a mark*"]
    )


def test_a_folder_whose_conftest_cannot_be_read_is_an_error(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    write(project.path / "here", "import nothing_of_that_name\n")
    (project.path / "there").mkdir()
    (project.path / "there" / "test_theirs.py").write_text("def test_theirs(): pass", encoding="utf-8")
    project.pytester.syspathinsert()
    monkeypatch.chdir(project.path / "here")
    result = project.run("../there", "toolcall::box/one")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*No module named 'nothing_of_that_name'*"])


def test_without_conftest_files_there_is_no_hook_of_them(project: Any) -> None:
    write(project.path, HOOKS)
    project.run("toolcall::box/one", "--noconftest").assert_outcomes(passed=8)
    assert hook_counts(project.path) == {}


def test_an_item_stays_where_reports_show_it(project: Any) -> None:
    """The file of the case, whichever folder pytest was started in."""
    write(
        project.path,
        "def pytest_runtest_logreport(report):\n    if report.when == 'call': print('AT', *report.location)\n",
    )
    result = project.run("toolcall::box/one::request::alpha-to-beta", "-s")
    place = Path("mini/scenarios/box/one/scenario.json")
    result.stdout.fnmatch_lines([f"*AT {place} 0 toolcall::box/one::request::alpha-to-beta*"])
