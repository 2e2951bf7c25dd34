"""A run that is stopped from outside, by SIGTERM or by a time limit, leaves a report of what it judged until then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from miniature import CONFTEST
from project import QUIET

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")

# It stops in the second case; the first has eight items.
SLEEPS = """
    def request(self, body):
        if "two" in body["text"]:
            open("asleep", "a").close()
            time.sleep(60)
        return super().request(body)
"""
SLEEPS_UNTIL_STOPPED = SLEEPS.replace(
    "time.sleep(60)", "any(os.path.exists('stopped') or time.sleep(0.02) for _ in range(3000))"
)
SWALLOWS = SLEEPS.replace("time.sleep(60)", "try: time.sleep(60)\n            except BaseException: pass")
SWALLOWING = """

def swallowing():
    try:
        time.sleep(10)
    except BaseException:
        pass
"""
# The process that the user started notes each report once all its plugins, and so ours, have stored it.
STORED_REPORTS = """
import pytest


class StoredReports:
    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            with open("stored_reports", "a") as file:
                file.write(f"{report.nodeid} {report.outcome}\\n")


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(StoredReports())
"""
OPTIONS = ("-q", *QUIET, "-p", "no:cacheprovider", "--toolcall-timeout=50", "--toolcall-report=report.json")


def start(project: Any, session: str, *options: str) -> subprocess.Popen[bytes]:
    """A run whose translator sleeps in the second case."""
    project.pytester.makeconftest(CONFTEST + STORED_REPORTS)
    spec = project.write_translator(session)
    module = project.path / "mine.py"
    module.write_text(f"import os\nimport time\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    words = [sys.executable, "-m", "pytest", *OPTIONS, "--toolcall-translator", spec, "toolcall::", *options]
    run = subprocess.Popen(words, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_until((project.path / "asleep").exists)
    return run


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


def read_report(project: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("session", [SLEEPS, SWALLOWS], ids=["sleeps", "swallows"])
def test_sigterm_writes_the_report(project: Any, session: str) -> None:
    run = start(project, session)
    run.terminate()
    output = run.communicate(timeout=30)[0].decode()
    assert run.returncode == 128 + signal.SIGTERM
    assert "SIGTERM: the reports hold what ran until now" in output
    report = read_report(project)
    assert report["footer"]["complete"] is False
    assert {item["case"] for item in report["items"]} >= {"box/one"}
    assert report["counts"]["passed"] >= 8
    assert not any(item["case"] == "crate/deep" for item in report["items"])


def test_workers_are_stopped_as_well(project: Any) -> None:
    pytest.importorskip("xdist")
    run = start(project, SLEEPS_UNTIL_STOPPED, "-n", "1")
    stored = project.path / "stored_reports"
    wait_until(lambda: stored.exists() and stored.read_text(encoding="utf-8").count(" passed\n") >= 8)
    run.terminate()
    (project.path / "stopped").touch()
    run.communicate(timeout=40)
    assert run.returncode == 128 + signal.SIGTERM
    assert read_report(project)["counts"]["passed"] >= 8


def test_a_second_sigterm_ends_it_at_once(project: Any) -> None:
    run = start(project, SLEEPS.replace("time.sleep(60)", "[swallowing() for _ in range(9)]") + SWALLOWING)
    run.terminate()
    time.sleep(1)
    assert run.poll() is None
    run.terminate()
    run.communicate(timeout=10)
    assert run.returncode == -signal.SIGTERM


def test_another_handler_of_sigterm_stays(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        handler = signal.getsignal(signal.SIGTERM)
        project.write_module(
            "looking",
            "import signal\ndef pytest_runtest_setup(item):\n"
            "    open('handler', 'w').write(signal.getsignal(signal.SIGTERM).__name__)\n",
        )
        monkeypatch.syspath_prepend(project.path)
        project.run("-p", "looking", "toolcall::box/one").assert_outcomes(passed=8)
        assert (project.path / "handler").read_text(encoding="utf-8") == "<lambda>"
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_handler_of_before_comes_back(project: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    project.run("toolcall::box/one").assert_outcomes(passed=8)
    assert signal.getsignal(signal.SIGTERM) == before


def test_pytest_timeout_by_a_signal_ends_the_item_and_not_the_run(project: Any) -> None:
    pytest.importorskip("pytest_timeout")
    slow = "    def request(self, body):\n        open('asleep', 'a').close()\n        time.sleep(0.7)\n"
    run = start(project, slow, "--timeout=0.3", "--timeout-method=signal", "-k", "request")
    run.communicate(timeout=60)
    report = read_report(project)
    assert report["footer"]["complete"] is True
    messages = {finding["message"] for item in report["items"] for finding in item["findings"]}
    assert messages == {"request raised Failed: Timeout (>0.3s) from pytest-timeout."}


def test_pytest_timeout_by_a_thread_writes_the_report_first(project: Any) -> None:
    pytest.importorskip("pytest_timeout")
    run = start(project, SLEEPS, "--timeout=1", "--timeout-method=thread")
    output = run.communicate(timeout=60)[0].decode()
    assert run.returncode == 1
    assert "+ Timeout +" in output
    report = read_report(project)
    assert report["footer"]["complete"] is False
    assert report["counts"]["passed"] >= 8
