"""Child processes: how they end, what they printed last, and that none is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolcall_conformance.drivers.child.process import MAX_TAIL_BYTES, ChildProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")


Start = Callable[..., ChildProcess]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    children: list[ChildProcess] = []

    def run(text: str, *, piped: bool = True) -> ChildProcess:
        children.append(ChildProcess([sys.executable, "-u", "-c", text], directory=tmp_path, piped=piped))
        return children[-1]

    yield run
    for child in children:
        child.stop()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # An orphan that is not reaped yet is no longer running.
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


def _first_line(child: ChildProcess) -> str:
    assert child.stdout is not None
    return child.stdout.readline().decode().strip()


def test_the_end_of_its_input_and_its_exit_code(start: Start) -> None:
    child = start("import sys; sys.stdin.read(); print('bye', file=sys.stderr); sys.exit(3)")
    assert child.exit_code() is None
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(5) == 3
    assert child.tail == "bye"


def test_a_signal_that_killed_it(start: Start) -> None:
    child = start("import time; time.sleep(60)")
    os.kill(child.pid, signal.SIGSEGV)
    assert child.wait(5) == -signal.SIGSEGV


def test_grace_lets_it_leave_by_itself(start: Start, tmp_path: Path) -> None:
    child = start("import sys, time; sys.stdin.read(); time.sleep(0.2); open('left', 'w').close()")
    child.stop(grace=5)
    assert (tmp_path / "left").exists()
    assert child.exit_code() == 0


def test_a_child_that_ignores_sigterm_is_killed(start: Start) -> None:
    child = start("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up'); time.sleep(60)")
    assert _first_line(child) == "up"
    child.stop()
    assert child.exit_code() == -signal.SIGKILL
    assert not _alive(child.pid)


@pytest.mark.parametrize("leader", ["time.sleep(60)", "pass"], ids=["leader-lives", "leader-is-dead"])
def test_grandchildren_go_too(start: Start, leader: str) -> None:
    text = "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    child = start(f"{text}print(p.pid); {leader}")
    grandchild = int(_first_line(child))
    if leader == "pass":
        assert child.wait(5) == 0
    assert _alive(grandchild)
    child.stop()
    end = time.monotonic() + 5
    while _alive(grandchild) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _alive(grandchild)


def test_stop_twice(start: Start) -> None:
    child = start("pass")
    child.stop()
    child.stop()


def test_the_tail_is_bounded_and_readable(start: Start) -> None:
    line = "x" * 99
    child = start(f"import sys; sys.stderr.buffer.write(b'{line}\\n' * 10000 + b'\\x1b[31mred\\x1b[0m \\xff\\r\\n')")
    assert child.wait(10) == 0
    assert len(child.tail) <= MAX_TAIL_BYTES
    assert child.tail.splitlines()[:2] == ["...", line]
    assert child.tail.splitlines()[-1] == "red \ufffd"


def test_without_talk_the_tail_has_both_outputs_and_the_input_is_empty(start: Start) -> None:
    child = start("import sys; print('out', repr(sys.stdin.read())); print('err', file=sys.stderr)", piped=False)
    assert child.stdout is None
    assert child.stdin is None
    child.wait(5)
    assert child.tail == "out ''\nerr"


def test_what_still_runs_ends_with_the_interpreter() -> None:
    text = (
        "import sys; from pathlib import Path\n"
        "from toolcall_conformance.drivers.child.process import ChildProcess\n"
        "child = ChildProcess([sys.executable, '-c', 'import time; time.sleep(60)'], directory=Path(), piped=False)\n"
        "print(child.pid)\n"
    )
    process = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=30, check=True)
    assert process.stderr == ""
    assert not _alive(int(process.stdout))


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ChildProcess(["no-such-command"], directory=tmp_path, piped=True)
