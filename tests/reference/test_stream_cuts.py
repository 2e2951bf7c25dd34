"""However the bytes of a stream are cut, the output is the same; and a stream that is cut short closes nothing."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from every import every
from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import ENDS, SCENARIOS, events, frame_events
from toolcall_conformance.basics.streaming import sse
from toolcall_reference import Refused

ROUTES = list(itertools.product(FORMATS, FORMATS))
CROSSING = [(client, upstream) for client, upstream in ROUTES if client != upstream]
CASES = ("write_file/unicode-arguments", "state/with-reasoning", "grep/realistic")


def golden(case: str, name: str) -> bytes:
    return (SCENARIOS / case / name / "01-response.sse").read_bytes()


def translate_stream(client: str, upstream: str, chunks: Any) -> bytes:
    return b"".join(open_way(client, upstream).stream(chunks))


def pieces(stream: bytes, seed: int) -> Iterator[bytes]:
    chance = random.Random(seed)
    place = 0
    while place < len(stream):
        size = chance.choice((0, 1, 2, 3, 7, 40, 300))
        yield stream[place : place + size]
        place += size


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_any_cut_gives_the_same_bytes(client: str, upstream: str) -> None:
    for case in CASES:
        stream = golden(case, upstream)
        whole = translate_stream(client, upstream, [stream])
        assert translate_stream(client, upstream, (bytes([byte]) for byte in stream)) == whole
        for seed in range(5):
            assert translate_stream(client, upstream, pieces(stream, seed)) == whole


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_any_framing_gives_the_same_bytes(client: str, upstream: str) -> None:
    stream = golden(CASES[0], upstream).replace(b"\r\n", b"\n")
    whole = translate_stream(client, upstream, [stream])
    for other in (
        stream.replace(b"\n", b"\r\n"),
        stream.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + stream,
        stream.replace(b"\n\n", b"\n\n: a comment\n\n:\n"),
        stream.replace(b"data: ", b"data:"),
        stream.replace(b"data: ", b"id: 7\nretry: 3\ndata: "),
        stream.replace(b'data: {"', b'data: {\ndata: "'),
        stream.replace(b"data: {", b"data: \ndata: {"),
        stream.removesuffix(b"\n"),
        stream.removesuffix(b"\n\n"),
    ):
        assert other != stream
        assert translate_stream(client, upstream, [other]) == whole
        assert translate_stream(client, upstream, (bytes([byte]) for byte in other)) == whole


def test_line_separators_inside_text_are_text() -> None:
    text = "one\u2028two\u2029three\x85four\x0bfive 😀"
    chunk = {"id": "c1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]}
    end = {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    stream = frame_events("openai_chat", [chunk, end, "[DONE]"])
    output_events = events(translate_stream("anthropic", "openai_chat", (bytes([byte]) for byte in stream)))
    assert [event["data"]["delta"]["text"] for event in output_events if event["event"] == "content_block_delta"] == [
        text
    ]


def assembler(name: str) -> Any:
    module = pytest.importorskip(f"toolcall_conformance.formats.{name}.stream", reason="no assembler of this format")
    return importlib.import_module(module.__name__).assemble


class Broken(Exception):  # noqa: N818 - a test's own
    pass


def pieces_before_error(error: type[Exception], chunks: Iterator[bytes]) -> list[bytes]:
    """What comes before the error."""
    parts: list[bytes] = []
    with pytest.raises(error):
        collect(chunks, parts)
    return parts


def collect(chunks: Iterator[bytes], parts: list[bytes]) -> None:
    """Into a list that keeps what came before an error."""
    for chunk in chunks:
        parts.append(chunk)  # noqa: PERF402 - so that it is there whatever the next one raises


def break_after(chunks: list[bytes]) -> Iterator[bytes]:
    yield from chunks
    raise Broken


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
@pytest.mark.parametrize("case", ["shell/realistic", "grep/same-tool-twice", "write_file/json-in-arguments"])
def test_cut_short_after_every_event(case: str, client: str, upstream: str) -> None:
    source, target = assembler(upstream), assembler(client)
    newline = b"\r\n" if upstream == "gemini" else b"\n"
    blocks = [block + newline * 2 for block in golden(case, upstream).split(newline * 2) if block]
    assert len(blocks) > 1 or upstream == "gemini"
    for count in range(len(blocks) + 1):
        before = source(sse.parse(b"".join(blocks[:count])))
        out = translate_stream(client, upstream, [b"".join(blocks[:count])])
        after = target(sse.parse(out))
        assert len([call for call in after.calls if call.closed]) <= len([call for call in before.calls if call.closed])
        assert not after.breaches or after.end != "whole"
        assert after.end == ("whole" if before.end == "whole" else "failed"), count
        # The same with an error on the way: what was read has gone out, then the error comes through.
        session = open_way(client, upstream)
        if before.end == "whole" and upstream in ("anthropic", "openai_responses"):
            continue  # the reply is complete, and nothing more is read
        if upstream == "openai_chat" and count == len(blocks):
            continue
        written = pieces_before_error(Broken, session.stream(break_after(blocks[:count])))
        rest = target(sse.parse(b"".join(written)))
        assert rest.end == "open"
        assert out.startswith(b"".join(written))
        assert len([call for call in rest.calls if call.closed]) <= len([call for call in before.calls if call.closed])


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_format_is_cut_where_its_source_was(name: str) -> None:
    stream = golden("shell/realistic", name)
    for count in (0, 1, 40, 333, len(stream) - 7):
        output, expected = sse.parse(translate_stream(name, name, [stream[:count]])), sse.parse(stream[:count])
        assert len(output["events"]) == len(expected["events"])
        assert output.get("rest") == expected.get("rest")
    with pytest.raises(Broken):
        list(open_way(name, name).stream(break_after([stream[:500]])))


@pytest.mark.parametrize(("client", "upstream"), CROSSING)
def test_an_empty_stream_fails(client: str, upstream: str) -> None:
    output_events = events(translate_stream(client, upstream, []))
    assert len(output_events) == 1
    data = output_events[0]["data"]
    assert "ended before its reply was complete" in (data.get("error") or data)["message"]
    assert ENDS.get(client, "response.completed") not in str(output_events)


@every(
    "client, upstream, data",
    [(*route, data) for route in CROSSING for data in ("{", "ping", "[1]", '"text"', "7")],
    id=lambda client, upstream, data: f"{client}-{upstream}-{data}",
)
def test_an_event_that_is_no_object_fails(client: str, upstream: str, data: str) -> None:
    stream = golden(CASES[0], upstream)
    output_events = events(translate_stream(client, upstream, [stream[:0] + f"data: {data}\n\n".encode() + stream]))
    assert len(output_events) == 1
    assert "no JSON object" in str(output_events[0])


def test_what_was_read_goes_out_before_a_refusal() -> None:
    created = {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}
    item = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "server_label": "s", "arguments": "{}"}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    stream = frame_events("openai_responses", [created, done])
    written = pieces_before_error(Refused, open_way("anthropic", "openai_responses").stream([stream]))
    assert [event["event"] for event in events(b"".join(written))] == ["message_start"]
