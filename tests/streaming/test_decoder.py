"""The decoder reads from pieces, at every cut, what the parser reads from the whole stream."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_conformance.basics.streaming import cuts, dump, parse
from toolcall_conformance.basics.streaming.decoder import Decoder
from toolcall_conformance.library import load_corpus

STREAM = dump(
    [{"event": "a", "data": {"text": "größer 😀 \\ \u2028", "n": 1}}, {"data": {"text": "x"}}, {"data": "[DONE]"}]
)
ODD = [
    STREAM,
    STREAM.replace(b"\n", b"\r\n"),
    STREAM.replace(b"\n", b"\r"),
    b"\xef\xbb\xbf" + STREAM,
    b"\xef\xbb\xbf\n\n" + STREAM,
    b"\n\r\n\r" + STREAM + b": ping",
    STREAM + b"data: 1\ndata",
    STREAM + b"data: \xff\xc3\n\n\xf0\x9f\n\ndata: \xf0\x9f",
    b"event: a\n\ndata\n\nid: 7\r\r\rdata:  1\n\r\n",
    b"",
    b"\xef\xbb",
]


def decode(pieces: Any) -> dict[str, Any]:
    decoder, events = Decoder(), []
    for piece in pieces:
        decoder.feed(piece)
        while (event := decoder.take()) is not None:
            events.append(event)
    return {"events": events, "rest": decoder.rest} if decoder.rest else {"events": events}


def parse_whole(stream: bytes) -> dict[str, Any]:
    return {key: value for key, value in parse(stream).items() if key not in ("broken", "aside")}


@pytest.mark.parametrize("stream", ODD)
def test_every_cut(stream: bytes) -> None:
    whole = parse_whole(stream)
    for place in range(len(stream) + 1):
        assert decode([stream[:place], stream[place:]]) == whole, place
    for name, pieces in cuts.vary_cuts(stream, 40):
        assert decode(pieces) == whole, name


@pytest.mark.parametrize("name", load_corpus().formats)
def test_golden_streams(name: str) -> None:
    path = load_corpus().cases["write_file/unicode-arguments"].exchanges(name)[0].stream_path
    assert path is not None
    stream = path.read_bytes()
    for way, pieces in itertools.chain(cuts.vary_cuts(stream, 20), cuts.cut_in_two(stream, 60)):
        assert decode(pieces) == parse_whole(stream), way


_LINES = st.sampled_from(
    [
        b"data: 1",
        b"data:",
        b"data",
        b"event: a",
        b": c",
        b"",
        b"",
        b"\xff",
        b"\xef\xbb\xbfdata: 2",
        b'data: {"a":"\xc3\xa4"}',
    ]
)
_STREAMS = st.lists(st.tuples(_LINES, st.sampled_from([b"\n", b"\r\n", b"\r", b""])), max_size=12).map(
    lambda lines: b"".join(itertools.chain.from_iterable(lines))
)


@settings(max_examples=300, deadline=None)
@given(stream=_STREAMS, places=st.sets(st.integers(0, 80), max_size=10))
def test_any_stream_in_any_pieces(stream: bytes, places: set[int]) -> None:
    ends = sorted({0, len(stream), *(place for place in places if place < len(stream))})
    assert decode([stream[start:end] for start, end in itertools.pairwise(ends)]) == parse_whole(stream)


def test_an_event_comes_with_its_blank_line() -> None:
    for end in (b"\n", b"\r", b"\r\n"):
        decoder = Decoder()
        decoder.feed(b"data: 1" + end)
        assert decoder.take() is None
        decoder.feed(end[:1])
        assert decoder.take() == {"data": 1}
        decoder.feed(end[1:] + b"data: 2" + end + end)
        assert decoder.take() == {"data": 2}
        assert decoder.take() is None
        assert decoder.rest == ""


def test_it_holds_no_more_than_an_event() -> None:
    decoder = Decoder()
    for _ in range(1000):
        decoder.feed(b"data: " + b"1" * 1000 + b"\n\n")
        assert decoder.take() is not None
        assert len(decoder._bytes) + len(decoder._lines) == 0
