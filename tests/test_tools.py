"""``python tests TOOL`` runs a tool from anywhere, without a variable of the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run in a folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, str(TESTS), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_a_tool_runs_in_any_folder(tmp_path: Path) -> None:
    done = run(tmp_path, "doubles.diff")
    assert (done.returncode, done.stderr) == (
        2,
        "python tests doubles.diff OLD [NEW]: each a folder, a file or a revision\n",
    )


def test_an_unknown_tool(tmp_path: Path) -> None:
    done = run(tmp_path, "doubles.exprot")
    assert done.returncode == 2
    assert "tests/ has no tool 'doubles.exprot'." in done.stderr
    assert "  doubles.export " in done.stderr
    assert "Traceback" not in done.stderr


def test_all_tools_are_listed(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 2
    assert "has no tool" not in done.stderr
    names = [line.split()[0] for line in done.stderr.splitlines()[1:]]
    assert {"doubles.export", "hostility", "keys.page", "seeds.page"} <= {*names}
    assert all(len(line.split()) > 1 for line in done.stderr.splitlines()[1:]), "a tool says what it does"
