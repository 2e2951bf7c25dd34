"""Adapts translators that read and yield events (dicts, or objects of an SDK) instead of bytes::

    from toolcall_conformance import events

    class MySession:
        def __init__(self, route):
            self.route = route

        @events.stream
        def stream(self, upstream):           # or `async def`, and `async for`
            for event in upstream:            # dicts: the JSON of each event
                yield from my_translation(event)

The decorated method reads the upstream's bytes and yields the client's, one event at a time. It passes each event on
as soon as it is complete, and frames what the translation yields as the client's API does. A broken connection raises
where the translation reads the next event, as with an HTTP client.

This module imports no SDK. It recognises objects by their ``model_dump`` (pydantic: those of openai, anthropic and
google-genai) or ``to_dict``.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from enum import Enum
from typing import Any, Protocol, overload

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming.decoder import Decoder
from toolcall_conformance.basics.streaming.lines import Lines
from toolcall_conformance.library import default_root, read_json

Event = Any
"""The JSON of an event's data, a dict; or an object of an SDK."""

Construct = Callable[[Any], Event]
"""Makes an SDK's object of such a dict; if it returns None, the event is skipped."""

Translate = Callable[["Events"], Any]
"""Translates the upstream's events into the client's: a generator function, sync or async, or one that returns all."""


Method = Callable[[Any, Any], Any]
"""A session's ``stream``."""


class UpstreamError(Exception):
    """The upstream sent an error in its stream; ``data`` is its JSON. Raised where the SDKs raise."""

    def __init__(self, data: Any) -> None:
        super().__init__(f"the upstream sent an error: {json.dumps(data, ensure_ascii=False)[:300]}")
        self.data = data


class EventError(ValueError):
    """An event is not JSON, or of a type that cannot be written as JSON; the message says which and why."""


class Handler(Protocol):
    """A translator with callbacks, for :func:`each`. ``finish`` may be missing; both may be async."""

    def event(self, event: Event, /) -> Any:
        """Return the client's events for one of the upstream's: a list, a single event, or None."""

    def finish(self) -> Any:
        """Return the last events once the upstream's stream has ended; not called if it broke off."""


class Events:
    """An upstream's events, read by ``for`` or ``async for`` while its bytes arrive; see :func:`read`."""

    def __init__(self, chunks: Any, construct: Construct | None = None) -> None:
        self._chunks = chunks
        self._iterator: Any = None
        self._construct = construct
        self._decoder = Decoder()
        self._count = 0
        self._ended = False

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        while not self._ended:
            has_event, event = self._next_event()
            if has_event:
                return event
            if not self._ended:
                self._feed(next(self._iterate_chunks("__iter__"), None))
        raise StopIteration

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        if not hasattr(self._chunks, "__aiter__"):
            try:
                return self.__next__()
            except StopIteration:
                raise StopAsyncIteration from None
        while not self._ended:
            has_event, event = self._next_event()
            if has_event:
                return event
            if not self._ended:
                self._feed(await anext(self._iterate_chunks("__aiter__"), None))
        raise StopAsyncIteration

    def _iterate_chunks(self, method: str) -> Any:
        if self._iterator is None:
            if not hasattr(self._chunks, method):
                raise TypeError("the upstream's bytes arrive asynchronously: make the translation `async def`")
            self._iterator = getattr(self._chunks, method)()
        return self._iterator

    def _feed(self, piece: bytes | None) -> None:
        if piece is None:
            self._ended = True  # the standard drops an incomplete event at the end
        else:
            self._decoder.feed(piece)

    def _next_event(self) -> tuple[bool, Event]:
        """Decode the next event: whether the bytes so far hold one, and the event."""
        while (block := self._decoder.take()) is not None:
            self._count += 1
            data = block["data"]
            if data == "[DONE]":
                self._ended = True
                return False, None
            if isinstance(data, str):
                data = self._parse_leniently(data)
            if self._construct is None:
                return True, data
            if is_error(data):
                raise UpstreamError(data)
            event = self._construct(data)
            if event is not None:
                return True, event
        return False, None

    def _parse_leniently(self, text: str) -> Any:
        """Parse JSON that our strict parser refuses: a repeated key, NaN."""
        try:
            return json.loads(text)
        except ValueError as error:
            raise EventError(f"event {self._count} of the upstream is not JSON ({error}): {text[:100]!r}") from None


def read(chunks: Any, construct: Construct | None = None) -> Events:
    """Read the events of an upstream's stream, bytes in any pieces, by ``for`` or ``async for``.

    Each event is the JSON of its data, of which the SDKs make objects. ``[DONE]`` ends the stream. ``construct`` makes
    an object of each event; the upstream's errors then raise :class:`UpstreamError`, and without it they are events
    like others. An event that is not JSON raises :class:`EventError`. Exceptions of ``chunks`` are passed on.
    """
    return Events(chunks, construct)


def lines(chunks: Any) -> Lines:
    """Read the lines of an upstream's stream, bytes in any pieces, by ``for`` or ``async for``; see :class:`Lines`."""
    return Lines(chunks)


def is_error(data: Any) -> bool:
    """Whether the SDKs raise at an event: it has the key ``error``. (They do not raise for the type ``error``.)"""
    return isinstance(data, Mapping) and bool(data.get("error"))


def as_json(event: Event) -> dict[str, Any]:
    """Return a dict, or an SDK's object, as JSON with the keys that were set, named as in the API.

    Bytes become base64 with ``+`` and ``/``, as in the APIs. Pydantic would write another text, and signatures are
    compared as texts. Raises EventError.
    """
    is_known = isinstance(event, Mapping) or hasattr(event, "model_dump") or hasattr(event, "to_dict")
    plain = _plain_json(event) if is_known and not isinstance(event, type) else None
    if not isinstance(plain, dict):
        name = "None" if event is None else f"an object of type {type(event).__name__}"
        raise EventError(f"the translation gave {name}; events are dicts, or objects with `model_dump` or `to_dict`")
    return plain


def _plain_json(value: Any) -> Any:
    """Convert a value of an event to JSON. Raises EventError."""
    if isinstance(value, Mapping):
        return {key: _plain_json(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_json(inner) for inner in value]
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, (date, datetime)):
        return value.isoformat().replace("+00:00", "Z")
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return _plain_json(dump(mode="python", by_alias=True, exclude_unset=True, warnings=False))
    if callable(dump := getattr(value, "to_dict", None)) and not isinstance(value, type):
        return _plain_json(dump())
    raise EventError(f"in an event there is an object of type {type(value).__name__}, which has no JSON")


class Framing:
    """Frames events as an API does. Raises LookupError for a format that is not in the corpus."""

    def __init__(self, client: str) -> None:
        path = default_root() / "formats" / client / "transport.json"
        if not path.is_file():
            raise LookupError(f"there is no format {client!r}")
        self._client = client
        stream = read_json(path)["stream"]
        # If an API names its events, the name is their type. The corpus's error event of that API shows whether it
        # does.
        self._names_events = "event" in stream["error"]
        self._last_data: str | None = stream.get("last")

    def encode(self, event: Event) -> bytes:
        """Return the bytes of an event. Raises EventError."""
        data = as_json(event)
        name = data.get("type")
        if self._names_events and not isinstance(name, str):
            raise EventError(
                f"an event of {self._client} has a `type`, which is its name, too; this one has none: {data}"
            )
        try:
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise EventError(f"an event of {self._client} cannot be written as JSON: {error}") from None
        head = f"event: {name}\n" if self._names_events else ""
        try:
            return f"{head}data: {text}\n\n".encode()
        except UnicodeEncodeError:  # half a surrogate pair: JSON can escape it, UTF-8 cannot encode it
            return f"{head}data: {json.dumps(data)}\n\n".encode()

    def end(self, last: Event) -> bytes:
        """Return what an API sends after the last event, which is nothing after an error."""
        failed = last is not None and is_error(as_json(last))
        return f"data: {self._last_data}\n\n".encode() if self._last_data and not failed else b""


def translated(
    chunks: Any, route: Route, translate: Translate, construct: Construct | Mapping[str, Construct] | None = None
) -> Iterator[bytes] | AsyncIterator[bytes]:
    """Return the client's bytes for the upstream's, as a session's ``stream`` does.

    ``translate`` reads the upstream's events (see :func:`read`) and yields the client's: dicts or an SDK's objects. If
    it is an async generator or ``async def``, the result is async, too. ``construct`` makes an SDK's object of each of
    the upstream's events; a mapping has one for each format of an upstream, by name.
    """
    maker = construct.get(route.upstream) if isinstance(construct, Mapping) else construct
    framing = Framing(route.client)
    result = translate(read(chunks, maker))
    if hasattr(result, "__aiter__") or inspect.isawaitable(result):
        return _encode_async(result, framing)
    return _encode_events(_as_iterable(result), framing)


@overload
def stream(method: Method, /) -> Method: ...


@overload
def stream(*, construct: Construct | Mapping[str, Construct] | None = None) -> Callable[[Method], Method]: ...


def stream(method: Method | None = None, *, construct: Construct | Mapping[str, Construct] | None = None) -> Any:
    """Make a session's ``stream`` of a method that takes and yields events; the session has its ``route``.

    As ``@events.stream`` or ``@events.stream(construct=…)``; see :func:`translated`.
    """
    if method is None:
        return functools.partial(stream, construct=construct)
    inner = method

    @functools.wraps(inner)
    def stream_bytes(self: Any, chunks: Any) -> Iterator[bytes] | AsyncIterator[bytes]:
        return translated(chunks, self.route, functools.partial(inner, self), construct)

    return stream_bytes


def each(handler: Any) -> Translate:
    """Make a translation for :func:`translated` of callbacks (see :class:`Handler`)."""

    def translate_events(upstream: Events) -> Iterator[Event]:
        for event in upstream:
            yield from _as_iterable(handler.event(event))
        yield from _as_iterable(finish())

    async def translate_async(upstream: Events) -> AsyncIterator[Event]:
        async for event in upstream:
            for item in _as_iterable(await _await_if_needed(handler.event(event))):
                yield item
        for item in _as_iterable(await _await_if_needed(finish())):
            yield item

    finish = getattr(handler, "finish", lambda: None)
    is_async = inspect.iscoroutinefunction(handler.event) or inspect.iscoroutinefunction(finish)
    return translate_async if is_async else translate_events


def _as_iterable(output: Any) -> Iterable[Event]:
    """Make an iterable of several events, a single one, or None."""
    if output is None:
        return ()
    alone = isinstance(output, (Mapping, str, bytes)) or hasattr(output, "model_dump") or hasattr(output, "to_dict")
    return (output,) if alone or not isinstance(output, Iterable) else output


async def _await_if_needed(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def _encode_events(events: Iterable[Event], framing: Framing) -> Iterator[bytes]:
    last = None
    # Close the generator as soon as the reader stops, and not when it is garbage-collected.
    with contextlib.ExitStack() as stack:
        if inspect.isgenerator(events):
            stack.enter_context(contextlib.closing(events))
        for last in events:
            yield framing.encode(last)
    if end := framing.end(last):
        yield end


async def _encode_async(events: Any, framing: Framing) -> AsyncIterator[bytes]:
    if inspect.isawaitable(events):
        events = await events
    if not hasattr(events, "__aiter__"):
        for piece in _encode_events(_as_iterable(events), framing):
            yield piece
        return
    last = None
    async with contextlib.AsyncExitStack() as stack:
        if inspect.isasyncgen(events):
            await stack.enter_async_context(contextlib.aclosing(events))
        async for last in events:
            yield framing.encode(last)
    if end := framing.end(last):
        yield end
