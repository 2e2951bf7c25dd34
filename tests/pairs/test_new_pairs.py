"""``new-pairs``: what it understands of a folder, and that the file it writes is one that can be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pairs.folders import agents, insta, reply, request, stream, write
from toolcall_conformance import load_corpus
from toolcall_conformance.cli import main
from toolcall_conformance.recording.pairs import load_pairs

CORPUS = load_corpus()


def test_snapshots_next_to_their_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents(tmp_path).unlink()
    write(tmp_path / "replies/plain.json", json.dumps(reply("openai_chat")))
    write(tmp_path / "replies/plain.messages.snap", insta({"response": reply("anthropic") | {"id": "[id]"}}))
    write(tmp_path / "replies/more.json", stream("openai_chat"))
    write(tmp_path / "replies/more.messages-streaming.snap", insta({})[:-3] + stream("anthropic"))
    assert main(["new-pairs", str(tmp_path)]) == 0
    stdout = capsys.readouterr().out
    assert "    2 request: requests/messages/{name}.json → requests/messages/{name}.completions.snap" in stdout
    assert "    1 stream: replies/{name}.json → replies/{name}.messages-streaming.snap, client anthropic" in stdout
    text = (tmp_path / "pairs.toml").read_text(encoding="utf-8")
    assert "redacted = ['\\[id\\]']" in text
    pairs = load_pairs(CORPUS, tmp_path / "pairs.toml")
    assert sorted((case.route.client, case.route.upstream, case.direction) for case in pairs.cases.values()) == [
        ("anthropic", "gemini", "request"),
        ("anthropic", "openai_chat", "request"),
        ("anthropic", "openai_chat", "request"),
        ("anthropic", "openai_chat", "response"),
        ("anthropic", "openai_chat", "stream"),
    ]


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("{}/input.json", "{}/expected.json"),
        ("testdata/{}.input.json", "testdata/{}.golden"),
        ("in/{}.json", "out/{}.json"),
        ("{}.source.json", "{}.target.json"),
    ],
)
def test_other_layouts(source: str, output: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / source.format(name), json.dumps(request("gemini")))
        write(tmp_path / output.format(name), json.dumps(request("openai_responses")))
    assert main(["new-pairs", str(tmp_path)]) == 0
    pairs = load_pairs(CORPUS, tmp_path / "pairs.toml")
    assert len(pairs.cases) == 2
    assert {case.route.upstream for case in pairs.cases.values()} == {"openai_responses"}


def test_a_folder_without_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "a.json", json.dumps(request("gemini")))
    write(tmp_path / "b.json", json.dumps({"inferenceConfig": {}, "toolConfig": {"tools": []}, "messages": []}))
    assert main(["new-pairs", str(tmp_path)]) == 4
    output = capsys.readouterr()
    assert "2 files, 1 body: 1 × request of gemini" in output.out
    assert "no two of them look like the input and the output of one translation" in output.err


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = agents(tmp_path)
    before = path.read_text(encoding="utf-8")
    assert main(["new-pairs", str(tmp_path)]) == 4
    assert "pairs.toml is there already; nothing was written" in capsys.readouterr().err
    assert main(["new-pairs", str(tmp_path), "--print"]) == 0
    assert "[[pairs]]" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == before
    assert main(["new-pairs", str(tmp_path / "nowhere")]) == 4
