"""What ships: every file of the corpus is in the wheel, under the package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_wheel_has_the_whole_corpus(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    listed = subprocess.run(
        ["git", "ls-files", "corpus"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    tracked = {name for name in listed if name}
    if not tracked:
        pytest.skip("not a git checkout, so there is no list of files to compare with")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"toolcall_conformance/{name}" for name in tracked} - names == set()
    assert "toolcall_reference/__init__.py" in names
