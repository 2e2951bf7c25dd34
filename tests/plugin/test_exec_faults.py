"""Whatever a child process does: the verdict of that item, the run goes on, and nothing is left of it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from every import every
from fault_run import FaultRun
from toolcall_conformance.drivers.child import driver as exec_driver

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled"),
    pytest.mark.any_python,
]

FAULTY = Path(__file__).parents[1] / "drivers" / "exec_faulty.py"


def spec(fault: str) -> str:
    return "exec:" + shlex.join([sys.executable, str(FAULTY), fault])


def leftover_processes(project: Any) -> list[int]:
    """The processes that the children noted and that still run."""
    pids = (project.path / "pids").read_text(encoding="utf-8").split()
    assert pids
    end = time.monotonic() + 3
    while (alive := [int(pid) for pid in pids if _alive(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    return alive


def _alive(pid: str) -> bool:
    # An orphan that nobody has reaped yet is no longer running.
    state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout.strip()
    return bool(state) and not state.startswith("Z")


def items_by_id(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["nodeid"]: item for item in report["items"]}


WORDS = "these are my last words"


CALLS = [
    ("dies", "crashed", "request died with exit code 3", WORDS),
    ("dies-with-0", "crashed", "request ended with exit code 0 and no answer", WORDS),
    ("is-killed", "crashed", "request was killed by signal 11 (SIGSEGV)", WORDS),
    ("closes-output", "crashed", "request closed its output and kept running without an answer", ""),
    ("failed", "crashed", "request raised TypeError: x is not a function", "at mine.js:7:1"),
    ("hangs", "timed-out", "request did not return within 0.5 s", WORDS),
    ("only-noise", "timed-out", "request did not return within 0.5 s", "still at it"),
    (
        "garbage",
        "protocol-error",
        "request: the line {garbage} is not JSON: *; write one JSON *",
        "",
    ),
    (
        "two-keys",
        "protocol-error",
        "request: the line * is not JSON: the key 'text' occurs twice *",
        "",
    ),
    ("no-utf-8", "protocol-error", "request: the line * is not JSON: not UTF-8: *", ""),
    (
        "half-a-line",
        "protocol-error",
        'request: its output ended in the middle of the line {"seq": 5, "bo; it ended with exit code 0 *',
        "",
    ),
    (
        "endless-line",
        "protocol-error",
        "request: it wrote a line of more than 16,777,216 bytes, *",
        "",
    ),
    ("wrong-seq", "protocol-error", "request: the answer * has seq * and not *; answer each question *", ""),
    (
        "true-seq",
        "protocol-error",
        "request: the answer * has seq True and not *; answer each question *",
        "",
    ),
    (
        "no-seq",
        "protocol-error",
        "request: the line * has no seq; every answer repeats *",
        "",
    ),
    (
        "unknown-key",
        "protocol-error",
        "request: the answer has the unknown key 'boddy'; did you mean 'body'*",
        "",
    ),
    ("no-body", "protocol-error", "request: the answer has no 'body', which an answer to request needs *", ""),
    ("two-results", "protocol-error", "request: the answer has refused and unsupported at once; give only one; *", ""),
    ("list-body", "bad-output", "request returned a list; a body is one JSON object (a dict)", ""),
    ("null-body", "bad-output", "request returned None; return the translated body (is a `return` missing[?])", ""),
    ("refused", "refused", "request refused this input: not this one", ""),
]


@pytest.fixture
def run(project: Any) -> FaultRun:
    """A run with all of these faults; the item after each is played, in a child that is started again if it must be."""
    run = FaultRun(project, spec("none"), [row[0] for row in CALLS], "--toolcall-timeout=0.5")
    text = run.result.stdout.str() + run.result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "toolcall_conformance/drivers" not in text
    assert leftover_processes(project) == []
    return run


@every("fault, rule, sentence, words", CALLS, id=lambda fault, *_: fault)
def test_a_fault_in_a_call_is_the_verdict_of_that_item(
    run: FaultRun, fault: str, rule: str, sentence: str, words: str
) -> None:
    run.expect(fault, rule, sentence, words)


@pytest.mark.parametrize("fault", ["none", "banners", "warnings", "dies-at-the-end", "dies-at-close"])
def test_what_is_no_fault_of_an_item(project: Any, fault: str) -> None:
    result = project.run("--toolcall-timeout=5", "toolcall::box/two", spec=spec(fault))
    result.assert_outcomes(passed=8)
    assert result.ret == 0
    assert leftover_processes(project) == []


def test_a_slow_start_is_no_slow_call(project: Any) -> None:
    result = project.run("--toolcall-timeout=1", "toolcall::box/one::request", spec=spec("slow-start"))
    result.assert_outcomes(passed=4)


def test_a_gateway_that_hangs_when_a_session_closes_is_asked_to_once(project: Any) -> None:
    result = project.run("--toolcall-timeout=0.5", "toolcall::box", spec=spec("hangs-at-close"))
    assert set(result.parseoutcomes()) == {"passed"}
    assert result.duration < 10
    assert leftover_processes(project) == []


def test_a_second_answer_is_refused_at_the_next_question(project: Any) -> None:
    arguments = ("toolcall::box/two::request::alpha-to-beta", "toolcall::crate")
    result = project.run("-v", *arguments, spec=spec("answers-twice"))
    result.stdout.fnmatch_lines(["    what  *: the answer * has seq * and not *; answer each question once, *"])
    assert result.parseoutcomes()["failed"] == 1
    assert leftover_processes(project) == []


@pytest.mark.parametrize("fault", ["ignores-the-end", "grandchild"])
def test_nothing_is_left_running(project: Any, fault: str) -> None:
    result = project.run("-v", "toolcall::box/two::request", spec=spec(fault))
    expected = {"passed": 4} if fault == "ignores-the-end" else {"failed": 4}
    result.assert_outcomes(**expected)
    if fault == "grandchild":  # which holds its parent's output open
        result.stdout.fnmatch_lines(["    what  request died with exit code 3"])
    assert leftover_processes(project) == []


def test_a_command_that_cannot_be_started_again(project: Any) -> None:
    result = project.run("-v", "toolcall::", spec=spec("never-again"))
    assert set(result.parseoutcomes()) == {"passed", "failed", "skipped"}
    result.stdout.fnmatch_lines(
        [
            "    what  request died with exit code 3",
            "    what  open could not be asked: it did not start again: it died with exit code 7 before it answered *",
            "the licence has run out",
            "    what  open could not be asked: it did not start again, 3 times: it died with exit code 7 before *",
        ]
    )
    assert len((project.path / "pids").read_text(encoding="utf-8").split()) == 1 + 3
    assert leftover_processes(project) == []


def test_each_worker_has_a_child_of_its_own(project: Any) -> None:
    pytest.importorskip("xdist")
    result = project.run("-n", "2", "toolcall::", spec=spec("dies"))
    result.assert_outcomes(failed=4, passed=16, skipped=4)
    assert leftover_processes(project) == []


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "'exec:' names no command; write it as a shell would take it: \"exec:node adapter.mjs\""),
        ("'adapter", '"exec:\'adapter": the command cannot be read (No closing quotation); write it as *'),
        ("no-such-program x", "*: there is no program 'no-such-program' on the PATH; install it, or write its path"),
        ("./no/such", "*: there is no program './no/such' (seen from */test_*); start pytest in the directory from *"),
        ("good.py", "*: there is no program 'good.py' on the PATH; write `./good.py`, or its interpreter first *"),
        ("./good.py", "*: './good.py' may not be executed; `chmod +x` it, or write its interpreter first *"),
        ("./bare", "*: './bare' cannot be executed (Exec format error); write its interpreter first *"),
        ("sh -c 'echo oh no >&2; exit 3'", "*: it died with exit code 3 before it answered hello; run the command *"),
        ("sh -c 'sleep 60'", "*: it did not answer hello within 1 s; read a line from standard input, answer it on *"),
        ("cat", "*: hello: the answer has the key 'op', which has no place there; *"),
        ('echo \'{"seq": 1, "protocol": 2}\'', "*: hello: it speaks version 2 of the protocol; this * speaks 1; *"),
        ('echo \'{"seq": 1, "failed": "no key"}\'', "*: it answered hello with failed: no key"),
    ],
)
def test_a_command_that_never_starts_is_a_usage_error(
    project: Any, monkeypatch: pytest.MonkeyPatch, command: str, sentence: str
) -> None:
    monkeypatch.setattr(exec_driver, "START_SECONDS", 1)
    (project.path / "bare").write_text("no program\n", encoding="utf-8")
    (project.path / "bare").chmod(0o755)
    result = project.run("toolcall::", spec=f"exec:{command}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    if "oh no" in command:
        result.stderr.fnmatch_lines(["The last that the process printed:", "oh no"])
    assert "Traceback" not in result.stderr.str()


def test_a_translator_without_operations_leaves_no_child(project: Any) -> None:
    project.write_module(
        "empty",
        "import json, os, sys\n"
        "open('pids', 'a').write(f'{os.getpid()} ')\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    more = {'protocol': 1} if m['op'] == 'hello' else {'operations': []} if m['op'] == 'open' else {}\n"
        "    print(json.dumps({'seq': m['seq'], **more}))\n",
    )
    result = project.run("toolcall::", spec=f"exec:{sys.executable} empty.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: exec:* empty.py: the session that open returned for alpha-to-alpha has *"])
    assert leftover_processes(project) == []
