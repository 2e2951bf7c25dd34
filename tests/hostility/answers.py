"""How a server answers that is hostile: the bytes of an HTTP reply, by the name of a way."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterable, Iterator
from random import Random

from hostility import texts

HEAD = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\n%s\r\n"


def drip(piece: bytes) -> Iterator[bytes]:
    while True:
        yield piece
        time.sleep(0.1)


def endless(piece: bytes) -> Iterator[bytes]:
    while True:
        yield piece


def hostile_answer(good: bytes, value: str, draw: Random) -> Iterable[bytes]:
    """What a server sends in place of a good JSON body, in pieces; some have no end."""
    length = b"content-length: %d\r\n" % len(good)
    whole = HEAD % (b"200 OK", length) + good
    packed = gzip.compress(b"[" * 100_000_000) if value == "gzip-bomb" else b"no gzip"
    zipped = b"content-encoding: gzip\r\ncontent-length: %d\r\n" % len(packed)
    plain = {
        "closes": b"",
        "redirects": HEAD % (b"307 Over there", b"location: /elsewhere\r\ncontent-length: 0\r\n"),
        "redirects-away": HEAD % (b"302 Found", b"location: http://192.0.2.1/\r\ncontent-length: 0\r\n"),
        "status-999": HEAD % (b"999 Odd", length) + good,
        "status-text": HEAD % (b"abc OK", length) + good,
        "status-0": HEAD % (b"0 OK", length) + good,
        "long-header": HEAD % (b"200 OK", length + b"x: " + b"y" * 1_000_000 + b"\r\n") + good,
        "injected-header": HEAD % (b"200 OK", length + b"x: \x1b[2J\xff\x00\r\n") + good,
        "half-header": HEAD[:20],
        "short-body": HEAD % (b"200 OK", b"content-length: 100000\r\n") + good,
        "long-length": HEAD % (b"200 OK", b"content-length: " + b"9" * 5_000 + b"\r\n") + good,
        "negative-length": HEAD % (b"200 OK", b"content-length: -5\r\n") + good,
        "two-lengths": HEAD % (b"200 OK", length + b"content-length: 3\r\n") + good,
        "bad-chunk": HEAD % (b"200 OK", b"transfer-encoding: chunked\r\n") + b"zz\r\n" + good,
        "gzip-bomb": HEAD % (b"200 OK", zipped) + packed,
        "gzip-broken": HEAD % (b"200 OK", zipped) + packed,
        "type-odd": whole.replace(b"application/json", b"\x1b;;;charset=rot13"),
        "nothing": HEAD % (b"204 No Content", b""),
        "bytes": bytes(range(256)) * 10,
        "events": HEAD % (b"200 OK", b"") + b"data: {}\n\n" * 20_000,
        "http-0.9": good,
    }
    if value in plain:
        return [plain[value]]
    if value == "hangs":
        return drip(b"")
    if value == "drips-header":
        return drip(b"H")
    if value == "continues":
        return drip(b"HTTP/1.1 100 Continue\r\n\r\n")
    if value == "endless-header":
        return endless(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000)
    if value == "drips-body":
        return (piece for part in ([HEAD % (b"200 OK", b"")], drip(b" ")) for piece in part)
    if value in ("endless-body", "event-endless"):
        return (piece for part in ([HEAD % (b"200 OK", b"")], endless(b"x" * 100_000)) for piece in part)
    spoilt = texts.mutate_document(json.loads(good), value, draw)
    return [HEAD % (b"200 OK", b"content-length: %d\r\n" % len(spoilt)) + spoilt]
