"""The scripted upstream as a client sees it: addresses, conversations, replies of every kind, and its end."""

from __future__ import annotations

import builtins
import gzip
import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from miniature import TRANSPORTS
from toolcall_conformance.drivers.upstream import (
    Addresses,
    MissingLibraryError,
    PortInUseError,
    Reply,
    ScriptedUpstream,
    UpstreamConversation,
)

# Of asyncio, where a server ends with a connection open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

PENDING: Future[Any] = Future()  # a translator that has not returned yet


@pytest.fixture
def upstream() -> Iterator[ScriptedUpstream]:
    server = ScriptedUpstream(Addresses(TRANSPORTS))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as executor:
        yield executor


Got = tuple[int, dict[str, str], bytes]


def ask(url: str, path: str, body: Any = b"{}", method: str = "POST", **headers: str) -> Got:
    """Send a request; status, headers and body of its answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request(
            method, parts.path + path, body, {name.replace("_", "-"): text for name, text in headers.items()}
        )
        reply = connection.getresponse()
        return reply.status, {name.lower(): text for name, text in reply.getheaders()}, reply.read()
    finally:
        connection.close()


def open_conversation(upstream: ScriptedUpstream, name: str = "alpha") -> UpstreamConversation:
    conversation = upstream.open_conversation(name)
    conversation.begin_exchange()
    return conversation


def wait_for_requests(conversation: UpstreamConversation, times: int) -> None:
    end = time.monotonic() + 5
    while len(conversation.requests) < times:
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_request_is_recorded_and_answered(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha?x=1", b'{"a": "\xc3\xa9"}', X_Alpha_Key="k")
    request = conversation.wait_for_request(PENDING, 5)
    assert request is not None
    assert (request.method, request.path, request.query, request.body) == (
        "POST",
        "/alpha",
        "x=1",
        b'{"a": "\xc3\xa9"}',
    )
    assert request.headers["x-alpha-key"] == "k"
    assert request.address is not None
    assert (request.address.format, request.address.model, request.address.stream) == ("alpha", None, None)
    assert not answer.done()
    conversation.finish(Reply.json({"b": "é"}, headers={"x-more": "1"}))
    status, headers, body = answer.result(5)
    assert (status, json.loads(body), headers["content-type"], headers["x-more"]) == (
        200,
        {"b": "é"},
        "application/json",
        "1",
    )


def test_an_error_status_with_its_headers(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha")
    assert conversation.wait_for_request(PENDING, 5)
    conversation.finish(Reply.json({"error": "slow down"}, 429, {"retry-after": "20"}))
    status, headers, body = answer.result(5)
    assert (status, headers["retry-after"], json.loads(body)) == (429, "20", {"error": "slow down"})


def test_half_a_surrogate_pair_is_said_by_an_escape(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha")
    conversation.finish(Reply.json({"b": "\ud83d"}))
    assert answer.result(5)[2] == b'{"b": "\\ud83d"}'


def test_conversations_are_distinguished_by_their_address(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    many = [open_conversation(upstream, name) for name in ("alpha", "beta", "alpha", "beta")]
    answers = [
        pool.submit(
            ask,
            conversation.url,
            "/alpha" if conversation.upstream == "alpha" else "/beta/b-1:ask",
            str(number).encode(),
        )
        for number, conversation in enumerate(many)
    ]
    for number, conversation in reversed(list(enumerate(many))):
        request = conversation.wait_for_request(PENDING, 5)
        assert request is not None
        assert request.body == str(number).encode()
        conversation.finish(Reply.json(number))
    assert [json.loads(answer.result(5)[2]) for answer in answers] == [0, 1, 2, 3]


def test_a_request_without_an_address_belongs_to_the_waiting_conversation(
    upstream: ScriptedUpstream, pool: ThreadPoolExecutor
) -> None:
    first, second = open_conversation(upstream), open_conversation(upstream)
    answer = pool.submit(ask, upstream.url, "/alpha", b"two")
    assert second.wait_for_request(PENDING, 5)
    other = pool.submit(ask, upstream.url, "/alpha", b"one")
    request = first.wait_for_request(PENDING, 5)
    assert request is not None
    assert request.body == b"one"
    first.finish(Reply.json(1))
    again = pool.submit(ask, upstream.url, "/alpha", b"two again")
    wait_for_requests(second, 2)
    second.finish(Reply.json(2))
    assert [json.loads(future.result(5)[2]) for future in (answer, other, again)] == [2, 1, 2]
    assert first.wait_for_request(PENDING, 0) == request


def test_a_retry_is_answered_as_well(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answers = [pool.submit(ask, conversation.url, "/alpha") for _ in range(2)]
    wait_for_requests(conversation, 2)
    conversation.finish(Reply.json(1))
    answers.append(pool.submit(ask, conversation.url, "/alpha"))
    assert [json.loads(answer.result(5)[2]) for answer in answers] == [1, 1, 1]


def test_a_retry_after_the_answer_needs_no_address_of_its_own(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    conversation.finish(Reply.json({"error": "busy"}, 503))
    assert [ask(upstream.url, "/alpha")[0], ask(conversation.url, "/alpha")[0]] == [404, 503]
    assert ask(upstream.url, "/alpha")[0] == 503
    upstream.close_conversations()
    assert ask(upstream.url, "/alpha")[0] == 404


def test_the_next_exchange_begins_again(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    given_up = pool.submit(ask, conversation.url, "/alpha", b"first")
    assert conversation.wait_for_request(PENDING, 5)
    conversation.begin_exchange()
    assert given_up.result(5)[0] == 400
    assert conversation.wait_for_request(PENDING, 0) is None
    answer = pool.submit(ask, conversation.url, "/alpha", b"second")
    request = conversation.wait_for_request(PENDING, 5)
    assert request is not None
    assert request.body == b"second"
    conversation.finish(Reply.json(2))
    assert answer.result(5)[0] == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/alpha"),
        ("POST", "/alpha/"),
        ("POST", "//alpha"),
        ("POST", "/ALPHA"),
        ("POST", "/v1/alpha"),
        ("POST", "/beta/b-1:ask"),
        ("POST", "/beta/a/b:ask"),
        ("POST", "/beta/:ask"),
        ("POST", "/"),
    ],
)
def test_another_path_is_a_stray(upstream: ScriptedUpstream, method: str, path: str) -> None:
    conversation = open_conversation(upstream)
    status, _, body = ask(conversation.url, path, method=method)
    assert status == 404
    assert json.loads(body)["error"]["message"] == (
        f"{method} {path} is not served here: this conversation's upstream has POST /alpha"
    )
    assert conversation.wait_for_request(PENDING, 0) is None
    assert [(stray.method, stray.path) for stray in conversation.stray_requests] == [(method, path)]


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [("/beta/b-1:ask", "b-1", False), ("/beta/a%2Fb%3Ac:ask", "a/b:c", False), ("/beta/b-1:askStream", "b-1", True)],
)
def test_a_model_in_the_path(
    upstream: ScriptedUpstream, pool: ThreadPoolExecutor, path: str, model: str, stream: bool
) -> None:
    conversation = open_conversation(upstream, "beta")
    answer = pool.submit(ask, conversation.url, path)
    request = conversation.wait_for_request(PENDING, 5)
    conversation.finish(Reply.json(1))
    assert answer.result(5)[0] == 200
    assert request is not None
    assert request.address is not None
    assert (request.address.model, request.address.stream) == (model, stream)
    assert upstream.addresses.request_path("beta", "a/b:c") == "/beta/a%2Fb%3Ac:ask"


@pytest.mark.parametrize(
    ("headers", "query", "missing"),
    [
        ({}, "", ["content-type", "x-beta-key", "x-beta-version"]),
        ({"content-type": "a", "x-beta-version": "2", "x-beta-key": ""}, "", ["x-beta-key"]),
        ({"content-type": "a", "x-beta-version": "2"}, "a=b&key=1", []),
        ({"content-type": "a", "x-beta-version": "2"}, "a=b&other_key=1", ["x-beta-key"]),
        ({"content-type": "a", "x-beta-version": "2", "authorization": "Bearer 1"}, "", []),
        ({"content-type": "a", "authorization": "Bearer 1"}, "", ["x-beta-version"]),
    ],
)
def test_headers_that_the_api_demands(headers: dict[str, str], query: str, missing: list[str]) -> None:
    assert Addresses(TRANSPORTS).missing_headers("beta", headers, query) == missing


def test_an_unknown_address(upstream: ScriptedUpstream) -> None:
    assert ask(upstream.url, "/alpha")[0] == 404
    over = open_conversation(upstream)
    living = open_conversation(upstream)
    assert ask(f"{upstream.url}/conversation-0123", "/alpha")[0] == 404
    upstream.close_conversations()
    assert ask(over.url, "/alpha")[0] == 404
    assert not living.requests


def test_a_waiting_request_gets_an_error_at_the_end(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha")
    assert conversation.wait_for_request(PENDING, 5)
    upstream.close_conversations()
    assert answer.result(5)[0] == 400


@pytest.mark.timing
def test_the_wait_ends_with_the_call_or_the_time(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    future: Future[Any] = Future()
    threading.Timer(0.05, future.set_result, (None,)).start()
    begin = time.monotonic()
    assert conversation.wait_for_request(future, 10) is None
    assert time.monotonic() - begin < 5
    assert conversation.wait_for_request(PENDING, 0.05) is None


def raw(url: str, path: str) -> socket.socket:
    """A connection over which a request has been sent, its answer still unread."""
    parts = urlsplit(url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=5)
    connection.sendall(f"POST {parts.path}{path} HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{{}}".encode())
    return connection


def read_until(connection: socket.socket, end: bytes) -> bytes:
    """Read up to ``end``, or all there is."""
    data = b""
    while not data.endswith(end) and (piece := connection.recv(65536)):
        data += piece
    return data


EVENTS = (b"data: 1\n\nda", b"ta: \xe2\x82", b"\xac\n\n")


def test_pieces_leave_as_they_were_cut(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    with raw(conversation.url, "/alpha") as connection:
        conversation.finish(Reply(200, EVENTS, {"content-type": "text/event-stream"}))
        reply = read_until(connection, b"0\r\n\r\n")
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"Content-Type: text/event-stream" in head or b"content-type: text/event-stream" in head
    # HTTP's own chunks are the pieces.
    assert body == b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in EVENTS) + b"0\r\n\r\n"


def test_a_reply_that_is_cut_off(upstream: ScriptedUpstream) -> None:
    conversation = open_conversation(upstream)
    with raw(conversation.url, "/alpha") as connection:
        conversation.finish(Reply(200, EVENTS, end="cut"))
        reply = read_until(connection, b"never")
    assert reply.endswith(b"3\r\n\xac\n\n\r\n")
    assert not reply.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("chunks", [EVENTS, ()])
def test_a_reply_that_hangs(upstream: ScriptedUpstream, chunks: tuple[bytes, ...]) -> None:
    conversation = open_conversation(upstream)
    with raw(conversation.url, "/alpha") as connection:
        conversation.finish(Reply(200, chunks, end="hang"))
        read_until(connection, b"\xac\n\n\r\n" if chunks else b"\r\n\r\n")
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        upstream.stop()
        connection.settimeout(5)
        assert connection.recv(1) == b""


def test_a_compressed_request(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha", gzip.compress(b'{"a": 1}'), Content_Encoding="gzip")
    request = conversation.wait_for_request(PENDING, 5)
    conversation.finish(Reply.json(1))
    assert answer.result(5)[0] == 200
    assert request is not None
    assert request.body == b'{"a": 1}'


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_request_of_64_megabytes_is_refused(upstream: ScriptedUpstream, packed: bool) -> None:
    conversation = open_conversation(upstream)
    body = b" " * (64 * 1024 * 1024 + 1)
    try:
        status = (
            ask(conversation.url, "/alpha", gzip.compress(body, 1), Content_Encoding="gzip")[0]
            if packed
            else ask(conversation.url, "/alpha", body)[0]
        )
    except (BrokenPipeError, ConnectionResetError):
        status = 413  # it did not even read to the end
    assert status == 413
    assert conversation.wait_for_request(PENDING, 0) is None


def test_one_below_the_limit_is_taken(upstream: ScriptedUpstream, pool: ThreadPoolExecutor) -> None:
    conversation = open_conversation(upstream)
    answer = pool.submit(ask, conversation.url, "/alpha", b" " * (20 * 1024 * 1024))
    request = conversation.wait_for_request(PENDING, 10)
    conversation.finish(Reply.json(1))
    assert answer.result(5)[0] == 200
    assert request is not None
    assert len(request.body) == 20 * 1024 * 1024


def test_after_its_end_there_is_no_port_and_no_thread(pool: ThreadPoolExecutor) -> None:
    upstream = ScriptedUpstream(Addresses(TRANSPORTS))
    upstream.start()
    conversation = open_conversation(upstream)
    waiting = pool.submit(ask, conversation.url, "/alpha")
    assert conversation.wait_for_request(PENDING, 5)
    idle = http.client.HTTPConnection(urlsplit(conversation.url).netloc, timeout=5)
    idle.connect()
    upstream.stop()
    upstream.stop()
    assert waiting.result(5)[0] == 400
    idle.close()
    with pytest.raises(ConnectionRefusedError):
        ask(conversation.url, "/alpha")
    assert not [thread for thread in threading.enumerate() if thread.name == "toolcall-upstream"]


def test_one_that_was_never_started_can_be_stopped() -> None:
    ScriptedUpstream(Addresses(TRANSPORTS)).stop()


def test_a_port_that_is_requested_and_one_in_use() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(
            PortInUseError, match=rf"cannot listen on port {port} of loopback \(.*\); stop the program that uses it"
        ):
            ScriptedUpstream(Addresses(TRANSPORTS), port=port).start()
    assert not [thread for thread in threading.enumerate() if thread.name == "toolcall-upstream"]
    upstream = ScriptedUpstream(Addresses(TRANSPORTS), port=port)
    upstream.start()
    assert upstream.url == f"http://127.0.0.1:{port}"
    upstream.stop()


def test_without_aiohttp_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any, **named: Any) -> Any:
        if name == "aiohttp":
            raise ModuleNotFoundError(name, name=name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingLibraryError, match=r"not installed: pip install 'toolcall-conformance\[http\]'"):
        ScriptedUpstream(Addresses(TRANSPORTS)).start()


DROPPED = [
    b"POST {path}/alpha HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc",
    b"POST {path}/alpha HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    b"POST {path}/alpha HTTP/1.1\r\nhost: x\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
    b"POST {path}/alpha HTTP/1.1\r\nho st: x\r\n\r\n",
]


@pytest.mark.parametrize("sent", DROPPED, ids=["body", "chunk", "gzip", "header"])
@pytest.mark.parametrize("reset", [False, True], ids=["closed", "reset"])
def test_what_a_client_does_wrong_is_not_logged(
    upstream: ScriptedUpstream, caplog: pytest.LogCaptureFixture, sent: bytes, reset: bool
) -> None:
    address = urlsplit(upstream.open_conversation("alpha").url)
    with socket.create_connection((address.hostname or "", address.port or 0)) as client:
        client.sendall(sent.replace(b"{path}", address.path.encode()))
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(upstream.url, "/nowhere")[0] == 404  # it serves on, and has seen the end of the other connection
    upstream.stop()
    assert caplog.text == ""


def test_what_fails_within_the_server_is_logged(
    upstream: ScriptedUpstream, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(upstream.addresses, "find_api", fail)
    assert ask(upstream.open_conversation("alpha").url, "/alpha")[0] == 500
    assert caplog.text.count("\nZeroDivisionError") == 1
