"""Whatever a provider answers, the key is neither printed nor kept: neither whole nor cut off."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cassettes.loopback_provider import KEY, PlannedReply, Provider, Record, replies
from toolcall_conformance.library import Corpus

CASE = "shell/realistic"
NAME = "openai_chat"
Answers = list[Any]


def golden_answers(
    corpus: Corpus, *changes: tuple[str, str], index: int = 0, streamed: bool = False, **headers: str
) -> Answers:
    """The golden replies, one of them changed."""
    answers = replies(corpus.cases[CASE], NAME, streamed=streamed)
    changed = answers[index]
    assert isinstance(changed, PlannedReply)
    text = changed.body.decode()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    answers[index] = PlannedReply(text.encode(), headers={**changed.headers, **headers})
    return answers


def events(*data: Any) -> bytes:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in data).encode()


JSON = {"content-type": "application/json"}
CHUNK = {
    "id": "c",
    "object": "chat.completion.chunk",
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "a"}}],
}

ANSWERS: dict[str, Callable[[Corpus], Answers]] = {
    "words instead of a call": lambda corpus: golden_answers(corpus, ("Yes.", f"It is {KEY}."), index=1)[1:],
    "words that are cut in the key": lambda corpus: golden_answers(corpus, ("Yes.", f"{'x' * 100} {KEY} "), index=1)[
        1:
    ],
    "a tool of this name": lambda corpus: golden_answers(corpus, ("run_shell_command", KEY)),
    "a call in the last reply": lambda corpus: [
        golden_answers(corpus)[0],
        golden_answers(corpus, ("run_shell_command", KEY), ("call_", "call_9"))[0],
    ],
    "no JSON, by its type": lambda _: [PlannedReply(b"<html>", headers={"content-type": f"text/html; {KEY}"})],
    "no reply, by its type": lambda _: [PlannedReply(b"{}", headers={"content-type": f"application/{KEY}"})],
    "a name twice": lambda _: [PlannedReply(f'{{"{KEY}": 1, "{KEY}": 2}}'.encode(), headers=JSON)],
    "an error": lambda _: [PlannedReply(json.dumps({"error": {"message": f"{KEY}: no"}}).encode(), 400, JSON)],
    "an error that is cut in the key": lambda _: [PlannedReply(f"{'x' * 280} {KEY}".encode(), 400)],
    "an escaped key": lambda _: [PlannedReply("".join(f"\\u{ord(character):04x}" for character in KEY).encode(), 400)],
}
STREAMS: dict[str, Callable[[Corpus], Answers]] = {
    "no stream, by its type": lambda _: [PlannedReply(b"{}", headers={"content-type": f"text/{KEY}"})],
    "an error in the stream": lambda _: [PlannedReply(events(CHUNK, {"error": {"message": f"{KEY} is wrong"}}))],
    "an error in the stream, cut": lambda _: [
        PlannedReply(events(CHUNK, {"error": {"message": f"{'x' * 110} {KEY}"}}))
    ],
    "words instead of a call": lambda _: [
        PlannedReply(
            events(
                *(
                    {**CHUNK, "choices": [{"index": 0, "delta": {"content": KEY[at : at + 5]}}]}
                    for at in range(0, 35, 5)
                ),
                {**CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            )
            + b"data: [DONE]\n\n"
        )
    ],
}
PLACES = [
    *((name, "--unary", make) for name, make in ANSWERS.items()),
    *((name, "--stream", make) for name, make in STREAMS.items()),
]


@pytest.mark.parametrize(("what", "way", "make"), PLACES, ids=[f"{name}, {way[2:]}" for name, way, _ in PLACES])
def test_the_key_is_not_printed(
    what: str,
    way: str,
    make: Callable[[Corpus], Answers],
    corpus: Corpus,
    record: Record,
    upstream: Provider,
    tmp_path: Path,
) -> None:
    upstream.answers = make(corpus)
    ran = record(NAME, "--case", CASE, way, "--partial")
    written = "".join(file.read_text() for file in (tmp_path / "kept").rglob("*") if file.is_file())
    assert len(upstream.asked) >= 1
    assert "REDACTED" in ran.out
    for text in (ran.out, ran.err, written):
        assert KEY not in text
        assert KEY[:12] not in text, what


@pytest.mark.parametrize("option", ["--base-url", "--model"])
def test_a_key_in_the_wrong_place_is_not_printed(option: str, record: Record) -> None:
    option_value = f"{KEY}\udcff" if option == "--model" else KEY
    ran = record(NAME, "--case", CASE, option, option_value)
    assert ran.code == 4
    assert KEY[:12] not in ran.out + ran.err
    assert "REDACTED" in ran.err


def test_what_other_variables_hold_is_not_printed(
    record: Record, upstream: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_ADMIN_TOKEN", "oq8-plain-words-4fd")
    upstream.answers = [PlannedReply(b"told me oq8-plain-words-4fd and me@mail.org", 400)]
    ran = record(NAME, "--case", CASE, "--unary")
    assert "told me REDACTED-key-1 and REDACTED-email-1" in ran.out
