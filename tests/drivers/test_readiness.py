"""The readiness probe: it stays with the host it was given, within its time and its bytes, whatever answers there."""

from __future__ import annotations

import itertools
import time

import pytest

from drivers.raw_server import Pieces, raw_server, repeat, slowly
from toolcall_conformance.drivers.gateway.readiness import is_listening, send_probe

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


def test_an_answer() -> None:
    with raw_server(lambda: [b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", OK]) as server:
        answer = send_probe(f"{server.url}/health?deep=1 \r\nx-evil: 1", 5)
    assert (answer.status, str(answer)) == (200, "it answered 200")
    host = server.url.removeprefix("http://")
    assert server.heads[0].split(b"\r\n")[:2] == [
        b"GET /health?deep=1%20x-evil:%201 HTTP/1.1",
        f"Host: {host}".encode(),
    ]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("place", ["http", "ftp://127.0.0.1/health", "file:///etc/passwd", "//127.0.0.2/", "/ready"])
def test_a_redirect_is_an_answer_and_is_not_followed(status: int, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ftp_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with raw_server(lambda: [OK]) as elsewhere:
        location = elsewhere.url if place == "http" else place
        head = f"HTTP/1.1 {status} Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n".encode()
        with raw_server(lambda: [head]) as server:
            answer = send_probe(f"{server.url}/ready", 5)
    assert (answer.status, answer.location) == (status, location)
    assert str(answer) == f"it answered {status}, a redirect to {location!r}"
    assert (len(server.heads), elsewhere.heads) == (1, [])


ENDLESS: list[tuple[str, Pieces, str]] = [
    ("header-drips", lambda: slowly(b"HTTP/1.1 200 OK\r\nx-slow: aa"), "bytes and no answer within 0.3 s"),
    ("status-drips", lambda: slowly(b"HTTP/1.1 2"), "bytes and no answer within 0.3 s"),
    ("continues", lambda: itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 2000), "more than 262,144 bytes arrived"),
    ("hints", lambda: itertools.repeat(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 2000), "more than 262,144 bytes arrived"),
    ("nothing", lambda: repeat(b"", 0.05), "0 bytes and no answer within 0.3 s"),
    ("headers", lambda: itertools.repeat(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 9999), "got more than 100 headers"),
    ("line", lambda: itertools.repeat(b"HTTP/1.1" + b"1" * 99999), "the output is not HTTP (HTTP/1.11111"),
    ("garbage", lambda: [b"SSH-2.0-OpenSSH_9.9\r\n"], "the output is not HTTP (SSH-2.0-OpenSSH_9.9"),
    ("closes", list, "the connection was closed without an answer"),
]


@pytest.mark.timing
@pytest.mark.parametrize(("pieces", "message"), [row[1:] for row in ENDLESS], ids=[row[0] for row in ENDLESS])
def test_one_limit_for_the_whole(pieces: Pieces, message: str) -> None:
    started = time.monotonic()
    with raw_server(pieces) as server:
        answer = send_probe(f"{server.url}/ready", 0.3 if "0.3 s" in message else 20)
        took = time.monotonic() - started
    assert answer.status is None
    assert message in answer.why
    assert took < (2 if "0.3 s" in message else 10), "a byte now and then does not prolong it"
    assert server.sent < 20_000_000, "what more it sends is in the system's buffers"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://127.0.0.1:99999/", "http://[::1/", "http://a\udcff/"])
def test_nobody_is_there(url: str) -> None:
    assert send_probe(url, 0.5).status is None


def test_whether_something_listens() -> None:
    with raw_server(list) as server:
        port = int(server.url.rpartition(":")[2])
        assert is_listening("127.0.0.1", port, 1)
    assert not is_listening("127.0.0.1", port, 1)
    assert not is_listening("a\udcff", port, 1)
