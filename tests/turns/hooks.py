"""Leaves out the dear tests that wait for another day, and says how to repeat what failed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from turns import TURNS, VARIABLE, Run, begin, end, everything, given_day, measuring, today
from turns.costs import known_costs, unit_of

ALL = "all_places"
_HANDED = "toolcall_turns"


def run_of(config: pytest.Config) -> Run:
    """What a run goes through. Workers do as the process that started them."""
    if hasattr(config, "workerinput"):
        return Run(**config.workerinput[_HANDED])
    option = config.option
    if ALL in option.markexpr or option.all_items or getattr(option, "update_snapshots", False):
        return Run(everything=True, day=given_day())
    return Run(everything=not os.environ.get(VARIABLE) and not _asks_for_all(config), day=given_day())


def _asks_for_all(config: pytest.Config) -> bool:
    """Whether it is the run of all tests, of which nobody chose some."""
    option = config.option
    chosen = option.keyword or option.markexpr or getattr(option, "lf", False)
    places = {(config.invocation_params.dir / word).resolve() for word in config.args}
    return not chosen and places <= {config.rootpath, config.rootpath / "tests"}


def waiting(items: Iterable[pytest.Item], day: int) -> list[pytest.Item]:
    """The dear tests that wait for another day. The items of one test take turns with each other."""
    turn = known_costs()
    items_before: Counter[str] = Counter()
    rest = []
    for item in items:
        unit = unit_of(item.nodeid, turn)
        if unit is None or item.get_closest_marker("daily"):
            continue
        if (turn[unit].turn + items_before[unit] - day) % TURNS:
            rest.append(item)
        if "::" in unit:
            items_before[unit] += 1
    return rest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-items",
        action="store_true",
        help="compare the verdicts through different media, and what the SDKs see in the reference's streams, on the "
        "whole corpus, not on a few families; and let no dear test wait",
    )
    parser.addoption(
        "--measure", metavar="FILE", help="let no dear test wait, and write here what CPU time each takes (see -n 1)"
    )


def pytest_configure(config: pytest.Config) -> None:
    begin(run_of(config))
    config.add_cleanup(end)
    workers = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    if config.option.measure and not workers:
        config.pluginmanager.register(measuring.Measuring(Path(config.option.measure)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput[_HANDED] = {"everything": everything(), "day": today()}


def pytest_report_header() -> str:
    if everything():
        return "of no day: dear tests do not wait"
    return f"of one day, {VARIABLE}={today()}: dear tests wait for theirs unless -m {ALL} names all"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if ALL in config.option.markexpr and f"not {ALL}" not in config.option.markexpr:
        for item in items:
            item.add_marker(ALL)
    if everything() or config.option.measure or any("::" in word for word in config.args):
        return
    if rest := {*waiting(items, today())}:
        config.hook.pytest_deselected(items=[*rest])
        items[:] = [item for item in items if item not in rest]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and not everything():
        repeat = f"{VARIABLE}={today()} pytest '{item.nodeid}' repeats it"
        report.sections.append(("What is tried today", repeat))
    return report
