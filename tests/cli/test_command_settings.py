"""Commands take their settings from where pytest takes them: their options, the environment, the project's files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from miniature import GOOD, install_judge, write_case, write_corpus
from toolcall_conformance import library
from toolcall_conformance.basics.settings_files import find_settings
from toolcall_conformance.cli import main

Command = Callable[..., tuple[int, str, str]]

SLEEPS = GOOD.replace("    def request(self, body):\n", "    def request(self, body):\n        time.sleep(30)\n")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a corpus and its judge in miniature, translators in ``ours``, private cases, a folder below."""
    write_corpus(tmp_path / "mini")
    monkeypatch.setattr(library, "default_root", lambda: tmp_path / "mini")
    install_judge(monkeypatch.setattr)
    write_case(tmp_path / "ours" / "private", "ours/first")
    for name, text in (("settled_good", GOOD), ("settled_slow", f"import time\n{SLEEPS}")):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "below").mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command: exit code, output, errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as error:
            code = int(error.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def table(root: Path, *lines: str) -> None:
    (root / "pyproject.toml").write_text("\n".join(["[tool.toolcall]", *lines, ""]), encoding="utf-8")


@pytest.mark.parametrize("folder", [".", "below"])
def test_smoke_tries_the_translator_of_the_table(
    root: Path, command: Command, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    table(root, 'translator = "settled_good:T"', 'corpus = "ours/private"')
    monkeypatch.chdir(root / folder)
    code, out, err = command("smoke")
    assert (code, err) == (0, "")
    assert out.startswith("the good one 1.2 (settled_good:T)\n")
    assert out.endswith("\nnext: pytest toolcall::shell\n")


def test_options_come_first_then_the_environment(root: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    table(root, 'translator = "nowhere:T"', "timeout = 0.2")
    monkeypatch.chdir(root)
    assert "nowhere" in command("smoke")[2]
    monkeypatch.setenv("TOOLCALL_TRANSLATOR", "settled_slow:T")
    code, out, _ = command("smoke")
    assert code == 1
    assert "request did not return within 0.2 s" in out
    assert '  again: pytest "toolcall::' in out
    monkeypatch.setenv("TOOLCALL_TIMEOUT", "0.3")
    assert "within 0.3 s" in command("smoke")[1]
    _, out, _ = command("smoke", "settled_slow:T", "--timeout", "0.4", "--corpus", "ours/private")
    assert "within 0.4 s" in out
    words = "--toolcall-translator settled_slow:T --toolcall-corpus=ours/private --toolcall-timeout 0.4"
    assert f'  again: pytest {words} "toolcall::' in out


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TOOLCALL_TIMEOUT", "soon", "TOOLCALL_TIMEOUT: 'soon' is no number; give seconds above zero"),
        ("TOOLCALL_TRANSLATR", "x", "there is no variable TOOLCALL_TRANSLATR; did you mean TOOLCALL_TRANSLATOR?"),
    ],
)
def test_a_mistake_is_reported_with_its_place(
    root: Path, command: Command, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv(variable, value)
    code, _, err = command("smoke", "settled_good:T")
    assert (code, err) == (4, f"toolcall-conformance smoke: {sentence}\n")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (['translater = "x"'], "[tool.toolcall]: there is no key 'translater'; did you mean 'translator'?"),
        (["timeout = ["], "pyproject.toml: "),
    ],
)
def test_a_mistake_in_the_file_is_reported(
    root: Path, command: Command, monkeypatch: pytest.MonkeyPatch, lines: list[str], sentence: str
) -> None:
    table(root, *lines)
    monkeypatch.chdir(root / "below")
    code, _, err = command("smoke")
    assert code == 4
    assert sentence in err
    assert "Traceback" not in err


def test_smoke_without_a_translator(root: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    code, _, err = command("smoke")
    assert code == 4
    assert "name the translator to try" in err


@pytest.mark.parametrize("folder", [".", "below"])
def test_private_cases_of_the_table(root: Path, command: Command, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.chdir(root / folder)
    assert "ours/first" not in command("list", "cases")[1]
    table(root, 'corpus = ["ours/private"]')
    assert "ours/first" in command("list", "cases")[1]
    output = command("explain", "ours/first")[1]
    assert output.endswith('pytest --toolcall-translator SPEC "toolcall::ours/first"\n')
    table(root, 'corpus = "ours/private"', 'translator = "settled_good:T"')
    assert command("explain", "ours/first")[1].endswith('  run       pytest "toolcall::ours/first"\n')
    more = command("explain", "ours/first", f"--corpus={root / 'ours' / 'private'}")[1]
    assert f'pytest --toolcall-corpus={root}/ours/private "toolcall::' in more
    monkeypatch.setenv("TOOLCALL_CORPUS", "")
    assert "ours/first" not in command("list", "cases")[1]


def test_judge_is_as_strict_as_the_suite(root: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "below")
    for name, body in (("a", {"text": "one"}), ("extra", {"text": "one", "extra": 1})):
        Path(f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
    pair = ("judge", "--client", "alpha", "--upstream", "beta", "a.json", "extra.json")
    assert command(*pair)[0] == 0
    table(root, "strict = true")
    assert command(*pair)[0] == 1
    assert command(*pair, "--no-strict")[0] == 0
    monkeypatch.setenv("TOOLCALL_STRICT", "no")
    assert command(*pair)[0] == 0


def test_recordings_are_written_where_they_are_read(
    root: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "below")
    words = ("record", "--format", "alpha", "--model", "m", "--case", "toolcall::box/none")
    assert "name the folder for the cassettes: --cassettes DIR" in command(*words)[2]
    table(root, 'cassettes = ["one", "two"]')
    assert (
        "cassettes in [tool.toolcall] of pyproject.toml has 2 folders; name the one to write to: --cassettes DIR"
        in command(*words)[2]
    )
    assert "there is no case 'box/none'" in command(*words, "--cassettes", "three")[2]
    table(root, 'cassettes = "one"')
    assert "there is no case 'box/none'" in command(*words)[2]


LAYOUTS: dict[str, dict[str, str]] = {
    "nothing": {},
    "the table alone": {"pyproject.toml": "[tool.toolcall]\ncorpus = 'ours/private'\n"},
    "an ini file below": {
        "pyproject.toml": "[tool.toolcall]\ntimeout = 3\n",
        "below/pytest.ini": "[pytest]\ntoolcall_corpus =\n  ../ours/private\n",
    },
    "an empty ini file hides the table above": {
        "pyproject.toml": "[tool.toolcall]\ncorpus = 'ours/private'\n",
        "below/pytest.ini": "",
    },
    "a table below that does not speak of pytest": {
        "pytest.ini": "[pytest]\ntoolcall_corpus = ours/private\n",
        "below/pyproject.toml": "[tool.toolcall]\ntimeout = 3\n",
    },
    "options in the same file": {
        "pyproject.toml": "[tool.pytest.ini_options]\ntoolcall_corpus = ['ours/private']\n",
        "below/setup.cfg": "[metadata]\nname = x\n",
    },
    "tox": {"tox.ini": "[pytest]\ntoolcall_corpus = ours/private\n", "pyproject.toml": "[project]\nname = 'x'\n"},
    "setup.cfg": {"below/setup.cfg": "[tool:pytest]\ntoolcall_corpus = ../ours/private\n", "setup.py": ""},
    "setup.py": {"setup.py": ""},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_files_are_those_that_pytest_finds(
    root: Path,
    command: Command,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    layout: str,
) -> None:
    for name, text in LAYOUTS[layout].items():
        (root / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root / "below")
    config: Any = pytester.parseconfig(f"--rootdir={root / 'below'}") if layout == "nothing" else pytester.parseconfig()
    settings = find_settings(root / "below")
    assert (settings.root, settings.file) == (config.rootpath, config.inipath if settings.file else None)
    named = "ours/private" in str(LAYOUTS[layout]) and "hides" not in layout
    assert ("ours/first" in command("list", "cases")[1]) == named
