"""A gateway that translates with the reference: ``mixing_gateway.py KIND PORT``, on loopback.

Its arguments of calls are collected, in one buffer for all streams (``mixing``) or one for each (``sound``).
``serial``: the same as ``sound``, one request at a time.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from doubles.sending_sessions import ADDRESSES
from doubles.sessions.shared_streams import (
    ArgumentsOfAllStreams,
    ArgumentsOfEachStream,
    HoldingArguments,
)
from toolcall_conformance.basics.contract import Route

CLIENT, UPSTREAM = "openai_chat", "anthropic"
SHARED: dict[str, Any] = {}


class Handler(BaseHTTPRequestHandler):
    """Passes each request on, and the stream back as it comes."""

    session: type[HoldingArguments] = ArgumentsOfEachStream

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        route = Route(CLIENT, UPSTREAM, body["model"], body["model"], stream=True)
        session = self.session(route, SHARED)
        url = self.headers["x-upstream-url"] + ADDRESSES.request_path(UPSTREAM, body["model"], stream=True)
        headers = ADDRESSES.request_headers(UPSTREAM, self.headers["x-upstream-key"])
        request = urllib.request.Request(url, json.dumps(session.request(body)).encode(), headers)
        with urllib.request.urlopen(request, timeout=20) as reply:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for piece in session.stream(_pieces(reply)):
                self.wfile.write(piece)


class Mixing(Handler):
    """Keeps what it collects for all streams."""

    session = ArgumentsOfAllStreams


def _pieces(reply: Any) -> Iterator[bytes]:
    while piece := reply.read1(65536):
        yield piece


def main(words: Iterable[str]) -> None:
    kind, port = words
    server = HTTPServer if kind == "serial" else ThreadingHTTPServer
    server(("127.0.0.1", int(port)), Mixing if kind == "mixing" else Handler).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
