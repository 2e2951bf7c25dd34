"""Server-sent events in pieces: the line ends, fields and blank lines of the HTML standard."""

from __future__ import annotations

import pytest

from toolcall_reference.streaming.sse import Parser


def read(stream: bytes, size: int) -> list[tuple[str, str | None]]:
    parser = Parser()
    chunks = [stream[place : place + size] for place in range(0, len(stream), size)]
    events = [event for chunk in [b"", *chunks, b""] for event in parser.feed(chunk)]
    rest = parser.end()
    if rest is not None and rest.is_whole:
        events.append(rest)
    return [(event.name, event.data) for event in events]


LINES = ["event: a", 'data: {"x":', 'data: "\u2028 \x85 😀"}', "", "data: [DONE]", ""]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_line_ends(newline: str, size: int) -> None:
    stream = "".join(line + newline for line in LINES).encode()
    expected = [("a", '{"x":\n"\u2028 \x85 😀"}'), ("", "[DONE]")]
    assert read(stream, size) == expected
    assert read(b"\xef\xbb\xbf" + stream, size) == expected
    assert read(stream.removesuffix(newline.encode()), size) == expected
    assert read(stream.removesuffix(newline.encode() * 2), size) == expected


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data:x\n\n", [("", "x")]),
        (b"data:  x\n\n", [("", " x")]),
        (b"data\n\n", [("", "")]),
        (b": ping\n\ndata: x\n\n", [("", None), ("", "x")]),
        (b"\n\n\ndata: x\n\n\n\n", [("", "x")]),
        (b"data: \xff\n\n", [("", "\ufffd")]),
        (b"event: a\nevent: b\ndata: x\n\n", [("b", "x")]),
        (b"data: x\n\nevent: a\n", [("", "x")]),
        (b'data: x\n\ndata: {"a', [("", "x")]),
        (b"data: x\n\ndata: 1", [("", "x")]),  # more digits might follow
    ],
)
def test_fields(stream: bytes, size: int, expected: list[tuple[str, str | None]]) -> None:
    assert read(stream, size) == expected
