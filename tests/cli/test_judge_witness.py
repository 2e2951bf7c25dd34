"""``toolcall-conformance judge --witness``: what the official client does with the captured body."""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.cli import main
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust import witnesses
from witnesses.wire import sdk as official

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
WAYS = {
    "response": ("anthropic", "gemini", ["--response"]),
    "request": ("anthropic", "openai_chat", []),
    "stream": ("openai_chat", "anthropic", ["--stream"]),
}

Told = tuple[int, str, str]


@pytest.fixture
def run_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """The exit code of the command with two bodies, and what it printed."""

    def run(source: Any, output: Any, client: str, upstream: str, *words: str) -> Told:
        for name, body in (("source", source), ("output", output)):
            (tmp_path / name).write_bytes(body if isinstance(body, bytes) else json.dumps(body).encode())
        files = [str(tmp_path / name) for name in ("source", "output")]
        code = main(["judge", *words, "--client", client, "--upstream", upstream, *files])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def bodies(way: str) -> tuple[Any, Any]:
    """A golden pair: what the translator was given, and what it should make of it."""
    client, upstream, _ = WAYS[way]
    client_exchange, answered = CASE.exchanges(client)[0], CASE.exchanges(upstream)[0]
    if way == "request":
        return copy.deepcopy(client_exchange.request), copy.deepcopy(answered.request)
    if way == "stream":
        return answered.stream(), client_exchange.stream()
    return copy.deepcopy(answered.response), copy.deepcopy(client_exchange.response)


@pytest.mark.parametrize("way", WAYS)
def test_a_line_for_a_right_body(run_judge: Callable[..., Told], way: str) -> None:
    client, upstream, words = WAYS[way]
    name = upstream if way == "request" else client
    official(name)
    code, out, _ = run_judge(*bodies(way), client, upstream, *words, "--witness")
    (line,) = [line for line in out.splitlines() if line.startswith("    client ")]
    assert line.startswith(f"    client {official(name).name} ")
    assert ": accepted it: " in line
    assert code == 0
    assert "    client" not in run_judge(*bodies(way), client, upstream, *words)[1]


def test_what_the_client_lost(run_judge: Callable[..., Told]) -> None:
    official("anthropic")
    source, output = bodies("response")
    del output["content"][-1]
    code, out, _ = run_judge(source, output, "anthropic", "gemini", "--response", "--witness", "--json")
    report = json.loads(out)["witness"]
    assert report["says"][0].startswith("lost call 3 (")
    assert (code, report["accepted"], report["client"].split()[0]) == (1, False, "anthropic")


def test_a_stream_that_breaks_off_with_its_source(run_judge: Callable[..., Told]) -> None:
    """The measure is not the upstream's reply, which never came."""
    official("openai_chat")
    source, output = (b"".join(stream.partition(b"\n\n")[:2]) for stream in bodies("stream"))
    _, out, _ = run_judge(source, output, "openai_chat", "anthropic", "--stream", "--witness")
    assert "    client openai " in out
    assert "lost call" not in out


def test_a_verdict_is_the_same_with_a_witness(run_judge: Callable[..., Told]) -> None:
    official("anthropic")
    source, output = bodies("response")
    output["content"] = "no blocks at all"
    plain, with_witness = (
        run_judge(source, output, "anthropic", "gemini", "--response", "--json", *words)
        for words in ((), ("--witness",))
    )
    assert plain[0] == with_witness[0] == 1
    report = json.loads(with_witness[1])
    assert not report.pop("witness")["accepted"]
    assert json.loads(plain[1]) == report


def test_one_body_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    official("gemini")
    (tmp_path / "body").write_text(json.dumps(CASE.exchanges("gemini")[0].response), encoding="utf-8")
    assert main(["judge", "--response", "--client", "gemini", "--witness", str(tmp_path / "body")]) == 0
    assert "    client google-genai " in capsys.readouterr().out


def test_without_the_extra(run_judge: Callable[..., Told], monkeypatch: pytest.MonkeyPatch) -> None:
    witnesses.sdk_of.cache_clear()
    monkeypatch.setitem(sys.modules, "anthropic", None)
    code, _, err = run_judge(*bodies("response"), "anthropic", "gemini", "--response", "--witness")
    assert code == 4
    assert "--witness: the official clients are not all installed (no module 'anthropic')" in err
    assert "pip install 'toolcall-conformance[witnesses]'" in err
