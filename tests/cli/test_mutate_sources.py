"""`toolcall-conformance mutate --sources`: what it prints, how it ends, and what it does with mistakes of its user."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.cli import main
from toolcall_conformance.library import load_corpus

NAME = "shell/seed::request::anthropic-to-openai_chat::01::as-it-is"
OLD = """
class Refused(Exception): ...

class T:
    def open(self, route):
        return self
    def request(self, body):
        {action}
"""
PASSES = 'return {"model": "m", "messages": [{"role": "user", "content": "Hot?"}]}'


def translator(folder: Path, action: str) -> Path:
    folder.mkdir()
    (folder / "written_for_roads.py").write_text(OLD.replace("{action}", action), encoding="utf-8")
    return folder


def test_a_sample_is_counted_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = load_corpus().cases["shell/seed"].exchanges("gemini")[0].request
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "one.json").write_text(json.dumps({"body": request}), encoding="utf-8")
    file = tmp_path / "all.json"
    options = ["--count", "12", "--seed", "4", "--folder", str(tmp_path / "logs"), "--json", str(file)]
    assert main(["mutate", "--sources", *options]) == 0
    output = capsys.readouterr().out
    assert "in all: 12 draws: " in output
    assert "closed roads: 0" in output
    written = json.loads(file.read_text(encoding="utf-8"))
    assert len(written["sources"]) == 12
    assert any(str(tmp_path) in source["name"] for source in written["sources"])


def test_a_closed_road_ends_with_1_and_prints_how_to_repeat_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(translator(tmp_path / "new", PASSES))
    spec = ["--translator", "written_for_roads:T"]
    assert main(["mutate", "--sources", *spec, "--again", NAME]) == 1
    output = capsys.readouterr().out
    assert "closed" in output
    assert "remains: translation/tool-lost" in output
    assert main(["mutate", "--sources", *spec, "--count", "40", "--seed", "2"]) == 1
    output = capsys.readouterr().out
    assert f"toolcall-conformance mutate --sources {' '.join(spec)} --again " in output


def test_what_only_the_older_version_translates_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = translator(tmp_path / "old", PASSES)
    monkeypatch.chdir(translator(tmp_path / "new", 'raise Refused("not today")'))
    monkeypatch.delitem(sys.modules, "written_for_roads", raising=False)
    spec = ["--translator", "written_for_roads:T", "--against", str(old)]
    assert main(["mutate", "--sources", *spec, "--again", NAME]) == 1
    assert "the older version translates it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--sources", "--harmless"], "two things"),
        (["--folder", "logs"], "--folder is for --sources"),
        (["--sources", "--folder", "no-such-folder"], "there is no such directory"),
        (["--sources", "--against", "no-such-folder"], "there is no such directory"),
        (["--sources", "--again", "shell/seed"], "is no draw"),
        (["--sources", "--translator", "nothing.here:T"], "there is no module"),
    ],
)
def test_mistakes_are_reported(options: list[Any], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutate", *options]) == 4
    assert says in capsys.readouterr().err
