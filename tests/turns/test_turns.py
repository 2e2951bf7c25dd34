"""All days together run everything, each day a part; a run of chosen tests gets all of them."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from itertools import product
from math import gcd
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import turns
from turns import TURNS, Run, costs, hooks
from turns.costs import Cost, Measured

MODULE = """
import pytest
from turns import everything, share, today

@pytest.mark.parametrize("number", range(10))
def test_many(number): pass

def test_dear(): print(f"SHARE {share(range(6), 3)} OF {today() if not everything() else 'ALL'}")

@pytest.mark.daily
def test_pinned(): pass

def test_cheap(): assert True
"""
COSTS = {
    "tests/test_a.py::test_many": Cost(9.0, 2),
    "tests/test_a.py::test_dear": Cost(3.0, 5),
    "tests/test_a.py::test_pinned": Cost(3.0, 1),
    "tests/test_a.py::test_gone": Cost(3.0, 1),
    "tests/test_b.py": Cost(20.0, 6),
}
DAILY = {"tests/test_a.py::test_pinned", "tests/test_a.py::test_cheap", "tests/test_b.py::test_pinned"}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with dear tests and cheap ones, in which no day is given."""
    monkeypatch.delenv(turns.VARIABLE, raising=False)
    monkeypatch.setattr(hooks, "known_costs", lambda: COSTS)
    markers = 'markers = ["daily", "all_places"]'
    pytester.makepyprojecttoml(f'[tool.pytest.ini_options]\ntestpaths = ["tests"]\n{markers}\n')
    pytester.mkdir("tests")
    for name in ("a", "b"):
        (pytester.path / "tests" / f"test_{name}.py").write_text(MODULE, encoding="utf-8")
    return pytester


def play(project: pytest.Pytester, *words: str) -> tuple[set[str], str]:
    """The tests that passed, and what the run printed."""
    done = project.runpytest_inprocess("-p", "turns.hooks", "-p", "no:hypothesispytest", "-v", "-s", *words)
    assert done.ret == 0
    return {*re.findall(r"(tests/\S+::\S+) .*PASSED", re.sub(r"SHARE.*\n", "", done.stdout.str()))}, done.stdout.str()


def test_all_days_together_run_everything(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = play(project, "-m", "all_places")
    days = []
    for day in range(700, 700 + TURNS):
        monkeypatch.setenv(turns.VARIABLE, str(day))
        played, printed = play(project)
        assert f"of one day, TOOLCALL_DAY={day}" in printed
        days.append(played)
    counts = Counter(name for played in days for name in played)
    assert counts.keys() == whole
    assert {name for name, count in counts.items() if count == TURNS} == DAILY
    assert {count for name, count in counts.items() if name not in DAILY} == {1}
    assert max(map(len, days)) < len(whole)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["tests/test_a.py"], id="a file"),
        pytest.param(["tests/test_a.py", "tests/test_b.py"], id="files"),
        pytest.param(["tests/test_a.py::test_many", "tests/test_a.py::test_dear"], id="tests"),
        pytest.param(["-k", "many or dear"], id="words"),
        pytest.param(["-m", "not daily"], id="a mark"),
        pytest.param(["tests", "--all-items"], id="all items"),
    ],
)
def test_a_run_of_chosen_tests_gets_all(project: pytest.Pytester, words: list[str]) -> None:
    played, printed = play(project, *words)
    many = {f"tests/test_a.py::test_many[{number}]" for number in range(10)}
    assert many | {"tests/test_a.py::test_dear"} <= played
    assert "SHARE [0, 1, 2, 3, 4, 5] OF ALL" in printed


@pytest.mark.parametrize("words", [[], ["tests"], ["."]])
def test_a_run_of_everything_is_of_the_date(project: pytest.Pytester, words: list[str]) -> None:
    _, printed = play(project, *words)
    assert " deselected in " in printed
    assert f"of one day, TOOLCALL_DAY={turns.given_day()}" in printed


def test_the_number_of_a_day_takes_its_part_of_what_is_named(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(2 * TURNS):
        monkeypatch.setenv(turns.VARIABLE, str(day))
        played, _ = play(project, "tests/test_a.py")
        assert ("tests/test_a.py::test_dear" in played) == (day % TURNS == 5)
        # A test that is named is run, with the share of the day.
        played, printed = play(project, "tests/test_a.py::test_dear")
        assert played == {"tests/test_a.py::test_dear"}
        assert f"SHARE {[number for number in range(6) if (number + day) % 3 == 0]} OF {day}" in printed


def test_a_failure_says_how_to_repeat_it(project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "tests" / "test_a.py").write_text("def test_dear(): assert not 'right'\n", encoding="utf-8")
    monkeypatch.setenv(turns.VARIABLE, "705")
    done = project.runpytest_inprocess("-p", "turns.hooks", "-p", "no:hypothesispytest")
    done.stdout.fnmatch_lines(["*TOOLCALL_DAY=705 pytest 'tests/test_a.py::test_dear' repeats it"])
    monkeypatch.delenv(turns.VARIABLE)
    done = project.runpytest_inprocess("-p", "turns.hooks", "-p", "no:hypothesispytest", "tests/test_a.py")
    done.assert_outcomes(failed=1)
    assert "repeats it" not in done.stdout.str()


def test_workers_do_as_the_process_that_starts_them() -> None:
    """Their own command names every test's place, and midnight may come before they start."""
    node = SimpleNamespace(workerinput={})
    turns.begin(Run(everything=True, day=12))
    try:
        hooks.pytest_configure_node(node)
    finally:
        turns.end()
    config: Any = SimpleNamespace(workerinput=node.workerinput)
    assert hooks.run_of(config) == Run(everything=True, day=12)


def test_a_day_is_a_whole_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(turns.VARIABLE, "12")
    assert turns.given_day() == 12
    monkeypatch.setenv(turns.VARIABLE, "monday")
    with pytest.raises(ValueError, match="TOOLCALL_DAY is 'monday'; give a whole number"):
        turns.given_day()


def test_a_dear_test_sees_all_shares() -> None:
    """It is run on one day in so many; were the number of parts a multiple of that, it would see one part for ever."""
    for size, parts in product(range(1, 30), range(1, 16)):
        numbers: set[int] = set()
        for turn in range(size * 2):
            part = turns.part_of(range(size), parts, 3 + TURNS * turn)
            assert part
            numbers |= {*part}
        assert numbers == {*range(size)}, (size, parts)
    assert gcd(TURNS, 2 * 3 * 4 * 5 * 6) == 1


@pytest.fixture(scope="module")
def known_costs() -> dict[str, Cost]:
    return costs.known_costs()


def test_days_are_alike_long(known_costs: dict[str, Cost]) -> None:
    """In what was measured. A test of many items is on each day with some of them."""
    days: Counter[int] = Counter()
    for cost in known_costs.values():
        assert 0 <= cost.turn < TURNS
        days[cost.turn] += round(cost.seconds * 10)
    assert len(known_costs) > 100
    assert max(days.values()) < 2 * min(days.values()), days


def test_what_is_dealt_is_there(known_costs: dict[str, Cost]) -> None:
    """Else it is time to measure again: `python tests turns.costs`."""
    root = Path(__file__).parents[2]
    gone = []
    for name in known_costs:
        path, _, test = name.partition("::")
        text = (root / path).read_text(encoding="utf-8") if (root / path).is_file() else ""
        if not text or (test and f"def {test.rpartition('::')[2]}(" not in text):
            gone.append(name)
    assert len(gone) < len(known_costs) / 10, gone


def test_the_dearest_are_dealt_first_and_what_was_dealt_stays() -> None:
    units = {f"f.py::{name}": Measured(1, seconds) for name, seconds in zip("abcdefgh", range(8, 0, -1), strict=True)}
    first = costs.deal_days(units, {})
    assert [first[name].turn for name in units] == [0, 1, 2, 3, 4, 5, 6, 6]
    again = costs.deal_days({**units, "f.py::new": Measured(1, 9.0), "f.py::late": Measured(7, 7.0)}, first)
    assert {name: again[name] for name in units} == first
    assert again["f.py::new"].turn == 5


def test_what_is_dear() -> None:
    def row(name: str, seconds: float, setup: float = 0.0, *, daily: bool = False) -> dict[str, object]:
        return {"id": name, "seconds": seconds, "setup": setup, "daily": daily}

    rows = [
        *(row(f"a.py::many[{number}]", 0.2) for number in range(5)),
        row("a.py::cheap", 0.3),
        row("a.py::pinned", 30.0, daily=True),
        row("b.py::first", 8.0, 7.5),
        row("b.py::second", 0.1),
    ]
    assert {name: (unit.items, round(unit.seconds, 1)) for name, unit in costs.dear_units(rows, 0.4).items()} == {
        "a.py::many": (5, 1.0),
        "b.py": (2, 8.1),
    }


BURNING = """
import subprocess, sys, time

def burn():
    end = time.process_time() + 0.2
    while time.process_time() < end: pass

WORDS = [sys.executable, __file__]
children = []

def test_child(): subprocess.run(WORDS, input=b"", stdout=subprocess.DEVNULL)

def test_child_that_goes_on():
    children.append(subprocess.Popen(WORDS, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
    assert children[0].stdout.readline()

def test_idle(): children[0].communicate()

if __name__ == "__main__":
    burn()
    print(1, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only there children that go on are asked")
def test_what_a_test_takes_is_measured(project: pytest.Pytester) -> None:
    project.path.joinpath("tests", "test_burning.py").write_text(BURNING, encoding="utf-8")
    play(project, "tests/test_burning.py", "--measure", "measured.jsonl")
    rows = [json.loads(line) for line in project.path.joinpath("measured.jsonl").read_text().splitlines()]
    assert [row["id"].rpartition("::")[2] for row in rows] == ["test_child", "test_child_that_goes_on", "test_idle"]
    assert [0.2 <= row["seconds"] < 2 for row in rows] == [True, True, False]
