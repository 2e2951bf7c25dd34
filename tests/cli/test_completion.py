"""Completion in shells, and what the help of the command says."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from toolcall_conformance.cli import main
from toolcall_conformance.cli.parser import SHELLS


def run_output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as error:
        main(words)
    assert error.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_knows_commands_and_options(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    script = run_output(capsys, "--print-completion", shell)
    assert all(word in script for word in ("judge", "explain", "upstream-model"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    script = run_output(capsys, "--print-completion", "bash")
    done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(SystemExit) as error:
        main(["--print-completion", "bash"])
    assert error.value.code == 4
    assert "toolcall-conformance[completion]" in capsys.readouterr().err


def test_the_help_names_kinds_of_translators_and_formats(capsys: pytest.CaptureFixture[str]) -> None:
    help_text = " ".join(run_output(capsys, "--help").split())
    assert all(word in help_text for word in ("exec:COMMAND", "gateway:FILE.toml", "anthropic", "openai_responses"))
