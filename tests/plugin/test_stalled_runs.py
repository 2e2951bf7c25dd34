"""A stalled run, or one whose process dies, leaves its report and names the item; and every run ends."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from miniature import write_case

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the watchdog needs POSIX")

STANDING = (Path(__file__).parent / "standing.txt").read_text(encoding="utf-8")


WRAPPER = """
import runpy, sys, time
from pathlib import Path

from toolcall_conformance.engine.ending import process_exit as leaving

leaving._GRACE_SECONDS = leaving._EXIT_SECONDS = 0.2
try:
    runpy.run_module("pytest", run_name="__main__")
finally:
    time.sleep(1.5)
    Path("saved").touch()
"""


def run(project: Any, attack: str, *arguments: str, wrapper: str = "") -> tuple[int, str]:
    """The exit code and the standard error of a run with a good item, the attack, and a good item."""
    for name in ("before", attack, "then"):
        write_case(project.corpus, f"stuck/{name}")
    project.write_module("standing", STANDING)
    result = (project.run_script if wrapper else project.run_in_subprocess)(
        *([wrapper] if wrapper else []),
        "toolcall::stuck/before::request::alpha-to-beta",
        f"toolcall::stuck/{attack}::request::alpha-to-beta",
        "toolcall::stuck/then::request::alpha-to-beta",
        "--toolcall-report=report.json",
        "--toolcall-timeout=0.5",
        *arguments,
        spec="standing:T",
    )
    return int(result.ret), result.stderr.str()


def items(project: Any) -> tuple[bool, dict[str, Any]]:
    """Whether the report is complete, and its items by case; waits for the process that writes it after the run."""
    path = project.path / "report.json"
    end = time.monotonic() + 30
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    report = json.loads(path.read_text(encoding="utf-8"))
    return report["footer"]["complete"], {item["case"].partition("/")[2]: item for item in report["items"]}


def stderr_until(project: Any, last: str) -> str:
    """The standard error with what is written after the run, until ``last`` is there."""
    path, end = Path(project.path, "stderr"), time.monotonic() + 30
    while last not in path.read_text(encoding="utf-8") and time.monotonic() < end:
        time.sleep(0.05)
    return path.read_text(encoding="utf-8")


def test_a_stalled_run_ends_with_its_report(project: Any) -> None:
    code, output = run(project, "hold", "--toolcall-report=report.html")
    complete, items_by_name = items(project)
    assert code == -9
    assert not complete
    assert [(name, item["verdict"]) for name, item in items_by_name.items()] == [("before", "pass"), ("hold", "fail")]
    assert items_by_name["hold"]["findings"][0]["rule"] == "translation/timed-out"
    assert "stuck/hold" in (project.path / "report.html").read_text(encoding="utf-8")
    message = "a call did not return within 0.5 s, and cannot be stopped; the run ends here"
    assert f"toolcall: toolcall::stuck/hold::request::alpha-to-beta: {message}\n" in output
    line = next(number for number, text in enumerate(STANDING.splitlines(), 1) if ".pthread_mutex_lock" in text)
    assert f'standing.py", line {line} in hold' in output
    assert "toolcall: the report report.json has the 2 items until now\n" in output
    assert "it would end only this item: pytest --toolcall-isolated " in output
    assert "toolcall::stuck/hold::request::alpha-to-beta toolcall::stuck/then" in output


def test_a_run_whose_process_dies_leaves_its_report(project: Any) -> None:
    code, _ = run(project, "exit")
    complete, items_by_name = items(project)
    assert (code, complete) == (5, False)
    assert "the process died in a call; the run ends here; its exit code is no verdict" in stderr_until(
        project, "costs"
    )
    assert [(name, item["verdict"]) for name, item in items_by_name.items()] == [("before", "pass"), ("exit", "fail")]
    assert items_by_name["exit"]["findings"][0]["rule"] == "translation/crashed"


def test_a_process_that_ends_outside_of_a_call_says_so(project: Any) -> None:
    hook = "def pytest_runtest_logfinish(nodeid):\n    'quiet' in nodeid and __import__('os')._exit(0)\n"
    project.write_module("ender", hook)
    code, _ = run(project, "quiet", "-p", "ender")
    complete, items_by_name = items(project)
    assert (code, complete) == (70, False)
    assert {name: item["verdict"] for name, item in items_by_name.items()} == {"before": "pass", "quiet": "pass"}
    message = "after toolcall::stuck/quiet::request::alpha-to-beta had begun; its exit code is no verdict\n"
    assert f"toolcall: the process ended before the run did, {message}" in stderr_until(project, "isolation shows")


def test_a_stalled_worker_costs_one_item(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    code, output = run(project, "hold", "-n", "1")
    complete, items_by_name = items(project)
    assert (code, complete) == (1, True)
    assert {name: item["verdict"] for name, item in items_by_name.items()} == {
        "before": "pass",
        "hold": "fail",
        "then": "pass",
    }
    assert "toolcall::stuck/hold::request::alpha-to-beta: a call did not return within 0.5 s" in output
    assert "the worker gw0 ends here" in output


@pytest.mark.timing
def test_what_still_runs_keeps_no_run_from_ending(project: Any) -> None:
    started = time.monotonic()
    code, output = run(project, "leave")
    assert code == 1
    assert r"the translator left running: the thread 'lasting\u001b'; pytest ends without it (exit code 1)" in output
    assert time.monotonic() - started < 60
    assert items(project)[0]


def test_the_program_that_started_pytest_may_take_its_time(project: Any) -> None:
    """``coverage run`` saves after pytest's command has returned; only then the process is ended."""
    code, output = run(project, "leave", wrapper=WRAPPER)
    assert code == 1
    assert (project.path / "saved").exists()
    assert "the translator left running: the thread" in output
