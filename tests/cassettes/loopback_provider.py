"""A provider on loopback: it records the requests, and sends the planned replies one after the other."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from toolcall_conformance.library import Case, Corpus

KEY = "sk-test-Zq81hRk2mVw9LtB4xN7pYc3e"


@dataclass(frozen=True)
class CommandResult:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


Record = Callable[..., CommandResult]


@dataclass(frozen=True)
class ReceivedRequest:
    path: str
    query: str
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class PlannedReply:
    """An answer. ``breaks``: the connection ends after these bytes, though more were announced."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    breaks: bool = False
    silent: bool = False


@dataclass
class Provider:
    """``answers`` may be a function of the request. ``url`` is that of the host alone."""

    url: str = ""
    answers: list[PlannedReply | Callable[[ReceivedRequest], PlannedReply]] = field(default_factory=list)
    asked: list[ReceivedRequest] = field(default_factory=list)


@contextmanager
def provider() -> Iterator[Provider]:
    provider_state = Provider()
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = ReceivedRequest(parts.path, parts.query, headers, json.loads(self.rfile.read(length)))
            provider_state.asked.append(request)
            if not provider_state.answers:
                answer = PlannedReply(b'{"error": {"message": "nothing more was laid ready"}}', 500)
            else:
                laid = provider_state.answers.pop(0)
                answer = laid(request) if callable(laid) else laid
            if answer.silent:
                released.wait(10)
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(answer.body) + 100 * answer.breaks))
            self.end_headers()
            self.wfile.write(answer.body)
            if answer.breaks:
                self.wfile.flush()
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider_state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider_state
    finally:
        released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def base_url(corpus: Corpus, name: str, url: str) -> str:
    """The base URL as the SDK takes it, with the path that its own one has."""
    own: str = corpus.transports[name]["sdk"]["base_url"]
    return url + urlsplit(own).path


def fresh(case: Case, name: str, text: str) -> str:
    """A golden body with other ids of its calls, as a real model would draw new ones."""
    for old in case.scenario["ids"].get(name, {}).values():
        if old:
            text = text.replace(old, old[:-4] + "Real")
    return text


def replies(case: Case, name: str, *, streamed: bool) -> list[PlannedReply | Callable[[ReceivedRequest], PlannedReply]]:
    """The golden replies of a case, as the provider sends them, with ids of its own."""
    answers: list[PlannedReply | Callable[[ReceivedRequest], PlannedReply]] = []
    for exchange in case.exchanges(name):
        path = exchange.stream_path if streamed else exchange.response_path
        assert path is not None
        kind = "text/event-stream; charset=utf-8" if streamed else "application/json"
        text = fresh(case, name, path.read_text(encoding="utf-8"))
        answers.append(
            PlannedReply(text.encode(), headers={"content-type": kind, "request-id": "req_0123", "set-cookie": "a=b"})
        )
    return answers
