"""``schema`` and ``new-adapter``: what they print and write. What the starters do, test_starters.py shows."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from toolcall_conformance.cli import main
from toolcall_conformance.drivers import protocol

LANGUAGES = ("python", "typescript", "go")


def test_the_schema_of_all_messages_and_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == protocol.load_schema()
    assert main(["schema", "open-answer"]) == 0
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))
    assert validator.is_valid({"seq": 1, "operations": ["request"]})
    assert not validator.is_valid({"seq": 1, "operations": ["requests"]})


def test_a_message_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "open-anser"]) == 4
    assert "schema: there is no message 'open-anser'; did you mean open-answer" in capsys.readouterr().err


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_overwritten(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "a folder"
    assert main(["new-adapter", "--language", language, str(folder)]) == 0
    output = capsys.readouterr().out
    assert f"  cd {shlex.quote(str(folder))}\n" in output
    assert '  pytest --toolcall-translator "exec:' in output
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "YOUR TRANSLATOR" in "".join(text.decode() for text in before.values())
    assert main(["new-adapter", "--language", language, str(folder)]) == 4
    assert "nothing was written, name another folder" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["new-adapter", "--language", "go", str(tmp_path / "file" / "x")]) == 4
    assert f"{tmp_path}/file/x cannot be written (Not a directory); name another folder" in capsys.readouterr().err
