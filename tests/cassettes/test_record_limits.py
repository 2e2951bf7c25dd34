"""``record`` ends in time and in bounds, whatever a provider sends, and asks nobody but the provider."""

from __future__ import annotations

import gzip
import itertools
import time
import zlib
from pathlib import Path

import pytest

from cassettes.loopback_provider import PlannedReply, Provider, Record, base_url, replies
from drivers.raw_server import Pieces, raw_server, repeat, slowly
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.recorder.budget import Budget, LimitError, limit_client

CASE = "shell/realistic"
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
PING = b'1c\r\nevent: ping\ndata: {"a": 1}\n\n\r\n'
MEGABYTE = b"x" * 2**20


def pings(pause: float) -> Pieces:
    def sent() -> itertools.chain[bytes]:
        return itertools.chain([CHUNKED], repeat(PING, pause))

    return sent


SLOW: list[tuple[str, Pieces, str]] = [
    ("pings", pings(0.02), "bytes had arrived"),
    ("a-dripping-body", lambda: slowly(HEAD + b"content-length: 400\r\n\r\n{ "), "bytes had arrived"),
    ("a-dripping-header", lambda: slowly(HEAD + b"x-slow: aa"), "bytes had arrived"),
    (
        "endless-continues",
        lambda: repeat(b"HTTP/1.1 100 Continue\r\n\r\n", 0.01),
        "",
    ),
    ("silence", lambda: repeat(b"", 0.05), "nothing had arrived"),
]


@pytest.mark.timing
@pytest.mark.parametrize(("pieces", "message"), [row[1:] for row in SLOW], ids=[row[0] for row in SLOW])
def test_one_limit_of_time_for_the_whole(pieces: Pieces, message: str, record: Record, corpus: Corpus) -> None:
    started = time.monotonic()
    with raw_server(pieces) as server:
        ran = record(
            "anthropic", "--case", CASE, "--stream", "--timeout", "0.4", url=base_url(corpus, "anthropic", server.url)
        )
        assert time.monotonic() - started < 8
    assert ran.code == 1
    assert "was not done within 0.4 s, " in ran.out
    assert message in ran.out
    assert "raise --timeout" in ran.out


ENDLESS: list[tuple[str, Pieces]] = [
    ("a-body", lambda: itertools.chain([HEAD, b"\r\n"], itertools.repeat(MEGABYTE))),
    ("chunks", lambda: itertools.chain([CHUNKED], itertools.repeat(b"100000\r\n" + MEGABYTE + b"\r\n"))),
    ("pings", lambda: itertools.chain([CHUNKED], itertools.repeat(PING * 999))),
]


@pytest.mark.parametrize("pieces", [row[1] for row in ENDLESS], ids=[row[0] for row in ENDLESS])
def test_one_limit_of_bytes_for_the_whole(pieces: Pieces, record: Record, corpus: Corpus, tmp_path: Path) -> None:
    with raw_server(pieces) as server:
        url = base_url(corpus, "anthropic", server.url)
        ran = record("anthropic", "--case", CASE, "--stream", "--max-bytes", "3000000", url=url)
    assert ran.code == 1
    assert "sent more than 3,000,000 bytes, and may be endless; raise --max-bytes" in ran.out
    assert not list((tmp_path / "kept").rglob("*.json"))
    assert server.sent < 12_000_000, "what more it sends is in the system's buffers"


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_reply_is_unpacked_within_the_limit(
    packing: str, record: Record, upstream: Provider, corpus: Corpus, tmp_path: Path
) -> None:
    pack = gzip.compress if packing == "gzip" else zlib.compress
    bomb = PlannedReply(
        pack(b" " * 50_000_000), headers={"content-encoding": packing, "content-type": "application/json"}
    )
    upstream.answers = [bomb]
    ran = record("anthropic", "--case", CASE, "--unary", "--max-bytes", "1000000")
    assert "sent a reply that cannot be unpacked (it unpacks to more than 0.953674 MiB" in ran.out
    upstream.answers = [
        PlannedReply(pack(reply.body), headers={**reply.headers, "content-encoding": packing})
        for reply in replies(corpus.cases[CASE], "anthropic", streamed=False)
        if isinstance(reply, PlannedReply)
    ]
    assert record("anthropic", "--case", CASE, "--unary").code == 0
    text = (tmp_path / "kept" / "anthropic" / f"{CASE}.json").read_text()
    assert '\\"type\\":' in text
    assert "content-encoding" not in text


def test_an_unknown_packing(record: Record, upstream: Provider) -> None:
    upstream.answers = [PlannedReply(b"{}", headers={"content-encoding": "br", "content-type": "application/json"})]
    ran = record("anthropic", "--case", CASE, "--unary")
    assert "(it is packed as 'br', though it was asked for as it is; --max-bytes is 67,108,864)" in ran.out


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_listens_here_is_asked_without_a_proxy(
    host: str, record: Record, upstream: Provider, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=False)
    url = base_url(corpus, "anthropic", upstream.url.replace("127.0.0.1", host))
    assert record("anthropic", "--case", CASE, "--unary", url=url).code == 0
    assert record("anthropic", "--case", CASE, "--unary", url="http://elsewhere.invalid").code == 1  # by the proxy


@pytest.mark.parametrize(("option", "value"), [("--max-bytes", "0"), ("--max-bytes", "1e6"), ("--timeout", "-1")])
def test_a_limit_that_is_none(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["record", "--format", "anthropic", "--model", "m", "--case", CASE, option, value])
    assert error.value.code == 4
    assert f"argument {option}: " in capsys.readouterr().err


def test_another_httpx2() -> None:
    with pytest.raises(LimitError, match=r"cannot be limited: this httpx2 is built otherwise .*_transport"):
        limit_client(object(), Budget(1, 1))
