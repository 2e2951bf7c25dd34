"""From one stream to another, as it comes: bytes in, bytes out, and in between what happens to the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from . import failures, sse
from .deltas import END, Closed, Delta, Failed, Grown, Opened
from .intermediate import Body, UniversalToolCall
from .jsontext import dump, parse


class Decoder(Protocol):
    """What a format reads a stream with; ``done`` is told whether ``[DONE]`` said so."""

    def event(self, body: Body, /) -> Iterator[Delta]: ...

    def done(self, *, marked: bool) -> Iterator[Delta]: ...


class Encoder(Protocol):
    """What a format writes a stream with: names and data of events. ``kept`` is the whole reply, where it has it."""

    @property
    def kept(self) -> Body | None: ...

    def encode(self, delta: Delta, /) -> Iterator[tuple[str, Body | str]]: ...


Between = Callable[[Delta], Iterator[Delta]]


def translate(
    chunks: Iterable[bytes], decoder: Decoder, between: Between, encoder: Encoder, newline: str
) -> Iterator[bytes]:
    """One piece of output for each piece of input that says something.

    A source that just ends before its reply did becomes an error of the client's format; one that raises raises, when
    what was read has gone out. After the end of the reply nothing more is read.
    """
    ended = False
    for deltas in _read(chunks, decoder):
        written = bytearray()
        problem: Exception | None = None
        try:
            for delta in deltas:
                for said in between(delta):
                    for name, data in encoder.encode(said):
                        written += sse.frame(name, data if isinstance(data, str) else dump(data), newline)
                ended = isinstance(delta, END)
                if ended:
                    break
        except Exception as error:
            problem = error
        if written:
            yield bytes(written)
        if problem is not None:
            raise problem
        if ended:
            return


def _read(chunks: Iterable[bytes], decoder: Decoder) -> Iterator[Iterator[Delta]]:
    parser = sse.Parser()
    for chunk in chunks:
        events = parser.feed(chunk)
        if events:
            yield (delta for event in events for delta in _event(event, decoder))
    yield _rest(parser, decoder)


def _rest(parser: sse.Parser, decoder: Decoder) -> Iterator[Delta]:
    rest = parser.end()
    if rest is not None and rest.is_whole:  # it lacks only the blank line behind it
        yield from _event(rest, decoder)
    yield from decoder.done(marked=False)
    yield Failed(failures.cut())


def _event(event: sse.Event, decoder: Decoder) -> Iterator[Delta]:
    if event.data is None or not event.data.strip():
        return
    if event.data == sse.DONE:
        yield from decoder.done(marked=True)
        return
    try:
        body = parse(event.data)
    except ValueError:
        body = None
    if isinstance(body, dict):
        yield from decoder.event(body)
    else:
        yield Failed(
            failures.Failure("server_error", 502, "the provider's stream holds an event that is no JSON object")
        )


class Restored:
    """Gives calls the client's names, and makes calls of free-text tools of the functions that stand for them upstream.

    ``restore`` is told of a call when it is opened, and says whether it is such a call; ``free`` when it is whole.
    """

    def __init__(self, restore: Callable[[UniversalToolCall], bool], free: Callable[[UniversalToolCall], None]) -> None:
        self._restore, self._free = restore, free
        self._freed: set[int] = set()

    def __call__(self, delta: Delta) -> Iterator[Delta]:
        if isinstance(delta, Opened) and isinstance(delta.item, UniversalToolCall):
            if self._restore(delta.item):
                self._freed.add(delta.place)
                delta = Opened(delta.place, replace(delta.item, kind="custom"))
        elif isinstance(delta, Grown) and delta.place in self._freed:
            return
        elif isinstance(delta, Closed) and isinstance(delta.item, UniversalToolCall) and delta.place in self._freed:
            self._free(delta.item)
            yield Grown(delta.place, delta.item.text or "")
        yield delta


def same(chunks: Iterable[bytes], model_path: tuple[str, ...], model: str, newline: str) -> Iterator[bytes]:
    """A stream of the client's own format: every block as it stood, the model aside, as far as the source came."""
    parser = sse.Parser()
    for chunk in chunks:
        written = b"".join(_same(event, model_path, model, newline) for event in parser.feed(chunk))
        if written:
            yield written
    rest = parser.end()
    if rest is not None and rest.is_whole:
        yield _same(rest, model_path, model, newline)
    elif rest is not None:
        yield newline.join(rest.lines).encode("utf-8", "surrogatepass")


def _same(event: sse.Event, model_path: tuple[str, ...], model: str, newline: str) -> bytes:
    try:
        body = parse(event.data) if event.data and f'"{model_path[-1]}"' in event.data else None
    except ValueError:
        body = None
    holder = body
    for key in model_path[:-1]:
        holder = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(holder, dict) or holder.get(model_path[-1]) in (None, model):
        return sse.reframe(event.lines, newline)
    holder[model_path[-1]] = model
    return sse.frame(event.name, dump(body), newline)
