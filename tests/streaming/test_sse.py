"""Parses bytes into events as the HTML standard does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcall_conformance.basics.streaming import dump, parse

EVENTS: list[dict[str, Any]] = [
    {"event": "start", "data": {"text": "a\u2028b 😀", "n": 2**53 + 1}},
    {"data": [1, None]},
    {"data": "[DONE]"},
]


def test_there_and_back() -> None:
    assert parse(dump(EVENTS)) == {"events": EVENTS}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    assert parse(dump(EVENTS).replace(b"\n", end.encode())) == {"events": EVENTS}


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        ("data:1\n\n", [{"data": 1}]),
        ("data:  1\n\n", [{"data": 1}]),
        (": ping\n\ndata: 1\n\n", [{"data": 1}]),
        (": ping\ndata: 1\n: pong\n\n", [{"data": 1}]),
        ("\ufeffdata: 1\n\n", [{"data": 1}]),
        ("\n\n\ndata: 1\n\n\n\n", [{"data": 1}]),
        ("event: a\n\ndata: 1\n\n", [{"data": 1}]),  # a name without data is forgotten
        ("event: a\nevent: b\ndata: 1\n\n", [{"event": "b", "data": 1}]),
        ("id: 7\nretry: 10\nunknown\ndata: 1\n\n", [{"data": 1}]),
        ("data: {\ndata: }\n\n", [{"data": {}}]),
        ("data\n\n", [{"data": ""}]),
        ("data: no json\n\n", [{"data": "no json"}]),
        ('data: {"a":1,"a":2}\n\n', [{"data": '{"a":1,"a":2}'}]),
    ],
)
def test_what_a_client_sees(stream: str, events: list[Any]) -> None:
    body = parse(stream.encode())
    body.pop("aside", None)
    assert body == {"events": events}


@pytest.mark.parametrize(
    ("stream", "line"),
    [
        ("data: 1\n\n", None),
        ("\r\nevent: a\r\ndata: 1\r\n\r\n\r\n", None),
        ("data: : ping\n\n", None),
        ("data:1\n\n", "data:1"),
        ("event:\ndata: 1\n\n", "event:"),
        ("event: \ndata: 1\n\n", "event: "),
        ("data: 1\n\n: ping\n\n: pong\n\n", ": ping"),
        ("data: 1\n\n: bye", ": bye"),
        ("data: 1\rid: 7\r\r", "id: 7"),
        ("\ufeffdata: 1\n\n", "\ufeffdata: 1"),
        ("data: 1\n\n data: 2\n\n", " data: 2"),
    ],
)
def test_the_first_line_that_is_no_event(stream: str, line: str | None) -> None:
    assert parse(stream.encode()).get("aside") == line


def test_no_blank_line_at_the_end() -> None:
    assert parse(b"data: 1\n\ndata: 2\n") == {"events": [{"data": 1}], "rest": "data: 2"}
    assert parse(b"data: 1\n\ndata: 2") == {"events": [{"data": 1}], "rest": "data: 2"}


def test_bytes_that_are_no_text() -> None:
    broken = parse(b'data: {"a": "\xff"}\n\n')
    assert broken["events"] == [{"data": {"a": "\ufffd"}}]
    assert broken["broken"] == "byte 13 is no UTF-8"


def test_separators_that_are_no_line_ends() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf"
    stream = f"data: {json.dumps(text, ensure_ascii=False)}\n\n".encode()
    assert parse(stream) == {"events": [{"data": json.loads(stream[6:].decode())}]}
