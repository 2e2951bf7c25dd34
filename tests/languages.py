"""Other languages for tests: Node with what npm brings, and Go. A test is skipped, with the reason, where one lacks."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolcall_conformance.drivers.protocol import STARTERS

_INSTALL = ("install", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=0", "ajv@8")


def _install_error(folder: Path) -> str:
    """Install what the TypeScript starter asks for, and ajv; why that fails, or an empty text."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return "there is no Node with npm"
    shutil.copy(STARTERS / "typescript" / "package.json", folder)
    done = subprocess.run([npm, *_INSTALL], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    return f"npm cannot install: {done.stderr.strip()[-200:]}" if done.returncode else ""


@pytest.fixture(scope="session")
def node_modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder ``node_modules`` with ajv, tsx and TypeScript: one for all workers of xdist."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    folder, log_file = root / "npm", root / "npm-said"
    with (root / "npm-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not log_file.exists():
            folder.mkdir()
            log_file.write_text(_install_error(folder), encoding="utf-8")
    why_not = log_file.read_text(encoding="utf-8")
    if why_not:
        pytest.skip(why_not)
    return folder / "node_modules"


@pytest.fixture(scope="session")
def typescript(node_modules: Path) -> Callable[[Path], list[str]]:
    """Gives the command that runs a ``.ts`` file; what the file imports is there."""

    def command(file: Path) -> list[str]:
        beside = file.parent / "node_modules"
        if not beside.exists():
            beside.symlink_to(node_modules)
        return ["node", "--import", (node_modules / "tsx" / "dist" / "loader.mjs").as_uri(), str(file)]

    return command


@pytest.fixture(scope="session")
def go() -> Callable[[Path], list[str]]:
    """Builds the program in a folder and gives the command that runs it."""
    if shutil.which("go") is None:
        pytest.skip("there is no Go toolchain")

    def command(folder: Path) -> list[str]:
        built = subprocess.run(["go", "build", "-o", "program", "."], cwd=folder, capture_output=True, check=False)
        assert built.returncode == 0, built.stderr.decode()
        return [str(folder / "program")]

    return command


def exec_spec(command: list[str]) -> str:
    """What names a command as a translator."""
    return "exec:" + shlex.join(command)
