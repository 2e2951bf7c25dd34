"""``judge --diff``: where an output differs from a golden file, without what the law accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.cli import main
from toolcall_conformance.library import load_corpus

CASE = load_corpus().cases["parallel/three-tools"]


def write_body(folder: Path, name: str, body: Any) -> str:
    (folder / name).write_text(json.dumps(body), encoding="utf-8")
    return str(folder / name)


def test_what_differs_by_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = json.loads(json.dumps(CASE.exchanges("openai_chat")[0].request))
    output = json.loads(json.dumps(golden))
    output["tools"][0]["function"]["description"] = "Something else."
    output["messages"][1]["content"] = [{"type": "text", "text": golden["messages"][1]["content"]}]
    del output["tools"][2]
    paths = [
        write_body(tmp_path, "source.json", CASE.exchanges("anthropic")[0].request),
        write_body(tmp_path, "output.json", output),
    ]
    ends = ("--client", "anthropic", "--upstream", "openai_chat")
    assert main(["judge", *ends, *paths, "--diff", write_body(tmp_path, "golden.json", golden)]) == 1
    lines = capsys.readouterr().out.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("differs from "))
    assert lines[place].endswith("golden.json: in 2 places")
    assert lines[place + 1] == (
        '    /tools/0/function/description want "Find the next trains between two stations.", got "Something else."'
    )
    assert lines[place + 2].startswith("    /tools/2 is missing, want {")


def test_ids_and_times_of_a_reply_are_new_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = CASE.exchanges("openai_responses")[0].response
    paths = [
        write_body(tmp_path, "source.json", CASE.exchanges("anthropic")[0].response),
        write_body(tmp_path, "output.json", golden | {"id": "resp_other", "created_at": 1, "completed_at": 2}),
        "--diff",
        write_body(tmp_path, "golden.json", golden),
    ]
    main(["judge", "--client", "openai_responses", "--upstream", "anthropic", "--response", *paths])
    assert "golden.json: in nothing that counts" in capsys.readouterr().out
    main(["judge", "--client", "openai_responses", "--upstream", "anthropic", "--response", *paths, "--json"])
    assert json.loads(capsys.readouterr().out)["diff"] == [f"differs from {paths[-1]}: in nothing that counts"]


def test_streams_and_errors_are_not_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = write_body(tmp_path, "error.json", {"status": 400, "body": {"error": {"message": "x"}}})
    assert main(["judge", "--client", "gemini", "--error", error, "--diff", error]) == 4
    assert "--diff compares requests and whole replies" in capsys.readouterr().err
