"""``events.lines``: the lines of a stream, whatever its pieces, as soon as they are complete."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from toolcall_conformance import events

TEXT = 'data: {"a":"é😀\u2028\x85 b"}\r\n\r\nevent: x\rdata: 1\n\n: end without an end'
WANTED = ['data: {"a":"é😀\u2028\x85 b"}', "", "event: x", "data: 1", "", ": end without an end"]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_the_pieces_do_not_matter(size: int) -> None:
    data = TEXT.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(events.lines(pieces)) == WANTED

    async def later() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def read(chunks: object) -> list[str]:
        return [line async for line in events.lines(chunks)]

    assert asyncio.run(read(later())) == WANTED
    assert asyncio.run(read(iter(pieces))) == WANTED
    with pytest.raises(TypeError, match="make the translation `async def`"):
        list(events.lines(later()))


def test_a_line_comes_before_the_next_piece_is_read() -> None:
    read: list[int] = []

    def chunks() -> Iterator[bytes]:
        for number, piece in enumerate((b"a\nb", b"c\n", b"d")):
            read.append(number)
            yield piece

    lines = iter(events.lines(chunks()))
    assert [(next(lines), list(read)) for _ in range(3)] == [("a", [0]), ("bc", [0, 1]), ("d", [0, 1, 2])]


def test_a_lost_connection_is_passed_on() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"a\nhalf"
        raise ConnectionError

    lines = iter(events.lines(chunks()))
    assert next(lines) == "a"
    with pytest.raises(ConnectionError):
        next(lines)


def test_nothing_has_no_lines() -> None:
    assert list(events.lines([])) == []
    assert list(events.lines([b"\n"])) == [""]
