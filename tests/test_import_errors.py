"""Where an import fails beneath one of ours, the error that is shown is that of what failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import toolcall_conformance
from toolcall_conformance.basics.extras import import_problem
from toolcall_conformance.trust.witnesses.wire import MissingSDKError, sdk_module


def last_error_line(code: str, folder: Path) -> str:
    """What Python says in the end that finds the modules of a folder before all others."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    return done.stderr.strip().splitlines()[-1]


def test_a_module_of_the_user_that_hides_one_of_python(tmp_path: Path) -> None:
    (tmp_path / "textwrap.py").write_text("", encoding="utf-8")
    text = last_error_line("from toolcall_conformance import ConformanceSuite", tmp_path)
    assert text.startswith("ImportError: toolcall_conformance.ConformanceSuite cannot be loaded: ")
    assert "'textwrap' has no attribute" in text


# What stands in for a broken library beneath a module of ours: each of its modules fails while it is imported.
BREAKS = """
import importlib.abc, sys
import toolcall_conformance

class Broken(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("toolcall_conformance."):
            raise AttributeError("module 'beneath' has no attribute 'deep'")

sys.meta_path.insert(0, Broken())
from toolcall_conformance import {name}
"""


@pytest.mark.parametrize("name", toolcall_conformance.__all__)
def test_every_public_name_says_what_failed_beneath_it(name: str, tmp_path: Path) -> None:
    text = last_error_line(BREAKS.format(name=name), tmp_path)
    assert (
        text == f"ImportError: toolcall_conformance.{name} cannot be loaded: module 'beneath' has no attribute 'deep'"
    )


def test_a_name_that_is_none_of_ours_is_no_import_error() -> None:
    assert not hasattr(toolcall_conformance, "Judgment")


def test_a_library_that_is_there_and_broken_is_not_called_missing() -> None:
    assert (
        import_problem("aiohttp", ModuleNotFoundError("No module named 'aiohttp'", name="aiohttp"))
        == "is not installed"
    )
    beneath = import_problem("aiohttp", ModuleNotFoundError("No module named 'yarl'", name="yarl"))
    assert beneath == "is installed, but cannot be imported (ModuleNotFoundError: No module named 'yarl')"
    other = import_problem("aiohttp", ImportError("cannot import name 'x' from 'aiohttp'", name="aiohttp"))
    assert other.startswith("is installed, but cannot be imported (ImportError: cannot import name 'x'")


# What uses a library of an extra, the library, and the exit code where that does not work.
EXTRAS = {
    "completion": (
        "shtab",
        4,
        "from toolcall_conformance.cli import main; sys.exit(main(['--print-completion', 'bash']))",
    ),
    "gateway": ("aiohttp", 2, "from toolcall_reference.gateway.__main__ import main; sys.exit(main([]))"),
    "yaml": (
        "yaml",
        1,
        """
from toolcall_conformance.recording.cassettes.interactions import CassetteError
from toolcall_conformance.recording.cassettes.yaml_cassettes import parse_yaml
try:
    parse_yaml("c.yaml", "")
except CassetteError as error:
    sys.exit(str(error))
""",
    ),
    "upstream": (
        "aiohttp",
        1,
        """
from toolcall_conformance.drivers.upstream.addresses import Addresses
from toolcall_conformance.drivers.upstream.server import MissingLibraryError, ScriptedUpstream
try:
    ScriptedUpstream(Addresses({})).start()
except MissingLibraryError as error:
    sys.exit(str(error))
""",
    ),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_extras_say_what_failed_beneath_them(name: str, tmp_path: Path) -> None:
    library, code, command = EXTRAS[name]
    (tmp_path / library).mkdir()
    (tmp_path / library / "__init__.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-c", f"import sys\n{command}"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "No module named 'nothing_of_that_name'" in done.stderr
    assert "not installed" not in done.stderr


def test_an_official_client_that_is_broken_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_sdk.py").write_text("from json import nothing_of_that_name\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingSDKError, match="broken_sdk cannot be imported"):
        sdk_module("broken_sdk")
