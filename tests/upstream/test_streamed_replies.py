"""Streams of the scripted upstream: how they are sent, how they break off, and which translators buffer them."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from miniature import TRANSPORTS
from toolcall_conformance.library import load_corpus
from toolcall_conformance.upstream import Address, Addresses, Reply, ReplyProgress, ScriptedUpstream
from toolcall_conformance.upstream.conversation import UpstreamConversation

PIECES = (b"data: 1\n\n", b"data: 2\n\nda", b"ta: 3\n\n")
HEADERS = {"content-type": "text/event-stream"}


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    server = ScriptedUpstream(Addresses(TRANSPORTS))
    server.start()
    yield server
    server.stop()


def begun(upstream: ScriptedUpstream) -> UpstreamConversation:
    conversation = upstream.conversation("alpha")
    conversation.begin_exchange()
    return conversation


def asked(conversation: UpstreamConversation) -> http.client.HTTPConnection:
    """A connection over which the conversation's upstream has been asked."""
    parts = urlsplit(conversation.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("POST", f"{parts.path}/alpha", b'{"stream": true}')
    return connection


def reply(conversation: UpstreamConversation, pieces: tuple[bytes, ...] = PIECES, **more: Any) -> Reply:
    return Reply(200, pieces, HEADERS, progress=conversation.progress, **more)


@pytest.mark.parametrize("pieces", [PIECES, PIECES[:1]], ids=["three", "one"])
def test_a_stream_says_what_it_is_and_has_no_length(upstream: ScriptedUpstream, pieces: tuple[bytes, ...]) -> None:
    one = begun(upstream)
    connection = asked(one)
    one.finish(reply(one, pieces))
    came = connection.getresponse()
    assert came.getheader("content-type") == "text/event-stream"
    assert (came.getheader("transfer-encoding"), came.getheader("content-length")) == ("chunked", None)
    assert came.read() == b"".join(pieces)
    assert one.progress.taken == len(pieces)
    connection.close()


def test_one_that_breaks_off_gives_what_it_had(upstream: ScriptedUpstream) -> None:
    one = begun(upstream)
    connection = asked(one)
    one.finish(reply(one, end="cut"))
    came = connection.getresponse()
    with pytest.raises(http.client.IncompleteRead) as lost:
        came.read()
    assert lost.value.partial == b"".join(PIECES)
    connection.close()


@pytest.mark.timing
def test_the_last_piece_is_held_back_until_there_is_output(upstream: ScriptedUpstream) -> None:
    one = begun(upstream)
    one.progress.patience = 8.0
    connection = asked(one)
    one.finish(reply(one))
    came = connection.getresponse()
    assert b"".join(came.read1(100) for _ in PIECES[:-1]) == b"".join(PIECES[:-1])
    time.sleep(0.1)
    assert one.progress.mark_output() == (2, False)
    started = time.monotonic()
    assert came.read() == PIECES[-1]
    assert time.monotonic() - started < 4
    assert not one.progress.buffered
    connection.close()


@pytest.mark.timing
def test_it_is_not_held_back_for_ever(upstream: ScriptedUpstream) -> None:
    one = begun(upstream)
    one.progress.patience = 0.4
    connection = asked(one)
    started = time.monotonic()
    one.finish(reply(one))
    assert connection.getresponse().read() == b"".join(PIECES)
    assert time.monotonic() - started >= 0.4
    assert one.progress.mark_output() == (3, True)
    assert one.progress.mark_output() == (3, True)
    assert one.progress.buffered
    connection.close()


def test_a_slow_translator_does_not_buffer(upstream: ScriptedUpstream) -> None:
    one = begun(upstream)
    one.progress.patience = 0.2
    connection = asked(one)
    one.finish(reply(one))
    assert connection.getresponse().read()
    time.sleep(0.2)  # more than soon
    assert one.progress.mark_output() == (3, False)
    assert not one.progress.buffered
    connection.close()


def test_an_unwatched_end_is_not_held_back() -> None:
    progress = ReplyProgress()
    assert progress.mark_output() == (0, False)
    assert not progress.buffered


def test_each_exchange_has_a_progress_of_its_own(upstream: ScriptedUpstream) -> None:
    one = begun(upstream)
    before = one.progress
    before.taken = 7
    one.begin_exchange()
    assert one.progress is not before
    assert one.progress.taken == 0


def test_a_client_that_leaves_early_does_no_harm(upstream: ScriptedUpstream, caplog: pytest.LogCaptureFixture) -> None:
    one = begun(upstream)
    connection = asked(one)
    one.finish(reply(one, (b"data: 1\n\n", *(b"x" * 65536 for _ in range(400)))))
    assert connection.getresponse().read1(9) == b"data: 1\n\n"
    connection.close()
    with ThreadPoolExecutor(1) as pool:
        again = begun(upstream)
        waiting = pool.submit(lambda: asked(again).getresponse().read())
        again.finish(reply(again))
        assert waiting.result(5) == b"".join(PIECES)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


ALPHA, BETA = "alpha", "beta"
ASKED = [
    (ALPHA, Address(ALPHA), "", {"stream": True}, True),
    (ALPHA, Address(ALPHA), "", {"stream": False}, False),
    (ALPHA, Address(ALPHA), "", {}, False),
    (ALPHA, Address(ALPHA), "", [], False),
    (BETA, Address(BETA, "b", True), "alt=sse", {}, True),
    (BETA, Address(BETA, "b", True), "key=1&alt=sse", {}, True),
    (BETA, Address(BETA, "b", True), "", {"stream": True}, False),
    (BETA, Address(BETA, "b", True), "alt=json", {}, False),
    (BETA, Address(BETA, "b", False), "alt=sse", {"stream": True}, False),
]


@pytest.mark.parametrize(("name", "address", "query", "body", "wanted"), ASKED)
def test_whether_a_stream_was_asked_for(name: str, address: Address, query: str, body: Any, wanted: bool) -> None:
    assert Addresses(TRANSPORTS).asks_for_stream(name, address, query, body) is wanted


def test_options_of_a_stream_are_free() -> None:
    addresses = Addresses(load_corpus().transports)
    assert addresses.asks_for_stream("openai_chat", Address("openai_chat"), "", {"stream": True})


def test_how_a_stream_is_asked_for_in_words() -> None:
    addresses = Addresses(TRANSPORTS)
    assert addresses.describe(ALPHA, stream=True) == 'POST /alpha with {"stream": true}'
    assert addresses.describe(BETA, stream=True) == "POST /beta/{model}:askStream?alt=sse"


def test_every_provider_s_stream_has_its_content_type() -> None:
    """Google writes no charset (https://ai.google.dev/api), the others do."""
    transports = load_corpus().transports
    addresses = Addresses(transports)
    found = {name: addresses.stream_type(name) for name in transports}
    assert found.pop("gemini") == "text/event-stream"
    assert set(found.values()) == {"text/event-stream; charset=utf-8"}
