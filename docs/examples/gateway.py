"""A small HTTP gateway: Chat Completions before Anthropic, by the translator beside it. gateway.toml starts it."""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from translator import Refused, Session

Body = dict[str, Any]
Headers = dict[str, str]

UPSTREAM, KEY = os.environ["ANTHROPIC_BASE_URL"], os.environ["ANTHROPIC_API_KEY"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Say that the gateway is there."""
        self.answer(200, {})

    def do_POST(self) -> None:
        """Translate a request, ask the provider, and translate its answer."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions":
            self.answer(404, {"error": {"message": f"nothing at {self.path}"}})
        elif body.get("stream"):
            self.answer(501, {"error": {"message": "no streams yet"}})
        else:
            self.answer(*exchange(body))

    def answer(self, status: int, body: Body, headers: Headers | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, text in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def exchange(body: Body) -> tuple[int, Body, Headers]:
    session = Session(body["model"])
    try:
        status, reply, headers = ask(session.request(body))
    except Refused as why:
        return 400, {"error": {"message": str(why), "type": "invalid_request_error"}}, {}
    return (200, session.response(reply), {}) if status == 200 else session.error(status, reply, headers)


def ask(body: Body) -> tuple[int, Body, Headers]:
    """Ask the provider: status, body and headers of its answer."""
    headers = {"content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{UPSTREAM}/v1/messages", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, json.load(reply), {}
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), {name.lower(): text for name, text in error.headers.items()}


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
