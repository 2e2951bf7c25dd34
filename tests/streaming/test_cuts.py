"""Ways to cut and to frame a stream: nothing is lost, and each is what its name says."""

from __future__ import annotations

import pytest

from toolcall_conformance.streaming import cuts, dump, parse

STREAM = dump(
    [{"event": "a", "data": {"text": "größer 😀 \\ \u2028", "n": 1}}, {"data": {"text": "x"}}, {"data": "[DONE]"}]
)


def test_one_piece_an_event() -> None:
    pieces = cuts.events(STREAM)
    assert len(pieces) == 3
    assert b"".join(pieces) == STREAM
    assert [len(parse(piece)["events"]) for piece in pieces] == [1, 1, 1]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_events_with_other_line_ends(end: bytes) -> None:
    assert len(cuts.events(STREAM.replace(b"\n", end))) == 3


def test_hostile_cuts_lose_nothing_and_differ() -> None:
    ways = dict(cuts.hostile(STREAM, 100))
    assert all(b"".join(pieces) == STREAM and all(pieces) for pieces in ways.values())
    assert len(set(ways.values())) == len(ways) > 15
    assert list(cuts.hostile(STREAM, 5)) == list(ways.items())[:5]
    assert set(map(len, ways["single bytes"])) == {1}
    assert any(piece.startswith(b"\x9f") for piece in ways["inside characters"])
    assert ways["inside escapes"][0].endswith(b"\\")
    assert ways["behind data:"][0].endswith(b"data:")


def test_line_ends_are_cut_in_two() -> None:
    crlf = STREAM.replace(b"\n", b"\r\n")
    assert any(piece.startswith(b"\n") for piece in dict(cuts.hostile(crlf, 100))["inside the line ends"])


def test_other_frames_say_the_same() -> None:
    ways = dict(cuts.reframed(STREAM))
    assert len(ways) == 4
    assert list(dict(cuts.reframed(STREAM, plainly=True))) == list(ways)[:2]
    for way, stream in ways.items():
        assert parse(stream) == parse(STREAM), way


def test_an_empty_stream() -> None:
    assert cuts.events(b"") == ()
    assert [pieces for _, pieces in cuts.hostile(b"", 100)] == [(b"",), ()]
