"""Plugins that users have in addition to ours, with hooks in a conftest.py: each does with our items what it does with
tests.

`other_plugins.txt` lists them; one that is not installed is skipped. pytest-xdist and pytest-timeout are in `dev`.
"""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from miniature import CONFTEST

LOSES_TEXT_TO_BETA = """
    def request(self, body):
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {"text": "lost"} if lost else super().request(body)
"""
FAILING = {f"toolcall::box/two::request::{client}-to-beta" for client in ("alpha", "beta")}

# Hooks of the user's, with which every item goes pytest's own way, and its order is written down.
HOOKS = """
from pathlib import Path

def pytest_runtest_setup(item):
    with Path(__file__).with_name("order.txt").open("a", encoding="utf-8") as file:
        print(item.nodeid, file=file)
"""


def require_plugin(name: str) -> None:
    """Skip a test whose plugin is not there."""
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed (tests/plugin/other_plugins.txt)")


@pytest.fixture(autouse=True)
def hooks(project: Any) -> None:
    (project.path / "conftest.py").write_text(CONFTEST + HOOKS, encoding="utf-8")


def order(project: Any) -> list[str]:
    """The items in the order in which they were set up since this was asked."""
    file = project.path / "order.txt"
    words: list[str] = file.read_text(encoding="utf-8").split()
    file.unlink()
    return words


def test_last_failed(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", spec=spec).assert_outcomes(failed=2, passed=22)
    assert len(order(project)) == 24
    project.run("toolcall::", "--lf", spec=spec).assert_outcomes(failed=2, deselected=22)
    assert set(order(project)) == FAILING


def test_failed_first(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", spec=spec)
    order(project)
    project.run("toolcall::", "--ff", spec=spec).assert_outcomes(failed=2, passed=22)
    again = order(project)
    assert set(again[:2]) == FAILING
    assert len(again) == 24


def test_new_first(project: Any) -> None:
    project.run("toolcall::box/two", "--nf").assert_outcomes(passed=8)
    order(project)
    project.run("toolcall::", "--nf").assert_outcomes(passed=24)
    assert not any("box/two" in nodeid for nodeid in order(project)[:16])


def test_stepwise(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", "--sw", spec=spec).assert_outcomes(failed=1, passed=9)
    order(project)
    project.run("toolcall::", "--sw").assert_outcomes(passed=15, deselected=9)
    assert order(project)[0] in FAILING


def test_xdist(project: Any) -> None:
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", "-n", "2", spec=spec).assert_outcomes(failed=2, passed=22)
    assert len(set(order(project))) == 24


FAILS_ONCE = """
    fails = iter([True])

    def request(self, body):
        if self.route.upstream == "beta" and "two" in body["text"] and next(self.fails, False):
            return {"text": "lost"}
        return super().request(body)
"""


def test_rerunfailures(project: Any) -> None:
    require_plugin("pytest-rerunfailures")
    spec = project.write_translator(FAILS_ONCE)
    options = ("-p", "pytest_rerunfailures", "--reruns=2", "--toolcall-report=report.json", "--junit-xml=junit.xml")
    result = project.run("toolcall::box/two::request", *options, spec=spec)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*4 passed, 1 rerun*"])
    items = order(project)
    twice = next(nodeid for nodeid in items if items.count(nodeid) == 2)
    assert len(items) == 5
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert {item["outcome"] for item in report["items"]} == {"passed"}
    cases = list(ET.parse(project.path / "junit.xml").iter("testcase"))
    last = [each for each in cases if twice.endswith(f"::{each.get('name')}")][-1]
    verdicts = [each.get("value") for each in last.iter("property") if each.get("name") == "toolcall_verdict"]
    assert verdicts == ["pass"]


def test_rerunfailures_of_what_fails_always(project: Any) -> None:
    require_plugin("pytest-rerunfailures")
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    result = project.run("toolcall::box", "-p", "pytest_rerunfailures", "--reruns=1", spec=spec)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*2 failed, 14 passed, 2 rerun*"])


def test_randomly(project: Any) -> None:
    require_plugin("pytest-randomly")
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    reports = []
    for more in (["-p", "pytest_randomly", "--randomly-seed=7"], []):
        project.run("toolcall::", *more, "--toolcall-report=report.json", spec=spec).assert_outcomes(
            failed=2, passed=22
        )
        reports.append((order(project), json.loads((project.path / "report.json").read_text(encoding="utf-8"))))
    (mixed, first), (usual, other) = reports
    assert mixed != usual
    assert sorted(mixed) == sorted(usual)
    assert [item["nodeid"] for item in first["items"]] == [item["nodeid"] for item in other["items"]]


def test_cov(project: Any) -> None:
    """In a process of its own: it must not switch off the measurement of these tests."""
    require_plugin("pytest-cov")
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    result = project.run_in_subprocess("toolcall::", "--cov=mine", "--cov-report=json:cov.json", spec=spec)
    result.assert_outcomes(failed=2, passed=22)
    coverage = json.loads((project.path / "cov.json").read_text(encoding="utf-8"))["files"]["mine.py"]
    assert coverage["missing_lines"] == []
    assert len(order(project)) == 24


def test_html(project: Any) -> None:
    require_plugin("pytest-html")
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    plugins = ("-p", "pytest_metadata.plugin", "-p", "pytest_html.plugin", "-p", "pytest_html.fixtures")
    result = project.run("toolcall::", *plugins, "--html=page.html", "--self-contained-html", spec=spec)
    result.assert_outcomes(failed=2, passed=22)
    page = Path(project.path / "page.html").read_text(encoding="utf-8")
    assert all(nodeid in page for nodeid in order(project))
    assert "beta/text-kept" in page


def test_split(project: Any) -> None:
    require_plugin("pytest-split")
    plugin = ("-p", "pytest_split.plugin")
    project.run("toolcall::", *plugin, "--store-durations").assert_outcomes(passed=24)
    whole, parts = order(project), []
    for group in ("1", "2"):
        assert project.run("toolcall::", *plugin, "--splits=2", f"--group={group}").ret == pytest.ExitCode.OK
        parts += order(project)
    assert parts == whole
