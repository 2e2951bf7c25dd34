"""``python tests TOOL`` runs a tool from anywhere, without a variable of the environment."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from every import every
from toolcall_conformance.library import CorpusError

TESTS = Path(__file__).resolve().parent


@cache
def _runner() -> ModuleType:
    """``tests/__main__.py`` as a module."""
    spec = importlib.util.spec_from_file_location("runner_of_tools", TESTS / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def runner() -> ModuleType:
    return _runner()


TOOLS = _runner().tools()


def run_tool(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run in a folder."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, str(TESTS), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_a_tool_runs_in_any_folder(tmp_path: Path) -> None:
    done = run_tool(tmp_path, "doubles.diff")
    assert (done.returncode, done.stderr) == (
        2,
        "python tests doubles.diff OLD [NEW]: each a folder, a file or a revision\n",
    )


def test_an_unknown_tool(tmp_path: Path) -> None:
    done = run_tool(tmp_path, "doubles.exprot")
    assert done.returncode == 2
    assert "tests/ has no tool 'doubles.exprot'; did you mean doubles.export" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_tool_without_its_folder_is_recognised(runner: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["export"]) == 2
    assert "did you mean doubles.export?" in capsys.readouterr().err


def test_all_tools_are_listed(tmp_path: Path) -> None:
    done = run_tool(tmp_path)
    assert done.returncode == 2
    assert "has no tool" not in done.stderr
    names = [line.split()[0] for line in done.stderr.splitlines()[1:]]
    assert {"doubles.export", "hostility", "keys.page", "seeds.page"} <= {*names}
    assert "turns.test_turns" not in names, "a test with the text of a script is no tool"
    assert all(len(line.split()) > 1 for line in done.stderr.splitlines()[1:]), "a tool says what it does"


@every("name", TOOLS, id=str, parts=4)
@pytest.mark.filterwarnings("ignore:.* found in sys.modules:RuntimeWarning")  # other tests import them
def test_help_says_what_a_tool_does_and_does_nothing(name: str) -> None:
    """What argparse reads, it answers itself; the head of every other tool is printed, and the tool is not run."""
    runner, tool = _runner(), TOOLS[name]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(io.StringIO()) as output:
        patch.setattr(sys, "path", [*sys.path])
        patch.setattr(sys, "argv", [*sys.argv])
        if tool.has_options:
            with pytest.raises(SystemExit) as ended:
                runner.main([name, "--help"])
            assert ended.value.code == 0
        else:
            patch.setattr(runner.runpy, "run_module", lambda *_, **__: pytest.fail("it is run"))
            assert runner.main([name, "--help"]) == 0
    text = output.getvalue()
    assert text.startswith("usage: " if tool.has_options else f"python tests {name}: ")
    assert len(text.split()) > 5


def test_a_tool_without_options_refuses_words(runner: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt option would let it write as ever."""
    assert runner.main(["keys.page", "--chek"]) == 2
    assert "keys.page takes no words, but was given --chek" in capsys.readouterr().err


def test_a_corpus_that_cannot_be_read_is_reported_in_a_line(
    runner: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_module(*_: object, **__: object) -> None:
        raise CorpusError(f"{TESTS.parent / 'corpus' / 'a.json'}: line 3 column 4: no comma; fix the file")

    monkeypatch.setattr(runner.runpy, "run_module", run_module)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", ["tests", "doors.rule", "openai_chat/stop-limit"])
    assert runner._main() == 1
    assert capsys.readouterr().err == "todo    corpus/a.json: line 3 column 4: no comma; fix the file\n"


def test_a_reader_may_stop_early(tmp_path: Path) -> None:
    """As ``head`` does."""
    command = [sys.executable, str(TESTS), "--help"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        assert "Traceback" not in running.stderr.read()
