"""A child that copies streams and does one thing wrong in the middle of one: ``python exec_stream_faulty.py FAULT``.

The fault comes at the second piece of a stream of the case ``box/two``. It supports the routes from a format to itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from exec_protocol import WORDS, die, tell, write  # type: ignore[import-not-found]  # a child finds it beside itself

FAULT = sys.argv[1]
FOREVER = 600.0
MIDDLE = 2


def hang() -> None:
    os.write(2, WORDS)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(FOREVER)


def endless(seq: int) -> None:
    write(b'{"seq": %d, "chunks": ["' % seq)
    for _ in range(1_000):
        write(b"QUFB" * 250_000)


# By fault, what is done in the middle of the stream instead of an answer.
INSTEAD: dict[str, Callable[[int], None]] = {
    "dies": lambda _seq: die(),
    "hangs": lambda _seq: hang(),
    "garbage": lambda _seq: write(b"{garbage}\n"),
    "wrong-seq": lambda seq: tell(seq=seq - 1, chunks=[]),
    "endless-line": endless,
    "no-base64": lambda seq: tell(seq=seq, chunks=["", "a line\n"]),
    "bytes-as-text": lambda seq: tell(seq=seq, chunks=["data: ä"]),
    "one-chunk": lambda seq: tell(seq=seq, chunks="QUFB"),
    "number": lambda seq: tell(seq=seq, chunks=[1]),
    "no-chunks": lambda seq: tell(seq=seq),
    "body": lambda seq: tell(seq=seq, chunks=[], body={}),
    "losses": lambda seq: tell(seq=seq, chunks=[], losses=[]),
    "two-results": lambda seq: tell(seq=seq, refused="no", failed="no"),
    "refuses": lambda seq: tell(seq=seq, refused="not this one", chunks=["QUFB"]),
    "raises": lambda seq: tell(seq=seq, failed="TypeError: no", traceback="at mine.js:7:1"),
    "unsupported": lambda seq: tell(seq=seq, unsupported="no streams"),
    "too-much": lambda seq: tell(seq=seq, chunks=["QUFB" * 3_000_000]),
}


def main() -> None:
    pieces = 0
    for line in sys.stdin.buffer:
        message = json.loads(line)
        reply: dict[str, Any] = {"body": message.get("body")}
        match message["op"]:
            case "hello":
                reply = {"protocol": 1}
            case "open":
                route = message["route"]
                reply = {"operations": ["request", "response", "stream"]}
                if route["client"] != route["upstream"]:
                    reply = {"unsupported": "another format"}
            case "stream-open":
                pieces, reply = 0, {"chunks": []}
            case "stream-chunk":
                pieces += 1
                reply = {"chunks": [message["chunk"]]}
                if message["case"] == "box/two" and pieces >= MIDDLE and FAULT in INSTEAD:
                    INSTEAD[FAULT](message["seq"])
                    continue
            case "stream-end":
                reply = {"chunks": []}
                if message["end"] == "lost":
                    reply["failed"] = "ConnectionError: lost"
            case "close":
                reply = {}
        tell(seq=message["seq"], **reply)


main()
