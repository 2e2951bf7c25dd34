"""``schema`` and ``new-adapter``; and that the adapters that the latter writes run as they are."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolcall_conformance import protocol
from toolcall_conformance.cli import main
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import (
    Crashed,
    Opened,
    Outcome,
    Produced,
    Source,
    Streamed,
    UnsupportedOutcome,
    load_driver,
)

LANGUAGES = ("python", "typescript", "go")


def test_the_schema_of_all_messages_and_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == protocol.schema()
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
    said = capsys.readouterr().out
    assert f"  cd {shlex.quote(str(folder))}\n" in said
    assert '  pytest --toolcall-translator "exec:' in said
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "YOUR TRANSLATOR" in "".join(text.decode() for text in before.values())
    assert main(["new-adapter", "--language", language, str(folder)]) == 4
    assert "nothing was written, name another folder" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["new-adapter", "--language", "go", str(tmp_path / "file" / "x")]) == 4
    assert f"{tmp_path}/file/x cannot be written (Not a directory); name another folder" in capsys.readouterr().err


def _newer_than(program: str, first: tuple[int, ...]) -> bool:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(number) for number in said.strip().lstrip("v").split(".")[:2]) >= first


def prepared(language: str, folder: Path) -> str:
    """The command that runs a starter; skips where its language is not there."""
    if language == "python":
        return f"{sys.executable} adapter.py"
    if language == "go":
        if shutil.which("go") is None:
            pytest.skip("there is no Go toolchain")
        built = subprocess.run(["go", "build", "-o", "adapter", "."], cwd=folder, capture_output=True, check=False)
        assert built.returncode == 0, built.stderr.decode()
        return "./adapter"
    if shutil.which("node") is None:
        pytest.skip("there is no Node")
    if _newer_than("node", (22, 18)):
        return "node adapter.ts"
    tsx = subprocess.run(["node", "--import", "tsx", "-e", "0"], cwd=folder, capture_output=True, check=False)
    if tsx.returncode == 0:
        return "node --import tsx adapter.ts"
    # An older Node without tsx: the adapter has no types that cannot simply be cut out, and few that must be.
    (folder / "adapter.mjs").write_text(_untyped((folder / "adapter.ts").read_text(encoding="utf-8")), encoding="utf-8")
    return "node adapter.mjs"


def _untyped(text: str) -> str:
    for typed, plain in (
        (": Body | Promise<Body>", ""),
        (": { status: number; headers?: Headers; body: Body }", ""),
        ("Map<string, Session>", "Map"),
        (": Promise<object>", ""),
        (": Promise<void>", ""),
        *((f": {name}", "") for name in ("AsyncIterable<Uint8Array>", "string[]", "Session", "void")),
        *((f": {name}", "") for name in ("Route", "Headers", "Body", "any", "unknown", "object")),
        ("(line: string)", "(line)"),
        ("status: number", "status"),
    ):
        text = text.replace(typed, plain)
    return "\n".join(line for line in text.splitlines() if not line.startswith("type "))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_runs_as_it_is(language: str, tmp_path: Path) -> None:
    assert main(["new-adapter", "--language", language, str(tmp_path)]) == 0
    driver = load_driver(f"exec:{prepared(language, tmp_path)}", directory=tmp_path)
    try:
        assert (driver.name, driver.version) == ("my-translator", "0.1.0")
        assert driver.open(Route("a", "b", "m", "m")) == UnsupportedOutcome("no a-to-b yet")
        opened = driver.open(Route("a", "a", "m", "m"))
        assert isinstance(opened, Opened)
        assert opened.session.operations == {"request", "response", "stream", "error"}
        for body in ({}, {"text": '<\u2028&é😀"\n', "n": [1, 1.5, None, True]}, {"long": "x" * 300_000}):
            assert opened.session.request(body) == Produced(body)
            assert opened.session.response(body) == Produced(body)
            reply: dict[str, Any] = {"status": 429, "headers": {"retry-after": "1"}, "body": body}
            assert opened.session.error(reply) == Produced(reply)
        for pieces in ((), (b"\xe2", b"\x80\xa8", b"", b"\xff\0"), (b"x" * 300_000, b"y")):
            came = opened.session.stream(Source(pieces))
            assert isinstance(came, Streamed)
            assert came.raised is None
            assert came.data == b"".join(pieces)
            assert {piece.taken for piece in came.pieces} == {count for count, data in enumerate(pieces, 1) if data}
        lost = opened.session.stream(Source((b"a", b"b"), "lost"))
        assert isinstance(lost, Streamed)
        assert lost.data == b"ab"
        assert isinstance(lost.raised, Crashed)
        assert opened.session.request({"n": 1}) == Produced({"n": 1})  # which goes on
        driver.end_item()
        again: Outcome = opened.session.request({})  # of a session that was closed
        assert isinstance(again, Crashed)
        assert "raised" in again.sentence
    finally:
        driver.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_answers_as_the_schema_says(language: str, tmp_path: Path) -> None:
    assert main(["new-adapter", "--language", language, str(tmp_path)]) == 0
    route = {"client": "a", "upstream": "a", "client_model": "m", "upstream_model": "m", "stream": False}
    session = {"session": "s1", "case": ""}
    questions: list[dict[str, Any]] = [
        {"op": "hello", "protocol": 1, "later": {}},
        {"op": "open", **session, "route": {**route, "later": 1}},
        {"op": "open", "session": "s2", "case": "", "route": {**route, "upstream": "b"}},
        {"op": "request", **session, "body": {}},
        {"op": "request", "session": "unknown", "case": "", "body": {}},
        {"op": "response", **session, "body": {}},
        {"op": "error", **session, "status": 500, "headers": {}, "body": {}},
        {"op": "exchange", **session, "body": {}, "upstream_url": "http://127.0.0.1:1"},
        {"op": "stream-open", **session},
        {"op": "stream-chunk", **session, "chunk": "4g=="},
        {"op": "stream-chunk", **session, "chunk": ""},
        {"op": "stream-end", **session, "end": "plain"},
        {"op": "stream-open", "session": "unknown", "case": ""},
        {"op": "stream-open", **session},
        {"op": "stream-end", **session, "end": "lost"},
        {"op": "close", **session},
    ]
    lines = [json.dumps({**question, "seq": seq}) for seq, question in enumerate(questions)]
    ran = subprocess.run(
        shlex.split(prepared(language, tmp_path)),
        cwd=tmp_path,
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [answer["seq"] for answer in answers] == list(range(len(questions)))
    for question, answer in zip(questions, answers, strict=True):
        Draft202012Validator(protocol.message_schema(f"{question['op']}-answer")).validate(answer)
    told = ("refused", "unsupported", "failed")
    assert [next((key for key in told if key in answer), "") for answer in answers] == [
        *("", "", "unsupported", "", "failed", "", "", "unsupported"),
        *("", "", "", "", "failed", "", "failed", ""),
    ]
    assert [answer.get("chunks") for answer in answers[8:12]] == [[], ["4g=="], answers[10]["chunks"], []]
