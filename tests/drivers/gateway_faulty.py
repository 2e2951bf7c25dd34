"""A gateway between the miniature corpus's formats, with one fault: ``gateway_faulty.py FAULT PORT UPSTREAM``.

Faults of a call come with bodies of the case box/two, and a case ``fault/NAME`` has the fault of its name; others come
at the gateway's start or its end. A client says in headers which provider to ask, and where. Every process writes its
id to the file ``pids``. Streams pass through at once; their faults come after the first piece, or at the end.
"""

from __future__ import annotations

import http.client
import io
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

FAULT = sys.argv[1]
WORDS = "these are my last words"


class Done(Exception):  # noqa: N818 - no error: the answer has been given, or never will be
    pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if FAULT == "ready-elsewhere":
            self.say(302, b"", location="http://127.0.0.1:9/login")
            return
        self.say(503 if FAULT == "never-ready" else 200, {"ok": True})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        note("posts", f"{self.path} {self.headers.get('x-case', '')}")
        fault = fault_of(body["text"])
        try:
            if fault != "none":
                print(WORDS)
                self.fail_before_reading(fault)
            if body.get("stream") or ":askStream" in self.path:
                self.stream(fault, body)
                return
            reply = self.ask(fault, body)
            if fault != "none":
                self.fail_after_reply(fault)
        except (Done, OSError):  # or the client has gone
            return
        self.say(200, {"format": "alpha" if self.path == "/alpha" else "beta", "text": reply["text"]})

    def fail_before_reading(self, fault: str) -> None:
        match fault:
            case "dies":
                os._exit(3)
            case "is-killed":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "hangs" | "hangs-alone":
                time.sleep(60)
            case "is-garbage":
                self.raw(b"\x00\x01 hello\r\n\r\n")
            case "is-another-protocol":
                self.raw(b"SSH-2.0-OpenSSH_9.9\r\n")
            case "closes":
                self.raw(b"")
            case "asks-no-upstream":
                self.say(200, {"text": "from a cache"})
            case "is-a-page":
                self.say(200, b"<html>welcome</html>", "text/html")
            case "redirects":
                self.say(307, b"", location="/elsewhere")
            case "answers-500" | "answers-400" | "answers-404" | "answers-401" | "answers-501":
                self.say(int(fault[-3:]), {"error": {"message": "not this one"}})
            case "answers-502-in-words":
                self.say(502, b"Bad Gateway", "text/plain")
            case _:
                return
        raise Done

    def stream(self, fault: str, body: dict[str, Any]) -> None:
        reply = self.ask(fault, body, stream=True)
        kind = {"is-json": "application/json", "is-plain": "text/plain"}.get(fault, "text/event-stream")
        self.raw(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        if fault == "waits-for-the-end":
            self.chunk(reply.read())
        try:
            while piece := reply.read1(65536):
                self.chunk(piece)
                if fault != "none":
                    self.fail_within_reply(fault)
        except http.client.IncompleteRead:
            return  # and so does the client's stream end
        if fault == "ends-too-early":
            return
        self.raw(b"0\r\n\r\n")

    def fail_within_reply(self, fault: str) -> None:
        match fault:
            case "dies-in-it":
                os._exit(3)
            case "hangs-in-it":
                time.sleep(60)
            case "closes-in-it":
                self.raw(b"")
            case "is-garbage-in-it":
                time.sleep(0.3)  # in one piece with what came before, it would spoil that as well
                self.raw(b"\x00\x01 hello\r\n\r\n")
            case "never-ends":
                try:
                    while True:
                        self.chunk(b"data: again\n\n" * 65536)
                except OSError:
                    note("broken-off", "yes")
            case _:
                return
        raise Done

    def chunk(self, data: bytes) -> None:
        self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    def ask(self, fault: str, body: dict[str, Any], *, stream: bool = False) -> Any:
        upstream = self.headers["x-upstream"]
        base = urlsplit(self.headers["x-upstream-url"] or sys.argv[3])
        model = {"other-model": "another", "lower-case": self.headers["x-model"].lower()}.get(
            fault, self.headers["x-model"]
        )
        headers = {"content-type": "application/json"}
        headers |= {"x-alpha-key": "mine"} if upstream == "alpha" else {"x-beta-key": "Key mine", "x-beta-version": "2"}
        path = "/alpha" if upstream == "alpha" else f"/beta/{quote(model, safe='')}:ask"
        sent: Any = {"format": upstream, "text": body["text"]}
        key = self.headers["x-alpha-key"] or self.headers["x-beta-key"]
        match fault:
            case "another-api":
                path = "/alpha" if upstream == "beta" else f"/beta/{model}:ask"
            case "no-api" | "looks-around-and-errs":
                path = "/v9/ask"
            case "no-version":
                del headers["x-beta-version"]
            case "leaks-in-a-header":
                headers["x-also"] = f"Bearer {key}"
            case "leaks-in-the-query":
                path += f"?key={key}"
            case "leaks-in-the-body":
                sent["user"] = key
            case "sends-a-list":
                sent = [sent]
            case "asks-for-no-stream":
                stream = False
        if stream and upstream == "beta":
            path = path.replace(":ask", ":askStream?alt=sse")
        elif stream:
            sent["stream"] = True
        data = {"sends-no-json": b"{text", "sends-no-utf-8": b'{"text": "\xff"}'}.get(fault, json.dumps(sent).encode())
        connection = http.client.HTTPConnection(base.hostname or "", base.port, timeout=30)
        method = "PUT" if fault == "another-method" else "POST"
        if fault in ("looks-around-first", "looks-around-and-errs"):
            connection.request("GET", base.path + "/models")
            connection.getresponse().read()
        connection.request(method, base.path + path, data, headers)
        reply = connection.getresponse()
        if stream and reply.status == 200:
            return reply
        content = reply.read()
        if reply.status != 200:
            self.say(502, {"error": {"message": f"the provider answered {reply.status}"}})
            raise Done
        if body.get("stream") or ":askStream" in self.path:
            return io.BytesIO(b"data: " + content + b"\n\n")
        return json.loads(content)

    def fail_after_reply(self, fault: str) -> None:
        match fault:
            case "dies-after":
                os._exit(3)
            case "hangs-after":
                time.sleep(60)
            case "is-garbage-after":
                self.raw(b"\x00\x01 hello\r\n\r\n")
            case "closes-after":
                self.raw(b"")
            case "half-a-body":
                self.raw(b'HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n{"text": ')
            case "half-a-chunk":
                self.raw(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"text": \r\n400\r\n')
            case "garbage-for-a-chunk":
                self.raw(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"text": \r\n')
                time.sleep(0.3)
                self.raw(b"\x00\x01 hello\r\n\r\n")
            case "no-gzip":
                self.raw(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}")
            case "is-a-page-after":
                self.say(200, b"<html>welcome</html>", "text/html")
            case "is-empty-after":
                self.say(200, b"", "application/json")
            case "no-utf-8":
                self.say(200, b'{"text": "\xff"}')
            case "is-a-list":
                self.say(200, [1])
            case "two-keys":
                self.say(200, b'{"text": 1, "text": 2}')
            case "a-gigabyte":
                self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n")
                try:
                    for _ in range(1024):
                        self.wfile.write(b" " * 1048576)
                except OSError:
                    note("broken-off", "yes")
                self.close_connection = True
            case "drips":
                self.write_endlessly(b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n", b" ")
            case "continues-for-ever":
                self.write_endlessly(b"", b"HTTP/1.1 100 Continue\r\n\r\n")
            case "answers-500-after" | "answers-400-after":
                self.say(int(fault[8:11]), {"error": {"message": "cannot read that"}})
            case _:
                return
        raise Done

    def write_endlessly(self, head: bytes, piece: bytes) -> None:
        self.wfile.write(head)
        while True:
            self.wfile.write(piece)
            time.sleep(0.1)

    def raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()
        self.close_connection = True

    def say(self, status: int, body: Any, kind: str = "application/json", **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, text in {"content-type": kind, "content-length": str(len(data)), **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def fault_of(text: str) -> str:
    family, _, name = text.partition(" ")[0].partition("/")
    if family == "fault":
        return name
    return FAULT if "box/two" in text else "none"


def note(file: str, text: str) -> None:
    with Path(file).open("a", encoding="utf-8") as notes:
        notes.write(f"{text}\n")


def main() -> None:
    note("pids", str(os.getpid()))
    note("ports", sys.argv[2])
    match FAULT:
        case "exits":
            sys.exit("no licence found")
        case "exits-with-0":
            sys.exit(0)
        case "never-listens":
            print("thinking about it")
            time.sleep(60)
        case "starts-slowly":
            time.sleep(1.5)
        case "starts-very-slowly":
            time.sleep(2.5)
        case "banners":
            print("\x1b[32m*** GATEWAY 3000 ***\x1b[0m\n" * 2000)
            print("warning: \udcff".encode("utf-8", "surrogateescape"), file=sys.stderr)
        case "ignores-sigterm":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        case "leaves-a-grandchild":
            text = "import os, socket, sys, time\nopen('pids', 'a').write(f'{os.getpid()}\\n')\ntime.sleep(60)"
            subprocess.Popen([sys.executable, "-c", text])
    kind = HTTPServer if FAULT == "hangs-alone" else ThreadingHTTPServer
    server = kind(("127.0.0.1", int(sys.argv[2])), Handler)
    if FAULT == "leaves-the-port":
        # One who leaves the group and keeps the socket.
        os.set_inheritable(server.fileno(), True)
        text = "import os, time\nopen('escaped', 'a').write(f'{os.getpid()}\\n')\ntime.sleep(60)"
        subprocess.Popen(
            [sys.executable, "-c", text],
            close_fds=False,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not Path("escaped").exists():
            time.sleep(0.01)
    server.serve_forever()


if __name__ == "__main__":
    if FAULT == "starts-once":
        FAULT = "dies"
        if Path("pids").exists():
            note("pids", str(os.getpid()))
            sys.exit("the database is locked")
    main()
