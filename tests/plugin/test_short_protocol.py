"""What anybody sees of an item is the same, whichever way it goes through pytest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

LOSES_TEXT_TO_BETA = """
    def request(self, body):
        print("here comes", body["text"])
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {"text": "lost"} if lost else super().request(body)
"""

# Tells what it sees of each item; `set up` are the nodes that pytest has set up for it.
WATCH = """
import os
import pytest

seen, ways = [], set()

def pytest_runtest_logstart(nodeid): seen.append(("start", nodeid))
def pytest_runtest_logfinish(nodeid): seen.append(("finish", nodeid, "PYTEST_CURRENT_TEST" in os.environ))

def pytest_runtest_logreport(report):
    said = None if report.passed else str(report.longrepr)
    told = report.nodeid, report.outcome, said, report.sections, report.keywords, report.location
    seen.append((report.when, *told))

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    if call.when == "call":
        ways.add("long" if item.session._setupstate.stack else "short")

@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure():
    with open("seen.txt", "w") as file:
        file.write(repr((sorted(ways), seen)))
"""

SETS_UP = """
ready = []

def pytest_runtest_setup(item): ready.append(item.nodeid)
def pytest_runtest_teardown(item): assert ready[-1] == item.nodeid
def pytest_sessionfinish(session): assert len(ready) == len(session.items)
"""

PLAYS_ITSELF = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    runtestprotocol(item, nextitem=nextitem)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""


@pytest.fixture(autouse=True)
def outside_of_tests(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs inside this process find the plugins of the project, and no test that they would be a part of."""
    project.pytester.syspathinsert()
    monkeypatch.delenv("PYTEST_CURRENT_TEST", raising=False)


# Plugins that have nothing to do with our items.
BESIDE = ("-p", "syrupy", "-p", "pytest_timeout")


def run_watched(project: Any, *arguments: str) -> tuple[list[str], list[Any]]:
    """The ways of the items of a run, and the reports on them."""
    project.write_module("watch", WATCH)
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    project.run("toolcall::", "-p", "watch", *BESIDE, *arguments, spec=spec)
    content: tuple[list[str], list[Any]] = eval((project.path / "seen.txt").read_text(encoding="utf-8"))
    return content


def test_an_item_goes_pytests_own_way_where_another_plugin_has_a_part(project: Any) -> None:
    ways, alone = run_watched(project)
    assert ways == ["short"]
    for name, text in (("sets_up", SETS_UP), ("plays_itself", PLAYS_ITSELF)):
        project.write_module(name, text)
        others_ways, beside = run_watched(project, "-p", name)
        assert (name, others_ways) == (name, ["long"])
        assert alone == beside, name
    assert any("here comes" in str(entry) for entry in alone)


def test_marks_of_the_user_count(project: Any) -> None:
    project.write_module(
        "marks",
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    items[0].add_marker(pytest.mark.skip)\n"
        "    items[1].add_marker(pytest.mark.xfail(run=False))\n",
    )
    project.run("toolcall::", "-p", "marks").assert_outcomes(passed=22, skipped=1, xfailed=1)


def test_setup_show_shows_each_item(project: Any) -> None:
    result = project.run("toolcall::box/two::request", "--setup-show")
    result.stdout.fnmatch_lines(["*toolcall::box/two::request::alpha-to-beta*"])


def test_fixtures_of_tests_before_ours_end_before_them(project: Any) -> None:
    project.write_module(
        "test_own",
        "import pytest\n"
        "@pytest.fixture(scope='module', autouse=True)\n"
        "def open_thing():\n    yield\n    print('the thing is closed')\n"
        "def test_own(): pass\n",
    )
    result = project.run("test_own.py", "toolcall::box/two::request", "-s", "-v")
    result.stdout.fnmatch_lines(["*the thing is closed*", "*toolcall::box/two::request::alpha-to-alpha*"])
    result.assert_outcomes(passed=5)


# Tells how many reports of each phase the terminal was given; reads none itself.
COUNT = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not hasattr(session.config, "workerinput"):
        with open("counted.txt", "w") as file:
            file.write(str(sorted(report.when for each in reporter.stats.values() for report in each)))
"""

READS = "def pytest_runtest_logreport(report): pass"
ASKED_FOR_A_STATUS = "def pytest_report_teststatus(report): pass"
# Under xdist only the controller has it.
READS_BESIDE_WORKERS = """
class Reader:
    def pytest_runtest_logreport(self, report): pass

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reader())
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["alone", "workers"])
@pytest.mark.parametrize(
    ("reader", "more", "phases"),
    [
        ("", BESIDE, ["call"]),
        (READS, [], ["call", "setup", "teardown"]),
        (READS_BESIDE_WORKERS, [], ["call", "setup", "teardown"]),
        (ASKED_FOR_A_STATUS, [], ["call", "setup", "teardown"]),
        ("", ["--durations=1"], ["call", "setup", "teardown"]),
        ("", ["--junit-xml=found.xml"], ["call", "setup", "teardown"]),
    ],
    ids=["nobody", "a plugin", "a plugin of the controller", "a status", "durations", "junit"],
)
def test_phases_are_reported_where_somebody_reads_of_them(
    project: Any, workers: list[str], reader: str, more: Sequence[str], phases: list[str]
) -> None:
    project.write_module("count", COUNT)
    project.write_module("reader", reader)
    result = project.run("toolcall::box", "-p", "count", "-p", "reader", *workers, *more)
    result.assert_outcomes(passed=16)
    counted = eval((project.path / "counted.txt").read_text(encoding="utf-8"))
    assert counted == sorted(phases * 16)


def test_a_record_that_crosses_as_text_says_the_same(project: Any) -> None:
    """On the long way, and from workers, records are text in reports; on the short way they are handed over."""
    project.write_module("other", SETS_UP)
    spec = project.write_translator(LOSES_TEXT_TO_BETA)
    runs = []
    for more in ([], ["-p", "other"], ["-n", "1"]):
        project.run("toolcall::", "--toolcall-report=report.json", *more, spec=spec)
        report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
        runs.append([{**item, "duration": item["duration"] > 0} for item in report["items"]])
    assert runs[0] == runs[1] == runs[2]
    assert len({item["outcome"] for item in runs[0]}) > 1
