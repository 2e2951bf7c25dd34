"""Runs of pytest in processes of their own that start in a tenth of a second, not in two.

``run(["-q", "x"], folder)`` does what ``subprocess.run([sys.executable, "-m", "pytest", "-q", "x"], cwd=folder)`` does:
one process, the *forker*, imports pytest, the judge and the reference once, and forks a child for each run. It plays
nothing itself, so that a child begins with modules alone, and with nothing that a run leaves behind. Where no process
can be forked, each run is started again; so is one with workers of xdist, which look for modules where its own process
looked when it started.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run pytest in ``folder``, in the environment of this process or in that which is given."""
    variables = dict(os.environ) if environment is None else dict(environment)
    if not hasattr(os, "fork") or "-n" in arguments:
        command = [sys.executable, "-m", "pytest", *arguments]
        return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    with tempfile.TemporaryDirectory() as directory:
        output_paths = [Path(directory) / name for name in ("out", "err")]
        order = {
            "arguments": [*arguments],
            "folder": str(folder),
            "environment": variables,
            "output_paths": [*map(str, output_paths)],
        }
        code = _forker().order(order)
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in output_paths)
    return subprocess.CompletedProcess([*arguments], code, out, err)


@dataclass(frozen=True)
class Forker:
    """The ends of the pipes to a process that forks."""

    orders: int
    answers: int

    def order(self, order: Mapping[str, Any]) -> int:
        """Let it run pytest; the exit code, below zero for a signal."""
        os.write(self.orders, f"{json.dumps(order)}\n".encode())
        return int(_line(self.answers) or "")


def _line(number: int) -> bytes:
    """A line that comes through a pipe; nothing where the other side has ended."""
    line = b""
    while not line.endswith(b"\n"):
        if not (read := os.read(number, 65536)):
            return b""
        line += read
    return line


@functools.cache
def _forker() -> Forker:
    if _next_forkers:
        return _next_forkers[0]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "TOOLCALL_"))}
    process = subprocess.Popen(
        [sys.executable, __file__], cwd=TESTS.parent, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    atexit.register(_end, process)
    assert process.stdin is not None
    assert process.stdout is not None
    return Forker(process.stdin.fileno(), process.stdout.fileno())


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close its orders; where some other process still holds them open, it would wait for ever."""
    try:
        process.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


# -- the process that forks --------------------------------------------------------------------------------------------

#: In a forked child: a forker that was made before the child began, for the runs that its own run starts.
_next_forkers: list[Forker] = []


def _import_all() -> None:
    """What a run imports: pytest with its plugins and our tests' conftest, the judge, and the reference."""
    import pytest

    assert pytest.main(["--markers", "-p", "no:cacheprovider"]) == 0
    from toolcall_conformance.engine.output import failure_texts as texts  # noqa: F401
    from toolcall_conformance.reports.text import terminal  # noqa: F401
    from toolcall_reference import formats, render  # noqa: F401

    for name in formats.names():
        formats.get(name)


def _serve(path: Sequence[str], orders: int, answers: int) -> int:
    """Fork a child for each order that comes, and write its exit code. Returns in each child, too, with that code."""
    while line := _line(orders):
        child = os.fork()
        if not child:
            os.close(orders)
            os.close(answers)
            return _run_here(path, **json.loads(line))
        os.write(answers, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n".encode())
    return 0


def _fork_next_forker(path: Sequence[str]) -> Forker:
    theirs, orders = os.pipe()
    answers, writer = os.pipe()
    if not os.fork():
        os.close(orders)
        os.close(answers)
        sys.exit(_serve(path, theirs, writer))
    os.close(theirs)
    os.close(writer)
    return Forker(orders, answers)


def _run_here(
    path: Sequence[str], arguments: list[str], folder: str, environment: dict[str, str], output_paths: list[str]
) -> int:
    """Become what ``python -m pytest`` is when it starts, and run."""
    _next_forkers.append(_fork_next_forker(path))
    for number, name in enumerate(output_paths, 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *path]
    import pytest

    return int(pytest.main(arguments))


def main() -> int:
    """Import all that a run needs, and serve."""
    python_path = [*filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    path = sys.path[1 + len(python_path) :]
    orders, answers, nothing = os.dup(0), os.dup(1), os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)
    _import_all()
    sys.stdout.flush()  # or each child would say it once more
    gc.freeze()  # a child need not look through what was there before it
    return _serve(path, orders, answers)


if __name__ == "__main__":
    from forked_runs import main as main_of_the_module  # a run that imports this module finds the one that serves

    sys.exit(main_of_the_module())
