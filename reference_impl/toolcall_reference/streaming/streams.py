"""Translation of streams: bytes in, deltas of the reply in between, bytes out."""

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
    """Decodes a format's stream; ``is_marked`` says whether ``[DONE]`` ended it."""

    def decode_event(self, body: Body, /) -> Iterable[Delta]: ...

    def decode_end(self, *, is_marked: bool) -> Iterable[Delta]: ...


class Encoder(Protocol):
    """Encodes a stream as names and data of events. ``whole_reply`` is the final reply if the format sends it."""

    @property
    def whole_reply(self) -> Body | None: ...

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body | str]]: ...


DeltaFilter = Callable[[Delta], Iterable[Delta]]
OnWritten = Callable[[Delta], None]


class StreamTranslator(Protocol):
    """Translates a stream piece by piece.

    ``is_ended``: the reply is over, and nothing more is read. ``problem`` is an error that ended it early, to be raised
    after the output of :meth:`feed` is sent.
    """

    is_ended: bool
    problem: Exception | None

    def feed(self, chunk: bytes, /) -> bytes: ...

    def end(self) -> bytes: ...

    def fail(self, failure: Failure, /) -> bytes: ...


def translate_stream(chunks: Iterable[bytes], translator: StreamTranslator) -> Iterator[bytes]:
    """Run ``translator`` over the source's pieces. Raises what the source raises, and the translator's problem."""
    source = iter(chunks)
    while not translator.is_ended:
        chunk = next(source, None)
        output_bytes = translator.end() if chunk is None else translator.feed(chunk)
        if output_bytes:
            yield output_bytes
        if translator.problem is not None:
            raise translator.problem


class CrossFormatTranslator:
    """Translates a stream to another format. A source that ends before its reply becomes an error event.

    ``delta_filter`` restores the client's names, and ``on_written`` is called with each delta when it is written.
    """

    def __init__(
        self, decoder: Decoder, delta_filter: DeltaFilter, encoder: Encoder, on_written: OnWritten, newline: str
    ) -> None:
        self.is_ended = False
        self.problem: Exception | None = None
        self._decoder, self._filter, self._encoder, self._newline = decoder, delta_filter, encoder, newline
        self._on_written = on_written
        self._parser = sse.Parser()

    def feed(self, chunk: bytes, /) -> bytes:
        """The output after ``chunk``."""
        events = self._parser.feed(chunk)
        if not events:  # as for most pieces of a finely cut stream
            return b""
        return self._encode_deltas(delta for event in events for delta in _decode_sse_event(event, self._decoder))

    def end(self) -> bytes:
        """The output after the end of the source."""
        output_bytes = self._encode_deltas(_read_rest(self._parser, self._decoder))
        self.is_ended = True
        return output_bytes

    def fail(self, failure: Failure, /) -> bytes:
        """The output that reports a failure outside the source; empty after the end of the reply."""
        if self.is_ended and self.problem is None:
            return b""
        self.is_ended, self.problem = False, None
        return self._encode_deltas([ReplyFailed(failure)])

    def _encode_deltas(self, deltas: Iterable[Delta]) -> bytes:
        """Encode deltas up to the end of the reply; an error is stored in ``problem``."""
        output_bytes: list[bytes] = []
        encode, newline = self._encoder.encode_delta, self._newline
        try:
            for delta in () if self.is_ended else deltas:
                for output in self._filter(delta):
                    for name, data in encode(output):
                        output_bytes.append(sse.frame(name, data if isinstance(data, str) else dump(data), newline))
                    self._on_written(output)
                if isinstance(delta, END_DELTAS):
                    self.is_ended = True
                    break
        except Exception as error:
            self.is_ended, self.problem = True, error
        return b"".join(output_bytes)


def read_deltas(chunks: Iterable[bytes], decoder: Decoder) -> Iterator[Delta]:
    """The deltas of a stream, up to the end of its reply or of its bytes."""
    parser = sse.Parser()
    for chunk in chunks:
        for event in parser.feed(chunk):
            yield from _decode_sse_event(event, decoder)
    yield from _read_rest(parser, decoder)


def _read_rest(parser: sse.Parser, decoder: Decoder) -> Iterator[Delta]:
    rest = parser.end()
    if rest is not None and rest.is_whole:  # only its final blank line is missing
        yield from _decode_sse_event(rest, decoder)
    yield from decoder.decode_end(is_marked=False)
    yield ReplyFailed(failures.cut_stream())


def _decode_sse_event(event: sse.Event, decoder: Decoder) -> Iterable[Delta]:
    """The deltas of an event; a failure if its data is not a JSON object."""
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
    if event.data.strip() == "null":  # empty: https://github.com/Kilo-Org/kilocode/pull/3083
        return ()
    return [ReplyFailed(Failure("server_error", 502, "the provider's stream holds an event that is no JSON object"))]


class CallRestorer:
    """Restores the client's calls in a stream: names, parameters, and free text for functions that stand for it.

    ``restore_call`` gets an opened call and returns whether it is a free-text call; ``to_free_text`` gets it complete.
    ``policy`` renames the parameters.
    """

    def __init__(
        self,
        restore_call: Callable[[UniversalToolCall], bool],
        to_free_text: Callable[[UniversalToolCall], None],
        policy: ReplyPolicy,
    ) -> None:
        self._restore_call, self._to_free_text, self._policy = restore_call, to_free_text, policy
        self._free_text_places: set[int] = set()
        self._renamers: dict[int, KeyRenamer] = {}

    def __call__(self, delta: Delta) -> Iterable[Delta]:
        if isinstance(delta, ItemPiece) and not (self._free_text_places or self._renamers):
            return (delta,)
        return list(self._restore_delta(delta))

    def _restore_delta(self, delta: Delta) -> Iterator[Delta]:
        """Restore names, parameters and free text in a delta."""
        if isinstance(delta, ItemOpened) and isinstance(delta.item, UniversalToolCall):
            is_free_text = self._restore_call(delta.item)
            renamer = self._policy.argument_renamer(delta.item.name)
            if is_free_text:
                self._free_text_places.add(delta.place)
                delta = ItemOpened(delta.place, replace(delta.item, kind="custom"))
            elif renamer is not None:
                self._renamers[delta.place] = renamer
        elif isinstance(delta, ItemPiece) and delta.place in self._free_text_places:
            return
        elif isinstance(delta, ItemPiece) and delta.place in self._renamers:
            delta = ItemPiece(delta.place, self._renamers[delta.place].feed(delta.text))
            if not delta.text:
                return
        elif isinstance(delta, ItemClosed) and isinstance(delta.item, UniversalToolCall):
            self._policy.restore_call(delta.item)
            if delta.place in self._free_text_places:
                self._to_free_text(delta.item)
                yield ItemPiece(delta.place, delta.item.text or "")
        yield delta


class SameFormatTranslator:
    """Passes a stream of the client's own format through unchanged, except for the model name."""

    problem: Exception | None = None

    def __init__(self, model_path: tuple[str, ...], model: str, newline: str) -> None:
        self.is_ended = False
        self._model_path, self._model, self._newline = model_path, model, newline
        self._parser = sse.Parser()

    def feed(self, chunk: bytes, /) -> bytes:
        """The blocks that ``chunk`` completes."""
        return b"".join(self._translate_block(event) for event in self._parser.feed(chunk))

    def end(self) -> bytes:
        """The rest after the last complete block."""
        self.is_ended = True
        rest = self._parser.end()
        if rest is None:
            return b""
        if rest.is_whole:
            return self._translate_block(rest)
        return self._newline.join(rest.lines).encode("utf-8", "surrogatepass")

    def fail(self, failure: Failure, /) -> bytes:
        """Empty: only the client's own provider writes this stream."""
        del failure
        self.is_ended = True
        return b""

    def _translate_block(self, event: sse.Event) -> bytes:
        return _replace_model(event, self._model_path, self._model, self._newline)


def _replace_model(event: sse.Event, model_path: tuple[str, ...], model: str, newline: str) -> bytes:
    """The bytes of an event with another model name; unchanged if it has none."""
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
