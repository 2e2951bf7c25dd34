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
from toolcall_conformance.drivers.upstream import Address, Addresses, Reply, ReplyProgress, ScriptedUpstream
from toolcall_conformance.drivers.upstream.conversation import UpstreamConversation
from toolcall_conformance.library import load_corpus

PIECES = (b"data: 1\n\n", b"data: 2\n\nda", b"ta: 3\n\n")
HEADERS = {"content-type": "text/event-stream"}


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    server = ScriptedUpstream(Addresses(TRANSPORTS))
    server.start()
    yield server
    server.stop()


def open_conversation(upstream: ScriptedUpstream) -> UpstreamConversation:
    conversation = upstream.open_conversation("alpha")
    conversation.begin_exchange()
    return conversation


def connect(conversation: UpstreamConversation) -> http.client.HTTPConnection:
    """A connection over which the conversation's upstream has been asked."""
    parts = urlsplit(conversation.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request("POST", f"{parts.path}/alpha", b'{"stream": true}')
    return connection


def reply(conversation: UpstreamConversation, pieces: tuple[bytes, ...] = PIECES, **more: Any) -> Reply:
    return Reply(200, pieces, HEADERS, progress=conversation.progress, **more)


@pytest.mark.parametrize("pieces", [PIECES, PIECES[:1]], ids=["three", "one"])
def test_a_stream_says_what_it_is_and_has_no_length(upstream: ScriptedUpstream, pieces: tuple[bytes, ...]) -> None:
    conversation = open_conversation(upstream)
    connection = connect(conversation)
    conversation.finish(reply(conversation, pieces))
    response = connection.getresponse()
    assert response.getheader("content-type") == "text/event-stream"
    assert (response.getheader("transfer-encoding"), response.getheader("content-length")) == ("chunked", None)
    assert response.read() == b"".join(pieces)
    assert conversation.progress.sent_count == len(pieces)
    connection.close()


def test_a_broken_stream_gives_what_it_had(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    connection = connect(conversation)
    conversation.finish(reply(conversation, end="cut"))
    response = connection.getresponse()
    with pytest.raises(http.client.IncompleteRead) as lost:
        response.read()
    assert lost.value.partial == b"".join(PIECES)
    connection.close()


@pytest.mark.timing
def test_the_last_piece_is_held_back_until_there_is_output(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    conversation.progress.hold_seconds = 8.0
    connection = connect(conversation)
    conversation.finish(reply(conversation))
    response = connection.getresponse()
    assert b"".join(response.read1(100) for _ in PIECES[:-1]) == b"".join(PIECES[:-1])
    time.sleep(0.1)
    assert conversation.progress.mark_output() == (2, False)
    started = time.monotonic()
    assert response.read() == PIECES[-1]
    assert time.monotonic() - started < 4
    assert not conversation.progress.has_buffered
    connection.close()


@pytest.mark.timing
def test_it_is_not_held_back_for_ever(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    conversation.progress.hold_seconds = 0.4
    connection = connect(conversation)
    started = time.monotonic()
    conversation.finish(reply(conversation))
    assert connection.getresponse().read() == b"".join(PIECES)
    assert time.monotonic() - started >= 0.4
    assert conversation.progress.mark_output() == (3, True)
    assert conversation.progress.mark_output() == (3, True)
    assert conversation.progress.has_buffered
    connection.close()


def test_a_slow_translator_does_not_buffer(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    conversation.progress.hold_seconds = 0.2
    connection = connect(conversation)
    conversation.finish(reply(conversation))
    assert connection.getresponse().read()
    time.sleep(0.2)  # more than soon
    assert conversation.progress.mark_output() == (3, False)
    assert not conversation.progress.has_buffered
    connection.close()


def test_an_unwatched_end_is_not_held_back() -> None:
    progress = ReplyProgress()
    assert progress.mark_output() == (0, False)
    assert not progress.has_buffered


def test_each_exchange_has_a_progress_of_its_own(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    before = conversation.progress
    before.sent_count = 7
    conversation.begin_exchange()
    assert conversation.progress is not before
    assert conversation.progress.sent_count == 0


def test_a_client_that_leaves_early_does_no_harm(upstream: ScriptedUpstream, caplog: pytest.LogCaptureFixture) -> None:
    conversation = open_conversation(upstream)
    connection = connect(conversation)
    conversation.finish(reply(conversation, (b"data: 1\n\n", *(b"x" * 65536 for _ in range(400)))))
    assert connection.getresponse().read1(9) == b"data: 1\n\n"
    connection.close()
    with ThreadPoolExecutor(1) as pool:
        again = open_conversation(upstream)
        waiting = pool.submit(lambda: connect(again).getresponse().read())
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


@pytest.mark.parametrize(("name", "address", "query", "body", "is_stream"), ASKED)
def test_whether_a_stream_was_requested(name: str, address: Address, query: str, body: Any, is_stream: bool) -> None:
    assert Addresses(TRANSPORTS).asks_for_stream(name, address, query, body) is is_stream


def test_options_of_a_stream_are_free() -> None:
    addresses = Addresses(load_corpus().transports)
    assert addresses.asks_for_stream("openai_chat", Address("openai_chat"), "", {"stream": True})


def test_how_a_stream_is_requested_in_words() -> None:
    addresses = Addresses(TRANSPORTS)
    assert addresses.describe(ALPHA, stream=True) == 'POST /alpha with {"stream": true}'
    assert addresses.describe(BETA, stream=True) == "POST /beta/{model}:askStream?alt=sse"


def test_every_provider_s_stream_has_its_content_type() -> None:
    """Google writes no charset (https://ai.google.dev/api), the others do."""
    transports = load_corpus().transports
    addresses = Addresses(transports)
    content_types = {name: addresses.stream_type(name) for name in transports}
    assert content_types.pop("gemini") == "text/event-stream"
    assert set(content_types.values()) == {"text/event-stream; charset=utf-8"}
