"""The reference with one fault each in its streams; two drivers play it, and the results are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_reference import ReferenceTranslator


class Changed:
    """The reference with another ``stream``: ``change(the reference's own stream, chunks)``."""

    name, version = "changed", "1"

    def open(self, route: Any) -> Any:
        inner = ReferenceTranslator().open(route)
        change = self.change

        class Session:
            request = inner.request
            response = inner.response

            def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
                return change(inner.stream, chunks)

        return Session()

    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield from stream(chunks)


class AtOnce(Changed):
    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield b"".join(stream(list(chunks)))


class AsText(Changed):
    """Decodes each piece for itself."""

    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield from stream(chunk.decode("utf-8", "replace").encode() for chunk in chunks)


class SwallowsErrors(Changed):
    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        try:
            for piece in stream(chunks):
                if b"event: error" not in piece:
                    yield piece
        except ConnectionError:
            pass


class EndsWhatBrokeOff(Changed):
    """Makes an end in order for every stream (Anthropic's events)."""

    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        out = b""
        try:
            for piece in stream(chunks):
                if b"event: error" in piece:
                    break
                out += piece
                yield piece
        except ConnectionError:
            pass
        if b"message_stop" in out or b"message_start" not in out:
            return
        started, stopped = (set(re.findall(rb'_%b".*?"index":(\d+)' % kind, out)) for kind in (b"start", b"stop"))
        for index in sorted(started - stopped):
            yield b'event: content_block_stop\ndata: {"type":"content_block_stop","index":%b}\n\n' % index
        yield (
            b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence"'
            b':null},"usage":{"output_tokens":1}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
        )


class Raises(Changed):
    """Cannot do with the arguments of calls."""

    def change(self, stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for piece in stream(chunks):
            if b"input_json_delta" in piece:
                raise KeyError("partial_json")
            yield piece
