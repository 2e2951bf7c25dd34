"""The hand-written checks of a child's answers agree with the printed schema, and so do our questions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import Opened, Source, Streamed, protocol
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS
from toolcall_conformance.drivers.child.answers import find_breach
from toolcall_conformance.drivers.child.driver import ExecDriver, ExecSession
from turns import share

STREAM = ("stream-open", "stream-chunk", "stream-end")
OPERATIONS = ("hello", "open", "request", "response", "error", "exchange", *STREAM, *FORMAT_OPERATIONS, "close")
ANSWERS = {name: Draft202012Validator(protocol.load_message_schema(f"{name}-answer")) for name in OPERATIONS}
QUESTIONS = {name: Draft202012Validator(protocol.load_message_schema(name)) for name in OPERATIONS}

# Values near what is wanted, right and wrong.
VALUES: dict[str, list[Any]] = {
    "protocol": [1, 1.0, 2, True, "1", None],
    "name": ["x", "", None, 3],
    "version": ["1", 1.0, None],
    "operations": [[], ["request"], ["request", "exchange", "stream"], ["close"], "request", [1], None, {}],
    "made_up": [
        {},
        {"response": []},
        {"response": ["/id", "/a~1b/*/c~0", ""], "stream": ["/events/*/data/id"]},
        {"response": ["id"]},
        {"response": ["/a~2"]},
        {"response": [1]},
        {"response": "/id"},
        {"reply": ["/id"]},
        [],
        "x",
        None,
    ],
    "history": ["own", "theirs", None, True],
    "body": [{}, {"a": [1]}],
    "value": [[], {}, [{"id": "a"}]],
    "losses": [[], ["x"], [{"element": "x", "why": 1}], [{"element": 1}], [{}], [1], "x", None],
    "chunks": [
        [],
        [""],
        ["YQ==", "YWJj"],
        ["YQ"],
        ["YQ=="[:3]],
        ["a-_b"],
        ["YW Jj"],
        ["YQ==YQ=="],
        ["é"],
        [1],
        "",
        None,
    ],
    "status": [200, 429.0, 429.5, True, "429", None],
    "headers": [{}, {"a": "b"}, {"a": 1}, {"a": 1.5}, {"a": True}, {"a": None}, [], None],
    "refused": ["no", "", None, {}],
    "unsupported": ["no", 1],
    "failed": ["x", None, []],
    "traceback": ["x", None, 1],
    "boddy": [{}],
    "op": ["request"],
}


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    keys = draw(st.sets(st.sampled_from(sorted(VALUES)), max_size=4))
    return {"seq": 1} | {key: draw(st.sampled_from(VALUES[key])) for key in keys}


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=25, deadline=None)
@given(answer=answers())
def test_the_checks_by_hand_are_those_of_the_schema(operation: str, answer: dict[str, Any]) -> None:
    assert (find_breach(operation, answer) is None) == ANSWERS[operation].is_valid(answer)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_key_and_value_by_itself(operation: str) -> None:
    needed: dict[str, dict[str, Any]] = {
        "hello": {"protocol": 1},
        "open": {},
        "close": {},
        "error": {"status": 429, "body": {}},
        **{name: {"chunks": ["YQ=="]} for name in STREAM},
        **{name: {"value": []} for name in FORMAT_OPERATIONS},
    }
    base = {"seq": 1, **needed.get(operation, {"body": {}})}
    verdicts = set()
    others = ({"seq": 1, "failed": "x"}, {"seq": 1, "refused": "x"}, base | {"status": 429})
    for good in (base, *share(others, 3, OPERATIONS.index(operation))):
        for key, values in VALUES.items():
            for value in values:
                answer = {**good, key: value}
                verdict = find_breach(operation, answer) is None
                assert verdict == ANSWERS[operation].is_valid(answer), answer
                verdicts.add(verdict)
    assert verdicts == {True, False}


def test_the_schema_of_one_message_is_whole() -> None:
    Draft202012Validator.check_schema(protocol.load_schema())
    for name in protocol.load_schema()["$defs"]:
        Draft202012Validator.check_schema(protocol.load_message_schema(name))
    assert set(protocol.load_message_schema("close")["$defs"]) == {"close", "seq", "session", "case"}
    assert QUESTIONS["close"].is_valid({"op": "close", "seq": 1, "session": "s", "case": "", "later": 1})
    assert not QUESTIONS["close"].is_valid({"op": "close", "seq": 1, "session": "s"})


TELLTALE = """
import json, sys
for line in sys.stdin:
    assert line.isascii()
    open("asked", "a").write(line)
    message = json.loads(line)
    more = {
        "hello": {"protocol": 1},
        "open": {"operations": ["request", "response", "error", "exchange", "stream"], "history": "own"},
        "request": {"body": message.get("body"), "losses": ["x", {"element": "y"}]},
        "response": {"body": message.get("body")},
        "error": {"status": 503, "body": message.get("body"), "headers": {"Retry-After": 7}},
        "exchange": {"status": 400, "body": message.get("body")},
        "stream-open": {"chunks": []},
        "stream-chunk": {"chunks": [message.get("chunk"), ""]},
        "stream-end": {"chunks": [], "losses": ["x"]},
        "close": {},
    }[message["op"]]
    print(json.dumps({"seq": message["seq"], **more}))
"""


def test_our_questions_are_those_of_the_schema(tmp_path: Path) -> None:
    (tmp_path / "telltale.py").write_text(TELLTALE, encoding="utf-8")
    driver = ExecDriver(f"exec:{sys.executable} telltale.py", directory=tmp_path)
    try:
        driver.begin_item("shell/seed")
        opened = driver.open(Route("a", "b", "a1", "b1", stream=True))
        assert isinstance(opened, Opened)
        session = opened.session
        assert isinstance(session, ExecSession)
        assert session.own_history
        session.request({"text": "line\u2028 \ud83d\ude00", "number": 2**63})
        session.response({})
        session.error({"status": 429, "headers": {"retry-after": "1"}, "body": {}})
        session.exchange({}, "http://127.0.0.1:1/x")
        outcome = session.stream(Source((b"\xe2", b"\x80\xa8"), "lost"))
        assert isinstance(outcome, Streamed)
        assert ([piece.data for piece in outcome.pieces], outcome.losses) == ([b"\xe2", b"\x80\xa8"], ("x",))
        driver.end_item()
    finally:
        driver.close()
    messages = [json.loads(line) for line in (tmp_path / "asked").read_text(encoding="utf-8").splitlines()]
    assert [message["op"] for message in messages] == [
        "hello",
        "open",
        "request",
        "response",
        "error",
        "exchange",
        "stream-open",
        "stream-chunk",
        "stream-chunk",
        "stream-end",
        "close",
    ]
    assert [message.get("chunk", message.get("end")) for message in messages[6:10]] == [None, "4g==", "gKg=", "lost"]
    for message in messages:
        QUESTIONS[message["op"]].validate(message)
    assert {message["case"] for message in messages[1:]} == {"shell/seed"}
    assert {message["session"] for message in messages[1:]} == {"s1"}
    assert messages[1]["route"] == {
        "client": "a",
        "upstream": "b",
        "client_model": "a1",
        "upstream_model": "b1",
        "stream": True,
    }
