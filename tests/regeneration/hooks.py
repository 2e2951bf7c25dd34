"""The options of a regeneration and its course: stage, examine, publish, report."""

from __future__ import annotations

import contextlib
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from regeneration.changes import Change, PublishError, diff_lines, find_changes, publish
from regeneration.extension import GoldenExtension
from regeneration.validation import complete, objections
from toolcall_conformance import library
from toolcall_reference.render import remove_temporary_files

MARK = "goldens"
AS_IT_WAS = "Nothing was written, every file is as it was"
AGAIN = "run again; `-k FAMILY/CASE` regenerates that case alone"


def pytest_addoption(parser: pytest.Parser) -> None:
    # Written with `=`: pytest takes a word of its own for a path of tests when it looks for its root folder.
    parser.addoption("--corpus", metavar="DIR", help="test the corpus in this folder: --corpus=DIR")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARK}: compares rendered goldens with what the reference renders")
    option = config.getoption("--corpus")
    if option:
        root = config.invocation_params.dir.joinpath(option).resolve()
        if not (root / "corpus.json").is_file():
            raise pytest.UsageError(f"--corpus {option}: no corpus.json in it; give the folder that holds it")
        library.default_root = lambda: root
    GoldenExtension.corpus = library.default_root()
    if config.getoption("update_snapshots", False) or config.getoption("update_new_snapshots_only", False):
        config.pluginmanager.register(Regeneration(config))


@contextlib.contextmanager
def uninterrupted() -> Generator[None]:
    """Let Ctrl-C wait for a moment: half of the files would be new, without a message."""
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """``golden(name="shell/realistic/gemini/01-request.json") == text``; with ``--snapshot-update`` always true."""
    return snapshot.use_extension(GoldenExtension)


class Regeneration:
    """One run with ``--snapshot-update``. Under xdist the workers fill the stage, and the controller does the rest."""

    def __init__(self, config: pytest.Config) -> None:
        stage = getattr(config, "workerinput", {}).get("goldens_stage")
        self.stage = Path(stage or tempfile.mkdtemp(prefix="goldens-"))
        self.controls = stage is None
        if self.controls:
            config.add_cleanup(lambda: shutil.rmtree(self.stage, ignore_errors=True))
        GoldenExtension.stage = self.stage
        config.add_cleanup(lambda: setattr(GoldenExtension, "stage", None))
        self.corpus = GoldenExtension.corpus
        self.compared = 0
        self.failed: list[str] = []
        self.changes: list[Change] = []
        self.refused: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["goldens_stage"] = str(self.stage)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.compared += sum(int(str(value)) for name, value in report.user_properties if name == MARK)
        if report.failed and MARK in report.keywords:
            self.failed.append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not self.controls:
            return
        remove_temporary_files(self.corpus)
        self.changes = find_changes(self.stage, self.corpus)
        self.refused = self._publish_or_explain(exitstatus)
        if self.refused:
            session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED

    def _publish_or_explain(self, exitstatus: int) -> list[str]:
        """Publish, and return nothing; or the reasons why nothing was published."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return [f"{AS_IT_WAS}: the run was cut short; {AGAIN}."] if self.changes else []
        if self.failed:
            return [f"{AS_IT_WAS}: these cases cannot be rendered, see above; mend them and {AGAIN}:", *self.failed]
        if not self.changes:
            return []
        cases = sorted({change.case for change in self.changes})
        complete(self.stage, self.corpus, cases)
        problems = objections(self.stage, cases)
        if problems:
            return [f"{AS_IT_WAS}: the corpus's own tests reject what would be; mend that and {AGAIN}:", *problems]
        try:
            with uninterrupted():
                publish(self.changes, self.corpus)
        except PublishError as error:
            return [f"Nothing is regenerated: {error}; mend that and {AGAIN}."]
        return []

    @pytest.hookimpl(trylast=True)  # after syrupy's own count of what it took for written
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        if self.compared or self.changes or self.refused:
            terminalreporter.write_sep("=", "goldens")
            for line in diff_lines(self.changes):
                write(line)
        if self.refused:
            write(self.refused[0], red=True)
            for line in self.refused[1:]:
                write(f"  {line}", red=True)
        elif self.compared:
            new = sum(change.before is None for change in self.changes)
            rewritten = len(self.changes) - new
            write(f"{rewritten} rewritten, {new} new, {self.compared - len(self.changes)} unchanged.")
