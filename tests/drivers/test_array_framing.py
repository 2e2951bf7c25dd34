"""Gemini streams a JSON array to those who ask without alt=sse: the framing, split anywhere, and through a library."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.streaming import cuts, dump, parse
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers.array_framing import as_array
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.upstream import Address, Addresses
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
FRAMING = CORPUS.transports["gemini"]["stream"]["array"]
CASE = CORPUS.cases["write_file/unicode-arguments"]
STREAM = CASE.exchanges("gemini")[0].stream()
DATA = [event["data"] for event in parse(STREAM)["events"]]


def test_it_is_one_json_document() -> None:
    (document,) = as_array((STREAM,), FRAMING, is_complete=True)
    assert json.loads(document) == DATA
    assert document.startswith(b"[{")
    assert document.endswith(b"}\n]\n")
    assert document.count(b"\n,\r\n") == len(DATA) - 1


def test_an_event_is_an_element() -> None:
    pieces = as_array(cuts.split_events(STREAM), FRAMING, is_complete=True)
    assert len(pieces) == len(DATA)
    assert [json.loads(piece.strip(b"\n,\r[]")) for piece in pieces] == DATA


def test_wherever_the_stream_is_cut_the_array_is_the_same() -> None:
    (whole,) = as_array((STREAM,), FRAMING, is_complete=True)
    sizes = set()
    for at in range(len(STREAM) + 1):
        first, last = as_array((STREAM[:at], STREAM[at:]), FRAMING, is_complete=True)
        assert first + last == whole
        sizes.add(len(first))
    # Nearly every byte of the array is a place to cut it: not those between two elements.
    assert len(sizes) > len(whole) - len(FRAMING["between"]) * len(DATA) - 20


@pytest.mark.parametrize(("way", "stream"), [*cuts.vary_framing(STREAM)], ids=lambda value: str(value)[:12])
def test_however_the_stream_is_framed_the_array_is_the_same(way: str, stream: bytes) -> None:
    assert json.loads(b"".join(as_array((stream,), FRAMING, is_complete=True))) == DATA, way


def test_a_stream_that_is_lost_leaves_it_open() -> None:
    pieces = as_array(cuts.split_events(STREAM)[:2], FRAMING, is_complete=False)
    assert json.loads(b"".join(pieces) + b"]") == DATA[:2]


def test_one_without_events_is_an_empty_array() -> None:
    assert as_array((), FRAMING, is_complete=True) == (b"[\n]\n",)
    assert as_array((b": nothing\n\n",), FRAMING, is_complete=True) == (b"[\n]\n",)
    assert as_array((b"",), FRAMING, is_complete=False) == (b"",)


def test_data_of_several_lines_are_one_element() -> None:
    (document,) = as_array((b"data: {\ndata: }\n\n",), FRAMING, is_complete=True)
    assert json.loads(document) == [{}]


@pytest.mark.parametrize(
    ("name", "stream", "is_framed"),
    [("gemini", True, True), ("gemini", False, False), ("anthropic", None, False)],
)
def test_translators_that_get_a_stream(name: str, stream: bool | None, is_framed: bool) -> None:
    framing = Addresses(CORPUS.transports).array_framing(name, Address(name, "m", stream))
    assert (framing is not None) is is_framed


class ArrayReader:
    """The reference as a library that asks Gemini without alt=sse, and reads the array as it comes."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.inner: Any = ReferenceTranslator().open(route)

    async def exchange(self, body: dict[str, Any], upstream_url: str) -> Any:
        sent = self.inner.request(body)
        kind = "streamGenerateContent" if self.route.stream else "generateContent"
        url = f"{upstream_url}/v1beta/models/{self.route.upstream_model}:{kind}"
        headers = {"content-type": "application/json", "x-goog-api-key": "k"}
        client = aiohttp.ClientSession()
        reply = await client.post(url, json=sent, headers=headers)
        if not self.route.stream:
            async with client:
                return self.inner.response(await reply.json())
        assert reply.headers["content-type"] == FRAMING["content_type"]
        return self.streamed(client, reply)

    async def streamed(self, client: aiohttp.ClientSession, reply: aiohttp.ClientResponse) -> Any:
        text = b""
        async with client:
            async for piece in reply.content.iter_any():
                text += piece
        for piece in self.inner.stream([dump([{"data": chunk} for chunk in json.loads(text)])]):
            yield piece


class Library:
    def open(self, route: Route) -> ArrayReader:
        return ArrayReader(route)


@pytest.mark.parametrize(("check", "variant"), [("stream", ""), ("stream", "recut"), ("agent_loop", "")])
def test_a_library_that_reads_it_is_judged(check: str, variant: str) -> None:
    route = Route("openai_chat", "gemini", CASE.model("openai_chat"), CASE.model("gemini"))
    driver = PythonDriver(Library(), "t:T", transports=lambda: CORPUS.transports)
    try:
        result = CHECKS[check](CASE, route, driver.open, make_harness(CORPUS), variant, None)
    finally:
        driver.close()
    assert result.verdict in (Verdict.PASS, Verdict.WARN), result
    assert {finding.rule for finding in result.findings} <= {"translation/stream-at-once"}
    assert result.reason == ""
