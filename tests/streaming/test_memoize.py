"""What is remembered of pure functions of bytes."""

from __future__ import annotations

from toolcall_conformance import formats
from toolcall_conformance.basics import streaming
from toolcall_conformance.basics.memoize import MAX_MEMOIZED_BYTES, memoize


def test_equal_arguments_are_worked_on_once_and_long_ones_are_not_kept() -> None:
    calls: list[bytes] = []

    @memoize(2)
    def record_call(name: str, data: bytes) -> list[str]:
        calls.append(data)
        return [name]

    assert record_call("a", b"x") is record_call("a", bytes([120]))
    long = b"x" * MAX_MEMOIZED_BYTES
    assert record_call("a", long) is not record_call("a", long)
    assert calls == [b"x", long, long]


def test_a_stream_is_read_once_and_as_it_is_parsed() -> None:
    stream = b'data: {"a": 1}\n\ndata: [DONE]\n\n'
    assert streaming.read(stream) == streaming.parse(stream)
    assert streaming.read(stream) is streaming.read(bytes(stream))
    assert formats.assemble_bytes("openai_chat", stream) == formats.assemble("openai_chat", streaming.parse(stream))
