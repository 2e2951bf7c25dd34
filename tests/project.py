"""A user's project, for tests that run pytest: the miniature corpus, a good translator, and whatever a test adds."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from miniature import CONFTEST, GOOD, install_judge, write_case, write_corpus

# Imported before any run, so that the runs inside this process share them.
from toolcall_conformance import library
from toolcall_conformance.engine.output import failure_texts as texts  # noqa: F401


class Project:
    """A folder with the small corpus, ``good.py``, and whatever a test adds; runs pytest in it."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        self.monkeypatch = monkeypatch
        self.path = pytester.path
        self.corpus = self.path / "mini"
        write_corpus(self.corpus)
        monkeypatch.setattr(library, "default_root", lambda: self.corpus)
        install_judge(monkeypatch.setattr)
        self.write_module("good", GOOD)

    def write_module(self, name: str, text: str) -> None:
        """Write a module of the user's."""
        (self.path / f"{name}.py").write_text(text, encoding="utf-8")

    def write_translator(self, session: str, module: str = "mine") -> str:
        """Write a translator whose session overrides what ``session`` (indented methods) has; its spec."""
        self.write_module(
            module,
            f"from good import T as Good, Session as GoodSession, Refused, Unsupported\n\n\n"
            f"class Session(GoodSession):\n{session}\n\n\n"
            f"class T(Good):\n    def open(self, route):\n        return Session(route)\n",
        )
        return f"{module}:T"

    def run(self, *arguments: str, spec: str | None = "good:T") -> pytest.RunResult:
        """Run pytest inside this process, with our plugin alone; with ``-n``, xdist's workers have their own.

        pytest spends a third of a short run on other plugins: it lists all files of their packages, and asks for their
        versions. Tests in subprocesses show what our plugin does next to them.
        """
        # Modules that other tests' projects had under the same names.
        importlib.invalidate_caches()
        # With `-p` pytest would read the entry points of all that is installed.
        plugins = ["toolcall_conformance.plugin"]
        with self.monkeypatch.context() as patch:
            patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            if "-n" in arguments:
                plugins.append("xdist.plugin")
                # Imported before the run, as above; it gives workers the path of Python from its own import.
                importlib.import_module("xdist.dsession")
                patch.setattr("xdist.workermanage._sys_path", [str(self.path), *sys.path])
                # These runs are none of a worker, wherever the tests themselves are run.
                patch.delenv("PYTEST_XDIST_WORKER", raising=False)
                self._write_conftest()
            patch.setenv("PYTEST_PLUGINS", ",".join(plugins))
            return self.pytester.runpytest_inprocess(*_translator(spec), *arguments)

    def run_in_subprocess(self, *arguments: str, spec: str | None = "good:T") -> pytest.RunResult:
        """Run pytest in a process of its own, as a user would."""
        self._write_conftest()
        return self.pytester.runpytest_subprocess(*_options(spec), *arguments)

    def _write_conftest(self) -> None:
        if not (self.path / "conftest.py").exists():
            self.pytester.makeconftest(CONFTEST)

    def run_script(self, script: str, *arguments: str, spec: str | None = "good:T") -> pytest.RunResult:
        """Run pytest in a process of its own, by a script of the user's that calls it."""
        self.pytester.makeconftest(CONFTEST)
        path = self.pytester.makepyfile(below=script)
        return self.pytester.run(sys.executable, path, *_options(spec), *arguments)

    def run_report(self, *arguments: str, spec: str = "good:T") -> dict[str, Any]:
        """Run pytest and read the report."""
        self.run("--toolcall-report", "report.json", *arguments, spec=spec)
        document: dict[str, Any] = json.loads((self.path / "report.json").read_text(encoding="utf-8"))
        return document


# Other plugins that are installed for our own tests, and slow to import.
QUIET = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:syrupy")


def _options(spec: str | None) -> tuple[str, ...]:
    return (*QUIET, *_translator(spec))


def _translator(spec: str | None) -> tuple[str, ...]:
    return () if spec is None else ("--toolcall-translator", spec)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(pytester, monkeypatch)


@pytest.fixture
def add_case(project: Project) -> Callable[..., Path]:
    """Add a case to the project's corpus: ``add_case("box/three", exchanges=2, may_refuse=["request"])``."""

    def add(case: str, exchanges: int = 1, **more: Any) -> Path:
        return write_case(project.corpus, case, exchanges, **more)

    return add
