"""Streams through a gateway: what the client asks for, what it receives, and faults in the middle."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.gateway_project import HEADERS, SCRIPT, leftovers, noted_lines
from miniature import TRANSPORTS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Misdirected,
    NoRoute,
    Opened,
    OpenOutcome,
    Produced,
    ProtocolError,
    SessionDriver,
    Source,
    Streamed,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.gateway.driver import GatewayDriver

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

WORDS = "these are my last words"
EVENTS = tuple(f"data: {number}\n\n".encode() for number in range(5))
STREAM = b"".join(EVENTS)


class Place:
    """A folder as ``gateway_project`` looks at it."""

    def __init__(self, path: Path) -> None:
        self.path = path


class Gateway:
    """A driver of the gateway with this fault, and sessions through it."""

    def __init__(self, folder: Path, fault: str, timeout: float, client: str) -> None:
        lines = [
            'name = "faulty"',
            f"command = {json.dumps([sys.executable, '-u', str(SCRIPT), fault, '{port}', '{upstream}'])}",
            client,
            '[ready]\npath = "/ready"',
        ]
        for name in TRANSPORTS:
            headers = ", ".join(f'{key} = "{text}"' for key, text in {**HEADERS, "x-upstream": name}.items())
            lines.append(f"[upstream.{name}]\nheaders = {{{headers}}}")
        path = folder / "gateway.toml"
        path.write_text("\n".join(lines), encoding="utf-8")
        self.driver = GatewayDriver("gateway:gateway.toml", path, TRANSPORTS, timeout=timeout)

    def open(self, client: str = "alpha", upstream: str = "beta") -> OpenOutcome:
        return self.driver.open(Route(client, upstream, "a", "b", stream=True))

    def session(self, client: str = "alpha", upstream: str = "beta", case: str = "box/two") -> SessionDriver:
        opened = self.open(client, upstream)
        assert isinstance(opened, Opened), opened
        body = {"format": client, "text": case, **TRANSPORTS[client]["stream"]["body"]}
        outcome = opened.session.request(body)
        assert isinstance(outcome, Produced), outcome
        return opened.session

    def play(self, source: Source, client: str = "alpha", upstream: str = "beta", case: str = "box/two") -> Any:
        return self.session(client, upstream, case).stream(source)


Start = Callable[..., Gateway]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts gateways; when all is over nothing is left of them."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    gateways: list[Gateway] = []

    def make(fault: str = "none", timeout: float = 20.0, client: str = "[client.alpha]\n[client.beta]") -> Gateway:
        gateways.append(Gateway(tmp_path, fault, timeout, client))
        return gateways[-1]

    yield make
    for gateway in gateways:
        gateway.driver.close()
    assert leftovers(Place(tmp_path)) == []


@pytest.mark.parametrize(("client", "key"), [("alpha", "`path`"), ("beta", "`stream_path`")])
@pytest.mark.parametrize(("fault", "may_lack"), [("answers-404", False), ("answers-501", True)])
def test_where_streams_are_requested_in_vain(start: Start, fault: str, may_lack: bool, client: str, key: str) -> None:
    opened = start(fault).open(client)
    assert isinstance(opened, Opened)
    outcome = opened.session.request({"format": client, "text": "box/two", **TRANSPORTS[client]["stream"]["body"]})
    assert isinstance(outcome, NoRoute), outcome
    assert outcome.may_lack is may_lack
    assert key in outcome.hint
    assert "POST http://127.0.0.1:" in outcome.reason


def test_pieces_pass_through_at_once(start: Start, tmp_path: Path) -> None:
    gateway = start()
    for client in TRANSPORTS:
        for upstream in TRANSPORTS:
            outcome = gateway.play(Source(EVENTS, watched=True), client, upstream)
            assert isinstance(outcome, Streamed), outcome
            assert (outcome.data, outcome.raised) == (STREAM, None)
            assert not outcome.pieces[0].is_after_end
    # A client of beta asks for a stream by the address, one of alpha in the body.
    assert [post.strip() for post in noted_lines(Place(tmp_path), "posts")] == ["/alpha"] * 2 + [
        "/beta/b:askStream?alt=sse"
    ] * 2


def test_a_translator_that_buffers_is_found(start: Start) -> None:
    gateway = start("waits-for-the-end")
    outcome = gateway.play(Source(EVENTS, watched=True))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == STREAM
    assert all(piece.is_after_end for piece in outcome.pieces)


def test_an_upstream_that_breaks_off(start: Start) -> None:
    outcome = start().play(Source(EVENTS[:3], "lost"))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == b"".join(EVENTS[:3])
    assert isinstance(outcome.raised, Crashed)
    assert outcome.raised.sentence.startswith("failed: the gateway broke off, ")


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("dies-in-it", "failed: the gateway died with exit code 3"),
        ("closes-in-it", "failed: the gateway broke off, or its answer is not HTTP (ClientPayloadError: "),
        ("is-garbage-in-it", "failed: the gateway broke off, or its answer is not HTTP (ClientPayloadError: "),
        ("ends-too-early", "failed: the gateway broke off, or its answer is not HTTP (ClientPayloadError: "),
    ],
)
def test_a_gateway_that_breaks_off_in_the_middle(start: Start, fault: str, sentence: str) -> None:
    gateway = start(fault)
    outcome = gateway.play(Source(EVENTS))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data.startswith(EVENTS[0])
    assert isinstance(outcome.raised, Crashed)
    assert outcome.raised.sentence.startswith(sentence)
    assert WORDS in outcome.raised.traceback
    # It goes on with the next.
    assert gateway.play(Source(EVENTS), case="box/one").data == STREAM


def test_a_gateway_that_hangs_in_the_middle(start: Start) -> None:
    gateway = start("hangs-in-it", 0.8)
    outcome = gateway.play(Source(EVENTS))
    assert outcome == TimedOut(0.8, outcome.last_output)
    assert WORDS in outcome.last_output
    assert gateway.play(Source(EVENTS), case="box/one").data == STREAM


def test_a_gateway_that_never_ends(start: Start, tmp_path: Path) -> None:
    outcome = start("never-ends").play(Source(EVENTS))
    assert isinstance(outcome, BadOutput), outcome
    assert outcome.sentence == "the gateway answered more than 16,777,216 bytes (`max_bytes` in gateway.toml)"
    end = time.monotonic() + 5
    while not noted_lines(Place(tmp_path), "broken-off") and time.monotonic() < end:
        time.sleep(0.02)
    assert noted_lines(Place(tmp_path), "broken-off") == ["yes"]


def test_what_is_no_stream(start: Start) -> None:
    outcome = start("is-json").play(Source((b'{"text": "whole"}',)))
    assert isinstance(outcome, BadOutput), outcome
    assert outcome.sentence == "the gateway answered with a whole body where the client asked for a stream: whole"
    assert WORDS in outcome.last_output


def test_a_gateway_that_gives_it_another_type(start: Start) -> None:
    assert start("is-plain").play(Source(EVENTS)).data == STREAM


def test_a_gateway_that_asks_for_no_stream(start: Start) -> None:
    gateway = start("asks-for-no-stream")
    outcome = gateway.play(Source(EVENTS, watched=True, reply={"text": "whole"}))
    assert isinstance(outcome, Streamed), outcome
    assert outcome.data == b'data: {"text": "whole"}\n\n'
    assert all(piece.is_after_end for piece in outcome.pieces)
    outcome = gateway.play(Source(EVENTS))
    assert isinstance(outcome, Misdirected)
    assert outcome.sentence.startswith(
        "the client wants a stream, and the upstream was asked at POST /beta/b:ask for none"
    )


def test_an_error_before_the_stream_is_no_stream(start: Start) -> None:
    session = start().session()
    outcome = session.error({"status": 429, "headers": {}, "body": {"error": "busy"}})
    assert isinstance(outcome, Produced), outcome
    assert (outcome.value["status"], outcome.value["body"]) == (
        502,
        {"error": {"message": "the provider answered 429"}},
    )


def test_an_error_although_the_upstream_streams(start: Start) -> None:
    opening = start("answers-500").open()
    assert isinstance(opening, Opened)
    outcome = opening.session.request({"format": "alpha", "text": "box/two", "stream": True})
    assert isinstance(outcome, Crashed)
    assert outcome.sentence == "answered 500 before it asked the upstream: not this one"


def test_garbage_before_the_stream(start: Start) -> None:
    opened = start("is-garbage").open()
    assert isinstance(opened, Opened)
    outcome = opened.session.request({"format": "alpha", "text": "box/two", "stream": True})
    assert isinstance(outcome, ProtocolError)


def test_an_address_of_the_gateway_s_own(start: Start, tmp_path: Path) -> None:
    paths = 'path = "/mine/{model}"\nstream_path = "/mine/{model}:askStream"'
    assert start(client=f"[client.alpha]\n[client.beta]\n{paths}").play(Source(EVENTS), "beta", "alpha").data == STREAM
    assert noted_lines(Place(tmp_path), "posts") == ["/mine/b:askStream "]


def test_an_address_that_says_nothing_of_streams(start: Start) -> None:
    gateway = start(client='[client.alpha]\npath = "/alpha"\n[client.beta]\npath = "/mine/{model}"')
    assert isinstance(gateway.open("alpha"), Opened)  # there the body asks for it
    outcome = gateway.open("beta")
    assert outcome == UnsupportedOutcome(
        "gateway.toml: [client.beta] has a path and no stream_path: streams of that API are asked for at another one"
    )
