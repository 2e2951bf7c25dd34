"""The helpers for translators of events: their input, their output, and when it comes."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from enum import Enum
from typing import Any

import pytest

from toolcall_conformance import events
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.library import load_corpus

FORMATS = load_corpus().formats
TYPED = {"type": "x", "text": "größer\u2028😀"}


def route(client: str = "gemini", upstream: str = "gemini") -> Route:
    return Route(client, upstream, "a", "b", stream=True)


def split_bytes(data: bytes, size: int = 3) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def run_translation(*arguments: Any) -> Any:
    """An iterator of bytes, or an async one."""
    return events.translated(*arguments)


def pass_events(upstream: Any) -> Iterator[Any]:
    yield from upstream


async def pass_events_async(upstream: Any) -> AsyncIterator[Any]:
    async for event in upstream:
        yield event


async def pieces_async(pieces: list[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        await asyncio.sleep(0)
        yield piece


async def join_pieces(pieces: Any) -> bytes:
    return b"".join([piece async for piece in pieces])


STREAM = dump([{"event": "a", "data": {"a": 1}}, {"data": {"b": [2.5, None]}}, {"data": "[DONE]"}, {"data": {"c": 3}}])


def test_events_come_as_dicts_and_done_ends_them() -> None:
    assert list(events.read(split_bytes(STREAM))) == [{"a": 1}, {"b": [2.5, None]}]


def test_events_come_asynchronously() -> None:
    async def read(chunks: Any) -> list[Any]:
        return [event async for event in events.read(chunks)]

    assert asyncio.run(read(pieces_async(split_bytes(STREAM)))) == [{"a": 1}, {"b": [2.5, None]}]
    assert asyncio.run(read(split_bytes(STREAM))) == [{"a": 1}, {"b": [2.5, None]}]


def test_each_event_comes_with_its_last_byte() -> None:
    byte_count = 0

    def chunks() -> Iterator[bytes]:
        nonlocal byte_count
        for byte in STREAM:
            byte_count += 1
            yield bytes([byte])

    upstream = events.read(chunks())
    for count in (1, 2):
        next(upstream)
        assert byte_count == len(b"\n\n".join(STREAM.split(b"\n\n")[:count])) + 2


def test_what_is_read_with_a_key_twice_is_read_by_the_sdks() -> None:
    assert list(events.read([b'data: {"a":1,"a":2}\n\n'])) == [{"a": 2}]


def test_an_event_that_is_no_json() -> None:
    upstream = events.read([b"data: 1\n\ndata: {no\n\n"])
    assert next(upstream) == 1
    with pytest.raises(events.EventError, match=r"event 2 of the upstream is not JSON \(.*\): '{no'"):
        next(upstream)


def test_half_an_event_at_the_end_is_dropped() -> None:
    assert list(events.read([b"data: 1\n\ndata: 2\n"])) == [1]


def test_objects_are_constructed_and_errors_raise_as_in_the_sdks() -> None:
    stream = dump([{"data": {"type": "ping"}}, {"data": {"n": 1}}, {"data": {"error": {"message": "busy"}}}])
    upstream = events.read([stream], lambda data: None if data.get("type") == "ping" else ("made", data["n"]))
    assert next(upstream) == ("made", 1)
    with pytest.raises(events.UpstreamError, match="busy") as raised:
        next(upstream)
    assert raised.value.data == {"error": {"message": "busy"}}
    assert list(events.read([stream]))[2] == {"error": {"message": "busy"}}


def test_a_constructor_for_each_upstream() -> None:
    makers = {"gemini": lambda data: {"made": data}}
    for upstream, want in (("gemini", {"made": {"n": 1}}), ("anthropic", {"n": 1})):
        stream = run_translation([dump([{"data": {"n": 1}}])], route("gemini", upstream), pass_events, makers)
        assert parse(b"".join(stream))["events"] == [{"data": want}]


def test_a_lost_source_raises_in_the_translation() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'data: {"n":1}\n\ndata: {'
        raise ConnectionResetError("gone")

    def tells(upstream: Any) -> Iterator[Any]:
        try:
            yield from upstream
        except ConnectionResetError:
            yield {"error": "lost"}

    async def tells_async(upstream: Any) -> AsyncIterator[Any]:
        try:
            async for event in upstream:
                yield event
        except ConnectionResetError:
            yield {"error": "lost"}

    want = [{"data": {"n": 1}}, {"data": {"error": "lost"}}]
    assert parse(b"".join(run_translation(chunks(), route("openai_chat"), tells)))["events"] == want
    output = asyncio.run(join_pieces(run_translation(chunks(), route("openai_chat"), tells_async)))
    assert parse(output)["events"] == want
    broken = run_translation(chunks(), route(), pass_events)
    assert next(broken) == b'data: {"n":1}\n\n'
    with pytest.raises(ConnectionResetError):
        next(broken)


FRAMES = {
    "anthropic": "event: x\ndata: %s\n\n",
    "openai_responses": "event: x\ndata: %s\n\n",
    "openai_chat": "data: %s\n\ndata: [DONE]\n\n",
    "gemini": "data: %s\n\n",
}


@pytest.mark.parametrize("client", FORMATS)
def test_events_are_framed_as_each_api_does(client: str) -> None:
    stream = run_translation([], route(client), lambda _: [TYPED])
    assert b"".join(stream).decode() == FRAMES[client] % '{"type":"x","text":"größer\u2028😀"}'


@pytest.mark.parametrize("client", FORMATS)
def test_the_frames_are_those_of_the_goldens(client: str) -> None:
    path = load_corpus().cases["shell/seed"].exchanges(client)[0].stream_path
    assert path is not None
    golden = path.read_bytes()
    output = b"".join(run_translation(split_bytes(golden), route(client, client), pass_events))
    assert parse(output) == parse(golden)


def test_no_end_after_an_error() -> None:
    failing = run_translation([], route("openai_chat"), lambda _: [TYPED, {"error": {"message": "busy"}}])
    assert b"[DONE]" not in b"".join(failing)


class Colour(Enum):
    RED = "red"


class Model:
    """As pydantic dumps: names are aliases, what was not set is left out."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self, *, mode: str, by_alias: bool, exclude_unset: bool, warnings: bool) -> dict[str, Any]:
        assert (mode, by_alias, exclude_unset, warnings) == ("python", True, True, False)
        return self.fields


class Plain:
    def to_dict(self) -> dict[str, Any]:
        return {"n": 1}


def test_objects_become_json() -> None:
    signature = bytes(range(256))
    document = events.as_json(Model(a=Model(b=(Plain(), Colour.RED)), s=signature, t={"u": None}))
    assert document == {"a": {"b": [{"n": 1}, "red"]}, "s": base64.b64encode(signature).decode(), "t": {"u": None}}
    assert "+" in document["s"]
    assert "/" in document["s"]


@pytest.mark.parametrize(
    ("event", "client", "sentence"),
    [
        (None, "gemini", "the translation gave None; events are dicts, or objects with `model_dump` or `to_dict`"),
        (b"data: 1\n\n", "gemini", "the translation gave an object of type bytes"),
        (7, "gemini", "the translation gave an object of type int"),
        (Model, "gemini", "the translation gave an object of type type"),
        ({"a": object()}, "gemini", "in an event there is an object of type object, which has no JSON"),
        ({"a": float("nan")}, "gemini", "an event of gemini cannot be written as JSON: Out of range"),
        ({"a": 1}, "anthropic", "an event of anthropic has a `type`, which is its name, too; this one has none"),
    ],
)
def test_what_is_no_event(event: Any, client: str, sentence: str) -> None:
    with pytest.raises(events.EventError, match=sentence):
        list(run_translation([], route(client), lambda _: [event]))


def test_half_a_surrogate_pair_is_written_as_json_can() -> None:
    (piece,) = run_translation([], route(), lambda _: [{"a": "\ud83d"}])
    assert json.loads(piece[6:]) == {"a": "\ud83d"}


def test_an_unknown_format() -> None:
    with pytest.raises(LookupError, match="there is no format 'openai'"):
        run_translation([], route("openai"), pass_events)


def test_bytes_that_come_asynchronously_want_an_async_translation() -> None:
    stream = run_translation(pieces_async([b"data: 1\n\n"]), route(), pass_events)
    with pytest.raises(TypeError, match="make the translation `async def`"):
        list(stream)


class Session:
    """What the decorator makes of methods."""

    route = route("openai_chat", "gemini")

    @events.stream
    def plain(self, upstream: Any) -> Iterator[Any]:
        """Translates."""
        yield from upstream

    @events.stream(construct=lambda data: {"made": data})
    async def made(self, upstream: Any) -> AsyncIterator[Any]:
        async for event in upstream:
            yield event

    @events.stream
    async def at_once(self, upstream: Any) -> list[Any]:
        return [event async for event in upstream]


def test_the_decorator() -> None:
    stream = dump([{"data": {"n": 1}}])
    assert Session.plain.__doc__ == "Translates."
    assert b"".join(Session().plain([stream])) == b'data: {"n":1}\n\ndata: [DONE]\n\n'
    assert asyncio.run(join_pieces(Session().made([stream]))) == b'data: {"made":{"n":1}}\n\ndata: [DONE]\n\n'
    assert asyncio.run(join_pieces(Session().at_once(pieces_async([stream])))) == b'data: {"n":1}\n\ndata: [DONE]\n\n'


class Handler:
    def __init__(self) -> None:
        self.finished = False

    def event(self, event: Any) -> Any:
        return {0: None, 1: {"n": 1}, 2: Model(n=2), 3: [{"n": 3}, {"n": 4}]}[event]

    def finish(self) -> Any:
        self.finished = True
        return {"n": 5}


def test_callbacks() -> None:
    stream = dump([{"data": number} for number in range(4)])
    output = b"".join(run_translation(split_bytes(stream), route(), events.each(Handler())))
    assert [event["data"]["n"] for event in parse(output)["events"]] == [1, 2, 3, 4, 5]


def test_finish_is_not_called_after_a_break_and_may_be_missing() -> None:
    def chunks() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        raise ConnectionResetError

    handler = Handler()
    with pytest.raises(ConnectionResetError):
        list(run_translation(chunks(), route(), events.each(handler)))
    assert not handler.finished
    short: Any = type("Short", (), {"event": Handler.event})()
    assert list(run_translation([b"data: 1\n\n"], route(), events.each(short))) == [b'data: {"n":1}\n\n']


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_translation_is_closed_when_its_reader_stops(way: str) -> None:
    closed: list[str] = []

    def sync(upstream: Any) -> Iterator[Any]:
        try:
            yield from upstream
        finally:
            closed.append("sync")

    async def not_sync(upstream: Any) -> AsyncIterator[Any]:
        try:
            async for event in upstream:
                yield event
        finally:
            closed.append("async")

    async def begin() -> None:
        stream: Any = run_translation([b"data: {}\n\n"] * 3, route(), not_sync)
        await anext(stream)
        await stream.aclose()
        assert closed == ["async"]

    if way == "async":
        asyncio.run(begin())
    else:
        references: list[Any] = []  # CPython closes an object without references by itself

        def holding(upstream: Any) -> Any:
            references.append(sync(upstream))
            return references[0]

        stream: Any = run_translation([b"data: {}\n\n"] * 3, route(), holding)
        next(stream)
        stream.close()
        assert closed == ["sync"]
