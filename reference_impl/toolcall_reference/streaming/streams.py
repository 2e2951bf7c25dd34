"""From one stream to another, as it comes: bytes in, bytes out, and in between what happens to the reply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from toolcall_reference.basics.jsontext import dump, parse
from toolcall_reference.conversation import failures
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body, UniversalToolCall
from toolcall_reference.policy import KeyRenamer, ReplyPolicy
from toolcall_reference.streaming import sse
from toolcall_reference.streaming.deltas import END_DELTAS, Delta, ItemClosed, ItemOpened, ItemPiece, ReplyFailed


class Decoder(Protocol):
    """What a format reads a stream with; ``done`` is told whether ``[DONE]`` said so."""

    def decode_event(self, body: Body, /) -> Iterable[Delta]: ...

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]: ...


class Encoder(Protocol):
    """What a format writes a stream with: names and data of events. ``kept`` is the whole reply, where it has it."""

    @property
    def whole_reply(self) -> Body | None: ...

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body | str]]: ...


DeltaFilter = Callable[[Delta], Iterable[Delta]]
OnWritten = Callable[[Delta], None]


class StreamTranslator(Protocol):
    """A stream that is being translated: pieces go in, pieces come out.

    ``ended``: the reply is over, and nothing more is read. ``problem`` is what ended it in the middle, to be raised
    when what :meth:`feed` returned has gone out.
    """

    is_ended: bool
    problem: Exception | None

    def feed(self, chunk: bytes, /) -> bytes: ...

    def end(self) -> bytes: ...

    def fail(self, failure: Failure, /) -> bytes: ...


def translate_stream(chunks: Iterable[bytes], pouring: StreamTranslator) -> Iterator[bytes]:
    """One piece of output for each piece of input that says something. Raises what the source raises, and problems."""
    source = iter(chunks)
    while not pouring.is_ended:
        chunk = next(source, None)
        written = pouring.end() if chunk is None else pouring.feed(chunk)
        if written:
            yield written
        if pouring.problem is not None:
            raise pouring.problem


class CrossFormatTranslator:
    """A stream of another format. A source that just ends before its reply did becomes an error of the client's.

    ``between`` makes the client's of what the provider said, and ``told`` hears of it when it is written.
    """

    def __init__(
        self, decoder: Decoder, between: DeltaFilter, encoder: Encoder, listener: OnWritten, newline: str
    ) -> None:
        self.is_ended = False
        self.problem: Exception | None = None
        self._decoder, self._between, self._encoder, self._newline = decoder, between, encoder, newline
        self._told = listener
        self._parser = sse.Parser()

    def feed(self, chunk: bytes, /) -> bytes:
        """What the client is told behind ``chunk``."""
        events = self._parser.feed(chunk)
        if not events:  # as behind nearly each piece of a stream that is cut finely
            return b""
        return self._written(delta for event in events for delta in _event(event, self._decoder))

    def end(self) -> bytes:
        """What the client is told when the source has ended."""
        written = self._written(_rest(self._parser, self._decoder))
        self.is_ended = True
        return written

    def fail(self, failure: Failure, /) -> bytes:
        """What tells the client of a failure that is not in the source; nothing behind the end of the reply."""
        if self.is_ended and self.problem is None:
            return b""
        self.is_ended, self.problem = False, None
        return self._written([ReplyFailed(failure)])

    def _written(self, deltas: Iterable[Delta]) -> bytes:
        written: list[bytes] = []
        encode, newline = self._encoder.encode_delta, self._newline
        try:
            for delta in () if self.is_ended else deltas:
                for output in self._between(delta):
                    for name, data in encode(output):
                        written.append(sse.frame(name, data if isinstance(data, str) else dump(data), newline))
                    self._told(output)
                if isinstance(delta, END_DELTAS):
                    self.is_ended = True
                    break
        except Exception as error:
            self.is_ended, self.problem = True, error
        return b"".join(written)


def read_deltas(chunks: Iterable[bytes], decoder: Decoder) -> Iterator[Delta]:
    """All that a stream tells, up to the end of its reply or of its bytes."""
    parser = sse.Parser()
    for chunk in chunks:
        for event in parser.feed(chunk):
            yield from _event(event, decoder)
    yield from _rest(parser, decoder)


def _rest(parser: sse.Parser, decoder: Decoder) -> Iterator[Delta]:
    rest = parser.end()
    if rest is not None and rest.is_whole:  # it lacks only the blank line behind it
        yield from _event(rest, decoder)
    yield from decoder.decode_end(is_marked=False)
    yield ReplyFailed(failures.cut_stream())


def _event(event: sse.Event, decoder: Decoder) -> Iterable[Delta]:
    if event.data is None or not event.data.strip() or event.name == sse.PING:
        return ()
    if event.data == sse.DONE:
        return decoder.decode_end(is_marked=True)
    try:
        body = parse(event.data)
    except ValueError:
        body = None
    if isinstance(body, dict):
        return decoder.decode_event(body)
    if event.data.strip() == "null":  # says nothing: https://github.com/Kilo-Org/kilocode/pull/3083
        return ()
    return [ReplyFailed(Failure("server_error", 502, "the provider's stream holds an event that is no JSON object"))]


class CallRestorer:
    """Makes the provider's calls the client's: names, parameters, and free text where a function stood for it.

    ``restore`` is told of a call when it is opened, and says whether it is such a text; ``free`` when it is whole.
    ``applied`` renames the parameters.
    """

    def __init__(
        self,
        restore: Callable[[UniversalToolCall], bool],
        free: Callable[[UniversalToolCall], None],
        applied: ReplyPolicy,
    ) -> None:
        self._restore, self._free, self._applied = restore, free, applied
        self._freed: set[int] = set()
        self._renamers: dict[int, KeyRenamer] = {}

    def __call__(self, delta: Delta) -> Iterable[Delta]:
        if isinstance(delta, ItemPiece) and not (self._freed or self._renamers):
            return (delta,)
        return list(self._restored(delta))

    def _restored(self, delta: Delta) -> Iterator[Delta]:
        if isinstance(delta, ItemOpened) and isinstance(delta.item, UniversalToolCall):
            freed = self._restore(delta.item)
            renamer = self._applied.argument_renamer(delta.item.name)
            if freed:
                self._freed.add(delta.place)
                delta = ItemOpened(delta.place, replace(delta.item, kind="custom"))
            elif renamer is not None:
                self._renamers[delta.place] = renamer
        elif isinstance(delta, ItemPiece) and delta.place in self._freed:
            return
        elif isinstance(delta, ItemPiece) and delta.place in self._renamers:
            delta = ItemPiece(delta.place, self._renamers[delta.place].feed(delta.text))
            if not delta.text:
                return
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self._applied.restore_call(delta.item)
            if delta.place in self._freed:
                self._free(delta.item)
                yield ItemPiece(delta.place, delta.item.text or "")
        yield delta


class SameFormatTranslator:
    """A stream of the client's own format: every block as it stood, the model aside, as far as the source came."""

    problem: Exception | None = None

    def __init__(self, model_path: tuple[str, ...], model: str, newline: str) -> None:
        self.is_ended = False
        self._model_path, self._model, self._newline = model_path, model, newline
        self._parser = sse.Parser()

    def feed(self, chunk: bytes, /) -> bytes:
        """The blocks that ``chunk`` completes."""
        return b"".join(self._block(event) for event in self._parser.feed(chunk))

    def end(self) -> bytes:
        """What stands behind the last whole block."""
        self.is_ended = True
        rest = self._parser.end()
        if rest is None:
            return b""
        if rest.is_whole:
            return self._block(rest)
        return self._newline.join(rest.lines).encode("utf-8", "surrogatepass")

    def fail(self, failure: Failure, /) -> bytes:
        """Nothing: the client's own provider speaks here, or nobody."""
        del failure
        self.is_ended = True
        return b""

    def _block(self, event: sse.Event) -> bytes:
        return _same(event, self._model_path, self._model, self._newline)


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
