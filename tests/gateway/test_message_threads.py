"""The official tool runners of Anthropic's API, whose loop runs over a message thread, before a provider without one.

That of npm needs Node.js and the modules of ``tool_runner/package.json``: ``npm ci`` in a copy of that folder, whose
path is then in ``TOOLCALL_TOOL_RUNNER``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from clients.replies import STREAMED, WHOLE, Answer, Wish
from gateway.gateway_runs import answer_in_turn, reply_with, serve_gateway, stream_with

SCRIPT = Path(__file__).with_name("tool_runner") / "run.mjs"
QUESTION = "Is the pressure at gauge 7 too high?"
ANSWERS = (Answer("1", "", (Wish("call_1", "read_gauge", {"gauge": "7"}),)), Answer("2", "No: 1.1 bar."))
SECONDS = 60
_OF_THIS_CONNECTION = ("host", "accept-encoding")

Runner = Callable[[str, bool], str]
"""Runs the loop against a server, whole or streamed; what was said last."""


def run_python_loop(url: str, stream: bool) -> str:
    anthropic = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")

    @anthropic.beta_tool(name="read_gauge")  # type: ignore[untyped-decorator]
    def read_gauge(gauge: str) -> str:
        """Read a gauge."""
        return f"1.1 bar at gauge {gauge}"

    with anthropic.Anthropic(api_key="key", base_url=url, max_retries=0) as client:
        messages = [{"role": "user", "content": QUESTION}]
        runner = client.beta.messages.tool_runner(
            model="mine", max_tokens=100, messages=messages, tools=[read_gauge], stream=stream
        )
        return "".join(block.text for block in runner.until_done().content if block.type == "text")


def run_npm_loop(url: str, stream: bool) -> str:
    node, modules = shutil.which("node"), os.environ.get("TOOLCALL_TOOL_RUNNER", "")
    if node is None or not (Path(modules) / "node_modules" / "@anthropic-ai" / "sdk").is_dir():
        pytest.skip("there is no Node.js, or TOOLCALL_TOOL_RUNNER names no folder in which `npm ci` has run")
    words = [node, str(SCRIPT), modules, url, "STREAMED" if stream else "WHOLE"]
    ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@contextmanager
def recording_relay(url: str) -> Iterator[tuple[str, list[tuple[Any, int]]]]:
    """A way to a gateway that notes each request's body and the status of its answer; its URL and the notes."""
    notes: list[tuple[Any, int]] = []

    class Relay(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            environment = {
                name: text for name, text in self.headers.items() if name.lower() not in ("host", "accept-encoding")
            }
            try:
                with urllib.request.urlopen(
                    urllib.request.Request(url + self.path, data, environment), timeout=20
                ) as reply:
                    status, kind, content = reply.status, reply.headers["content-type"], reply.read()
            except urllib.error.HTTPError as error:
                status, kind, content = error.code, error.headers["content-type"], error.read()
            notes.append((json.loads(data), status))
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    thread = threading.Thread(target=server.serve_forever, name="relay")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", notes
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("runner", [run_python_loop, run_npm_loop], ids=["python", "npm"])
def test_a_refused_continue_makes_the_runner_send_the_whole_again(runner: Runner, stream: bool) -> None:
    upstream = "openai_chat"
    if stream:
        answers = [stream_with(*STREAMED[upstream](each, "theirs")) for each in ANSWERS]
    else:
        answers = [reply_with(WHOLE[upstream](each, "theirs")) for each in ANSWERS]
    with (
        serve_gateway(answer_in_turn(*answers), upstream, {"models": {"*": "theirs"}}) as gateway,
        recording_relay(gateway.url) as (url, notes),
    ):
        assert runner(url, stream) == "No: 1.1 bar."
        sent = gateway.provider.bodies
    threads = [(body.get("thread"), status) for body, status in notes]
    assert [(thread and thread["type"], status) for thread, status in threads] == [
        ("create", 200),
        ("continue", 400),
        (None, 200),
    ]
    continued, whole = notes[1][0]["messages"], notes[2][0]["messages"]
    assert [message["role"] for message in continued] == ["user"]
    assert [message["role"] for message in whole] == ["user", "assistant", "user"]
    assert whole[-1] == continued[-1]
    assert [message["role"] for message in sent[-1]["messages"]] == ["user", "assistant", "tool"]
    assert len(sent) == 2
