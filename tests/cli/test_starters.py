"""The starters of ``new-adapter``, in every language, as they are: what they answer, and that they are green."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from starters import BETWEEN, LANGUAGES, NUMBERS, Prepare, load_translator, open_session, run_suite
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import Crashed, Outcome, Produced, Source, Streamed, UnsupportedOutcome, protocol

#: Numbers beyond a double, errors of the provider, and a stream that ends badly.
SAMPLE = (
    "toolcall::read_file/big-integers",
    "toolcall::errors/upstream-rate-limit",
    "toolcall::streaming/lost-amid-arguments",
)
ITEMS_OF_ALL = 6_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_runs_as_it_is(language: str, prepare: Prepare, tmp_path: Path) -> None:
    with load_translator(prepare(language), tmp_path) as driver:
        assert (driver.name, driver.version) == ("my-translator", "0.1.0")
        assert driver.open(Route("a", "b", "m", "m")) == UnsupportedOutcome("no a-to-b yet")
        session = open_session(driver)
        assert session.operations == BETWEEN
        for body in ({}, NUMBERS, {"text": '<\u2028&é😀"\n', "n": [1, 1.5, None, True]}, {"long": "x" * 300_000}):
            assert session.request(body) == Produced(body)
            assert session.response(body) == Produced(body)
            reply: dict[str, Any] = {"status": 429, "headers": {"retry-after": "1"}, "body": body}
            assert session.error(reply) == Produced(reply)
        for pieces in ((), (b"\xe2", b"\x80\xa8", b"", b"\xff\0"), (b"x" * 300_000, b"y")):
            outcome = session.stream(Source(pieces))
            assert isinstance(outcome, Streamed)
            assert outcome.raised is None
            assert outcome.data == b"".join(pieces)
            assert {piece.source_count for piece in outcome.pieces} == {
                count for count, data in enumerate(pieces, 1) if data
            }
        lost = session.stream(Source((b"a", b"b"), "lost"))
        assert isinstance(lost, Streamed)
        assert lost.data == b"ab"
        assert isinstance(lost.raised, Crashed)
        assert session.request({"n": 1}) == Produced({"n": 1})  # which goes on
        driver.end_item()
        again: Outcome = session.request({})  # of a session that was closed
        assert isinstance(again, Crashed)
        assert "raised" in again.sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_answers_as_the_schema_says(language: str, prepare: Prepare, tmp_path: Path) -> None:
    spec = prepare(language)
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
        {"op": "otel", **session, "arguments": [{}, {}]},
        {"op": "close", **session},
    ]
    lines = [json.dumps({**question, "seq": seq}) for seq, question in enumerate(questions)]
    ran = subprocess.run(
        shlex.split(spec.removeprefix("exec:")),
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
        Draft202012Validator(protocol.load_message_schema(f"{question['op']}-answer")).validate(answer)
    outcomes = ("refused", "unsupported", "failed")
    assert [next((key for key in outcomes if key in answer), "") for answer in answers] == [
        *("", "", "unsupported", "", "failed", "", "", "unsupported"),
        *("", "", "", "", "failed", "", "failed", "unsupported", ""),
    ]
    assert [answer.get("chunks") for answer in answers[8:12]] == [[], ["4g=="], answers[10]["chunks"], []]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_starter_is_green(
    language: str, prepare: Prepare, pytester: pytest.Pytester, request: pytest.FixtureRequest
) -> None:
    """On a sample; with ``--all-items`` on the whole corpus, in a minute and a half for each language."""
    everything = request.config.getoption("--all-items")
    result = run_suite(pytester, prepare(language), *(["toolcall::"] if everything else SAMPLE))
    assert result.ret == 0
    outcomes = result.parseoutcomes()
    assert outcomes.keys() == {"passed"}
    assert outcomes["passed"] > (ITEMS_OF_ALL if everything else 30)
