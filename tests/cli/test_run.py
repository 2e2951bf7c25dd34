"""``toolcall-conformance run``: our items through pytest, in any folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import run_command
from toolcall_conformance.cli import main
from toolcall_conformance.cli.parser import CommandParser
from toolcall_conformance.cli.runs.run import add_arguments

REFERENCE = "toolcall_reference:ReferenceTranslator"
ONE = "shell/seed::request::anthropic-to-gemini"

LOSES_TOOLS = """
import os
from toolcall_reference import ReferenceTranslator

class Session:
    def __init__(self, session):
        self.session = session

    def request(self, body):
        made = self.session.request(body)
        made.pop("tools", None)
        return made

class T:
    def open(self, route):
        return Session(ReferenceTranslator().open(route))

class Leaves:
    def open(self, route):
        self.request = lambda body: os._exit(0)
        return self
"""

# A Python project around, which is none of ours: each of these ends pytest there, if it counts.
FOREIGN = {
    "pytest.ini": "[pytest]\naddopts = --nonsense\nrequired_plugins = pytest-nothing\n"
    "filterwarnings = error::nothing.Nothing\ntoolcall_report = found.json\n",
    "conftest.py": "import nothing_of_that_name\n",
    "toolcall_plugin.py": "",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(LOSES_TOOLS, encoding="utf-8")
    return tmp_path


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, in a process of its own."""
    command = [sys.executable, "-m", "toolcall_conformance", "run", *words]
    others = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "TOOLCALL_"))}
    return subprocess.run(
        command, cwd=folder, env={**others, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("more", [[], ["-n", "1"]], ids=["alone", "workers"])
def test_a_project_around_has_no_part_in_it_but_for_our_settings(folder: Path, more: Sequence[str]) -> None:
    for name, text in FOREIGN.items():
        (folder / name).write_text(text, encoding="utf-8")
    done = run(folder, REFERENCE, ONE, *more)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 passed" in done.stdout
    assert (folder / "found.json").exists()


def test_without_plugins_that_load_by_themselves_ours_is_there(folder: Path) -> None:
    done = run(folder, REFERENCE, ONE, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 0, done.stderr
    assert "arning" not in done.stdout


def test_the_command_that_is_printed_runs_what_failed(folder: Path) -> None:
    done = run(folder, "mine:T", "shell/seed::request", "-k", "anthropic-to", "--timeout=20")
    assert done.returncode == 1
    printed = re.search(r"  run   (toolcall-conformance run (?:.*\\\n)*.*)\n", done.stdout)
    assert printed is not None, done.stdout
    words = shlex.split(printed[1].replace("\\\n", ""))[2:]
    assert words[:3] == ["--toolcall-translator", "mine:T", "--toolcall-timeout"]
    again = run(folder, *words)
    assert again.returncode == 1
    assert "translation/tool-lost" in again.stdout


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (1, ["mine:T", ONE]),
        (1, ["mine:T", ONE, "-k", "nothing"]),
        (70, ["mine:Leaves", ONE]),
        (4, ["mine:T", "shel"]),
        (4, ["mine:T", "mine:Leaves"]),
        (4, ["gatway.toml"]),
        (4, ["shell"]),
        (4, []),
        (4, ["mine:T", "-k"]),
    ],
)
def test_exit_codes(folder: Path, code: int, words: Sequence[str]) -> None:
    done = run(folder, *words)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_an_unknown_word_without_a_translator_is_named(folder: Path) -> None:
    assert "name the translator to judge" in (text := run(folder, "shell").stderr)
    assert "`shell` is none of them" in text


def test_the_translator_of_the_settings(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(f'[tool.toolcall]\ntranslator = "{REFERENCE}"\n', encoding="utf-8")
    assert run(folder, ONE).returncode == 0
    (folder / "pyproject.toml").write_text(
        f'[tool.pytest.ini_options]\ntoolcall_translator = "{REFERENCE}"\n', encoding="utf-8"
    )
    assert run(folder, ONE).returncode == 0


@pytest.fixture
def pytest_arguments(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What pytest is given by a command, after what it is always given."""

    def given(*words: str) -> list[str]:
        commands: list[list[str]] = []

        def called(arguments: list[str]) -> int:
            commands.append(arguments)
            return 0

        monkeypatch.setattr(pytest, "main", called)
        assert main(["run", *words]) == 0
        [arguments] = commands
        assert tuple(arguments[: len(run_command.RUN_ARGUMENTS)]) == run_command.RUN_ARGUMENTS
        return arguments[len(run_command.RUN_ARGUMENTS) :]

    return given


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["a/gateway.toml"], ["--toolcall-translator=gateway:a/gateway.toml", "toolcall::"]),
        (["gateway:g.toml"], ["--toolcall-translator=gateway:g.toml", "toolcall::"]),
        (["exec:node a.mjs --port 1"], ["--toolcall-translator=exec:node a.mjs --port 1", "toolcall::"]),
        (["exec:run x.toml", "@quick"], ["--toolcall-translator=exec:run x.toml", "toolcall::@quick"]),
        (["a.b:C", "shell"], ["--toolcall-translator=a.b:C", "toolcall::shell"]),
        (["x::stream", "a:C", "toolcall::y"], ["--toolcall-translator=a:C", "toolcall::x::stream", "toolcall::y"]),
        (["--toolcall-translator", "a:C", "x"], ["--toolcall-translator=a:C", "toolcall::x"]),
        (["--translator=g.toml"], ["--toolcall-translator=gateway:g.toml", "toolcall::"]),
        (["--lf", "a:C", "-k", "x y", "shell"], ["--toolcall-translator=a:C", "toolcall::shell", "--lf", "-k", "x y"]),
        (["a:C", "-n4", "-xvv"], ["--toolcall-translator=a:C", "toolcall::", "-n", "4", "-x", "-v", "-v"]),
        (
            ["a:C", "--report", "a.md", "--report=b.md", "--toolcall-report=c.md"],
            ["--toolcall-translator=a:C", "toolcall::", *(f"--toolcall-report={name}.md" for name in "abc")],
        ),
        (
            ["a:C", "--strict", "--no-isolated", "--known-failures-update", "--toolcall-witness"],
            [
                *("--toolcall-translator=a:C", "toolcall::", "--toolcall-strict", "--no-toolcall-isolated"),
                *("--toolcall-known-failures-update", "--toolcall-witness"),
            ],
        ),
        (["a:C", "--html=p.html", "--sw"], ["--toolcall-translator=a:C", "toolcall::", "--html=p.html", "--sw"]),
        (["a:C", "x", "--", "--reruns", "3"], ["--toolcall-translator=a:C", "toolcall::x", "--reruns", "3"]),
        (["--cassettes", "c", "recorded"], ["toolcall::recorded", "--toolcall-cassettes=c"]),
        (["--pairs", "p.toml", "pairs"], ["toolcall::pairs", "--toolcall-pairs=p.toml"]),
        (["a:C", "--junitxml", "j.xml"], ["--toolcall-translator=a:C", "toolcall::", "--junitxml=j.xml"]),
    ],
)  # fmt: skip
def test_what_pytest_is_given(pytest_arguments: Any, words: Sequence[str], arguments: Sequence[str]) -> None:
    assert pytest_arguments(*words) == arguments


def test_workers_without_xdist(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert main(["run", "a:C", "-n", "2"]) == 4
    assert "-n needs pytest-xdist, which is not installed" in capsys.readouterr().err


def test_every_option_of_ours_has_both_names(pytestconfig: pytest.Config) -> None:
    parser = CommandParser(module="run")
    add_arguments(parser)
    options = {option for action in parser._actions for option in action.option_strings}
    ours = {
        option
        for group in pytestconfig._parser._groups
        for each in group.options
        for option in each.names()
        if "toolcall-" in option
    }
    assert len(ours) > 20
    assert ours | {option.replace("toolcall-", "") for option in ours} <= options


def test_the_help_fits_a_screen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as error:
        main(["run", "--help"])
    assert error.value.code == 0
    text = capsys.readouterr().out
    assert len(text.splitlines()) <= 40
    assert all(word in text for word in ("gateway.toml", "exec:", "@quick", "--report", "Exit code: 0"))


def test_a_printed_command_begins_as_its_run_was_started() -> None:
    assert run_command.command_words([*run_command.RUN_ARGUMENTS, "a", "-x"]) == (
        ["toolcall-conformance", "run"],
        ["a", "-x"],
    )
    assert run_command.command_words(["-p", "toolcall_conformance", "toolcall::"])[0] == ["pytest"]
