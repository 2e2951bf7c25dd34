"""A run that is stopped from outside, by SIGTERM or by a time limit, leaves a report of what it judged until then."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
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
SWALLOWS = SLEEPS.replace("time.sleep(60)", "try: time.sleep(60)\n            except BaseException: pass")
SWALLOWING = """

def swallowing():
    try:
        time.sleep(10)
    except BaseException:
        pass
"""
OPTIONS = ("-q", *QUIET, "-p", "no:cacheprovider", "--toolcall-timeout=50", "--toolcall-report=report.json")


def start(project: Any, session: str, *options: str) -> subprocess.Popen[bytes]:
    """A run that has come to the case in which its translator sleeps."""
    project.pytester.makeconftest(CONFTEST)
    spec = project.translator(session)
    module = project.path / "mine.py"
    module.write_text(f"import time\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    words = [sys.executable, "-m", "pytest", *OPTIONS, "--toolcall-translator", spec, "toolcall::", *options]
    started = subprocess.Popen(words, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    end = time.monotonic() + 30
    while not (project.path / "asleep").exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert (project.path / "asleep").exists()
    return started


def reported(project: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    return document


@pytest.mark.parametrize("session", [SLEEPS, SWALLOWS], ids=["sleeps", "swallows"])
def test_sigterm_writes_the_report(project: Any, session: str) -> None:
    run = start(project, session)
    run.terminate()
    output = run.communicate(timeout=30)[0].decode()
    assert run.returncode == 128 + signal.SIGTERM
    assert "SIGTERM: the reports hold what ran until now" in output
    report = reported(project)
    assert report["footer"]["complete"] is False
    assert {item["case"] for item in report["items"]} >= {"box/one"}
    assert report["counts"]["passed"] >= 8
    assert not any(item["case"] == "crate/deep" for item in report["items"])


def test_workers_are_stopped_as_well(project: Any) -> None:
    pytest.importorskip("xdist")
    run = start(project, SLEEPS.replace("60", "3"), "-n", "1", "-vv")
    output, end = b"", time.monotonic() + 20
    assert run.stdout is not None
    while len(re.findall(rb"PASSED", output)) < 8 and time.monotonic() < end:
        output += os.read(run.stdout.fileno(), 4096)  # a line for each record that comes from the worker
    time.sleep(0.3)  # the last of them is kept
    run.terminate()
    run.communicate(timeout=40)
    assert run.returncode == 128 + signal.SIGTERM
    assert reported(project)["counts"]["passed"] >= 8


def test_a_second_sigterm_ends_it_at_once(project: Any) -> None:
    run = start(project, SLEEPS.replace("time.sleep(60)", "[swallowing() for _ in range(9)]") + SWALLOWING)
    run.terminate()
    time.sleep(1)
    assert run.poll() is None
    run.terminate()
    run.communicate(timeout=10)
    assert run.returncode == -signal.SIGTERM


def test_who_handles_sigterm_keeps_it(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        handler = signal.getsignal(signal.SIGTERM)
        project.module(
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
    report = reported(project)
    assert report["footer"]["complete"] is True
    messages = {finding["message"] for item in report["items"] for finding in item["findings"]}
    assert messages == {"request raised Failed: Timeout (>0.3s) from pytest-timeout."}


def test_pytest_timeout_by_a_thread_writes_the_report_first(project: Any) -> None:
    pytest.importorskip("pytest_timeout")
    run = start(project, SLEEPS, "--timeout=1", "--timeout-method=thread")
    output = run.communicate(timeout=60)[0].decode()
    assert run.returncode == 1
    assert "+ Timeout +" in output
    report = reported(project)
    assert report["footer"]["complete"] is False
    assert report["counts"]["passed"] >= 8
