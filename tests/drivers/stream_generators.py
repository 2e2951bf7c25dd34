"""Many kinds of ``stream``, which two drivers play and a test compares: ``NAME`` of ``Translator.METHODS``."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any


class Refused(Exception):  # noqa: N818
    pass


class Unsupported(Exception):  # noqa: N818
    pass


def upper(chunks: Any) -> Iterator[bytes]:
    yield from (chunk.upper() for chunk in chunks)
    yield b"."


async def upper_async(chunks: Any) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        yield chunk.upper()
    yield b"."


async def upper_later(chunks: Any) -> Any:
    return upper_async(chunks)


def before_anything(chunks: Any) -> Iterator[bytes]:
    yield b"<"
    yield b""
    yield from chunks


def one_behind(chunks: Any) -> Iterator[bytes]:
    previous = b""
    for chunk in chunks:
        if previous:
            yield previous[:1]
            yield previous[1:]
        previous = chunk
    yield previous


def at_once(chunks: Any) -> list[bytes]:
    return [b"".join(chunks)]


def stops_early(chunks: Any) -> Iterator[bytes]:
    yield next(chunks)
    yield b"!"


def survives(chunks: Any) -> Iterator[bytes]:
    try:
        yield from chunks
    except ConnectionError:
        yield b"!"


def raises(chunks: Any) -> Iterator[bytes]:
    yield next(chunks)
    yield b"half"
    raise KeyError("delta")


def raises_when_called(_chunks: Any) -> Iterator[bytes]:
    raise KeyError("delta")


def refuses(chunks: Any) -> Iterator[bytes]:
    yield next(chunks)
    raise Refused("not this one")


def unsupported(_chunks: Any) -> Iterator[bytes]:
    raise Unsupported("no streams")
    yield b""


def unsupported_late(chunks: Any) -> Iterator[bytes]:
    yield next(chunks)
    raise Unsupported("no such streams")


def bytes_that_are_no_text(_chunks: Any) -> Iterator[bytes]:
    yield bytes(range(256))
    yield b"\xe2\x80"


METHODS: dict[str, Callable[[Any], Any]] = {
    method.__name__: method
    for method in (
        upper,
        upper_async,
        upper_later,
        before_anything,
        one_behind,
        at_once,
        stops_early,
        survives,
        raises,
        raises_when_called,
        refuses,
        unsupported,
        unsupported_late,
        bytes_that_are_no_text,
    )
}


class Translator:
    """A session per method: the client's model of the route names it."""

    name, version = "generators", str(os.getpid())

    def open(self, route: Any) -> Any:
        class Session:
            losses = ("reasoning",)

            def stream(self, chunks: Any) -> Any:
                return METHODS[route.client_model](chunks)

        return Session()
