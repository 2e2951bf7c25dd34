"""Ways to cut and to frame a stream: nothing is lost, and each is what its name says."""

from __future__ import annotations

import pytest

from toolcall_conformance.basics.streaming import cuts, dump, parse

STREAM = dump(
    [{"event": "a", "data": {"text": "größer 😀 \\ \u2028", "n": 1}}, {"data": {"text": "x"}}, {"data": "[DONE]"}]
)


def test_each_event_is_a_piece() -> None:
    pieces = cuts.split_events(STREAM)
    assert len(pieces) == 3
    assert b"".join(pieces) == STREAM
    assert [len(parse(piece)["events"]) for piece in pieces] == [1, 1, 1]


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_events_with_other_line_ends(end: bytes) -> None:
    assert len(cuts.split_events(STREAM.replace(b"\n", end))) == 3


def test_hostile_cuts_lose_nothing_and_differ() -> None:
    ways = dict(cuts.vary_cuts(STREAM, 100))
    assert all(b"".join(pieces) == STREAM and all(pieces) for pieces in ways.values())
    assert len(set(ways.values())) == len(ways) > 15
    assert list(cuts.vary_cuts(STREAM, 5)) == list(ways.items())[:5]
    assert set(map(len, ways["single bytes"])) == {1}
    assert any(piece.startswith(b"\x9f") for piece in ways["inside characters"])
    assert ways["inside escapes"][0].endswith(b"\\")
    assert ways["after data:"][0].endswith(b"data:")


def test_line_ends_are_cut_in_two() -> None:
    crlf = STREAM.replace(b"\n", b"\r\n")
    assert any(piece.startswith(b"\n") for piece in dict(cuts.vary_cuts(crlf, 100))["inside the line ends"])


def test_other_frames_say_the_same() -> None:
    ways = dict(cuts.vary_framing(STREAM))
    assert len(ways) == 5
    assert list(dict(cuts.vary_framing(STREAM, plainly=True))) == list(ways)[:3]
    unended = parse(ways.pop(cuts.NO_LAST_BLANK_LINE))
    assert (unended["events"], unended["rest"]) == (parse(STREAM)["events"][:-1], "data: [DONE]")
    for way, stream in ways.items():
        assert parse(stream)["events"] == parse(STREAM)["events"], way


def test_an_empty_stream() -> None:
    assert cuts.split_events(b"") == ()
    assert [pieces for _, pieces in cuts.vary_cuts(b"", 100)] == [(b"",), ()]


def test_in_two_at_every_place() -> None:
    variants = list(cuts.cut_in_two(STREAM, 1000))
    assert [len(pieces[0]) for _, pieces in variants] == list(range(1, len(STREAM)))
    assert all(b"".join(pieces) == STREAM and len(pieces) == 2 for _, pieces in variants)


@pytest.mark.parametrize("most", [0, 1, 2, 7, 40])
def test_in_two_at_some_places(most: int) -> None:
    """Half of them where it hurts: in a character, between CR and LF, before a line end, after backslash and data."""
    stream = (STREAM * 20).replace(b"\n", b"\r\n")
    variants = [pieces for _, pieces in cuts.cut_in_two(stream, most)]
    assert len(set(variants)) == len(variants) == most
    hurts = [pair for pair in variants if pair[0].endswith((b"\r", b"\\", b"data:")) or pair[1][:1] >= b"\x80"]
    hurts += [pair for pair in variants if pair[1].startswith(b"\r")]
    assert most // 2 <= len(hurts) < most or not most


def test_what_is_left_of_the_ways_cuts_in_two() -> None:
    names = [name for name, _ in cuts.vary_cuts(STREAM * 20, 40)]
    assert len(names) == 40
    assert names[0] == "whole"
    assert sum(name.startswith("in two") for name in names) > 10


@pytest.mark.parametrize(
    ("most", "expected"),
    [(0, []), (1, [5]), (2, [0, 9]), (3, [0, 4, 9]), (4, [0, 3, 6, 9]), (10, list(range(10))), (99, list(range(10)))],
)
def test_spread(most: int, expected: list[int]) -> None:
    assert cuts.pick_evenly(range(10), most) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("default", None),
        (None, None),
        ("all", cuts.ALL),
        ("12", cuts.Fineness(12, 12)),
        ("8192", cuts.Fineness(8192, 8192)),
    ],
)
def test_what_a_user_says(text: str | None, expected: cuts.Fineness | None) -> None:
    assert cuts.parse_fineness(text) == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "8193", "ALL", "1.5", "٣", "many"])
def test_what_a_user_cannot_say(text: str) -> None:
    with pytest.raises(ValueError, match="is neither `default` nor `all` nor a number from 1 to 8192"):
        cuts.parse_fineness(text)


@pytest.mark.parametrize("most", [3, 4, 10, 50])
def test_few_pieces(most: int) -> None:
    pieces = tuple(STREAM[place : place + 1] for place in range(len(STREAM)))
    result = cuts.limit_pieces(pieces, most)
    assert len(result) == most
    assert b"".join(result) == STREAM
    assert sum(len(piece) == 1 for piece in result) == most - 1
    assert len(result[0]) == len(result[-1]) == 1
    assert cuts.limit_pieces(pieces[:most], most) == pieces[:most]
    assert cuts.limit_pieces(pieces, None) == pieces
