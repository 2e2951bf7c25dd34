"""How many requests gateways serve, and how soon: the same scripted provider behind all, in one run.

``python tests benchmarks.gateways litellm=DIRECTORY/gateway.toml portkey=DIRECTORY/gateway.toml`` compares the
reference's gateway with others, each as its TOML file for ``gateway:`` starts it (``toolcall-conformance adapters NAME
DIRECTORY``). All run at once and are asked in turn, so that what else the machine does falls on all of them.

* *Requests per second*: so many connections, each asking again as soon as it was answered.
* *First byte*: milliseconds until the first byte of an answer's body; of a stream, of its first event.

The provider answers at once, from a process of its own. ``direct`` is that provider without a gateway: what client and
provider themselves take. Ratios are the other's figure to the reference's.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.gateway.config import GatewayConfig, fill_template, load_config
from toolcall_conformance.drivers.gateway.process import GatewayProcess
from toolcall_conformance.drivers.upstream import Addresses
from toolcall_conformance.library import Corpus, load_corpus

REFERENCE = "reference"
DIRECT = "direct"
OWN = Path(__file__).parents[1] / "gateway" / "gateway.toml"
CASE = "shell/seed"
LEVELS = (1, 50, 500)


@dataclass
class Measured:
    """Answers in ``seconds``, and how long each one's first byte took, in seconds."""

    seconds: float = 0.0
    first: list[float] = field(default_factory=list)
    failed: int = 0

    @property
    def rate(self) -> float:
        return len(self.first) / self.seconds if self.seconds else 0.0

    @property
    def wait(self) -> float:
        return statistics.median(self.first) * 1000 if self.first else float("nan")


class Answering(asyncio.Protocol):
    """The provider's side of one connection: whole replies, and streams an event a piece."""

    def __init__(self, whole: bytes, events: list[bytes]) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s\r\n\r\n"
        self._whole = head % (b"application/json", b"content-length: %d" % len(whole)) + whole
        self._head = head % (b"text/event-stream", b"transfer-encoding: chunked")
        self._events = [b"%x\r\n%s\r\n" % (len(event), event) for event in events] + [b"0\r\n\r\n"]
        self._came = bytearray()
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self._came += data
        while (request := _take_request(self._came)) is not None:
            streams = b'"stream":true' in request.replace(b" ", b"") or b":stream" in request.partition(b"\r\n")[0]
            if not streams:
                self._transport.write(self._whole)
                continue
            self._transport.write(self._head)
            for event in self._events:
                self._transport.write(event)


def _take_request(data: bytearray) -> bytes | None:
    """Take a request off what came, where one is complete; its body has a length or comes in chunks."""
    end = data.find(b"\r\n\r\n") + 4
    if end < 4:
        return None
    head = bytes(data[:end]).lower()
    if b"transfer-encoding: chunked" in head:
        last = data.find(b"0\r\n\r\n", end)
        size = last + 5 if last >= 0 else -1
    else:
        size = end + int(head.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
    if not 0 < size <= len(data):
        return None
    request = bytes(data[:size])
    del data[:size]
    return request


class Asking(asyncio.Protocol):
    """The client's side of one connection: asks, and asks again when it is answered, until ``until``."""

    def __init__(self, request: bytes, measurement: Measured, until: float, done: asyncio.Future[None]) -> None:
        self._request, self._found, self._until, self._done = request, measurement, until, done
        self._came = bytearray()
        self._asked = self._first = 0.0
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._came.clear()
        self._asked, self._first = time.perf_counter(), 0.0
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Take a piece of the answer."""
        self._came += data
        end = self._came.find(b"\r\n\r\n") + 4
        if not 4 <= end < len(self._came):
            return
        self._first = self._first or time.perf_counter()
        head = bytes(self._came[:end]).lower()
        _, measured, length = head.partition(b"content-length:")
        over = (
            len(self._came) - end >= int(length.partition(b"\r\n")[0])
            if measured
            else self._came.endswith(b"0\r\n\r\n")
        )
        if not over:
            return
        if head[9:12] == b"200":
            self._found.first.append(self._first - self._asked)
        else:
            self._found.failed += 1
        if time.perf_counter() < self._until:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._found.failed += error is not None
        if not self._done.done():
            self._done.set_result(None)


async def _measure_requests(url: str, request: bytes, connections: int, seconds: float) -> Measured:
    """What so many connections are answered in so many seconds."""
    measurement, loop = Measured(), asyncio.get_running_loop()
    parts = urlsplit(url)
    start = time.perf_counter()
    ends: list[asyncio.Future[None]] = [loop.create_future() for _ in range(connections)]
    for end in ends:
        await loop.create_connection(
            partial(Asking, request, measurement, start + seconds, end), parts.hostname or "", parts.port or 80
        )
    _, late = await asyncio.wait(ends, timeout=seconds + 30)
    measurement.failed += len(late)
    measurement.seconds = time.perf_counter() - start
    return measurement


@dataclass
class Gateway:
    """One that is measured: where it listens, and how it is asked."""

    name: str
    version: str
    url: str
    requests: dict[bool, bytes]
    found: dict[tuple[bool, int], list[Measured]] = field(default_factory=dict)


def request_of(corpus: Corpus, config: GatewayConfig | None, process: Any, route: Route, *, stream: bool) -> bytes:
    """The bytes of a client's request."""
    addresses = Addresses(corpus.transports)
    name = route.client if config else route.upstream
    body = dict(corpus.cases[CASE].exchanges(name)[0].request)
    model, more = route.upstream_model, {}
    if config is not None:
        values = {"model": model, "upstream": process.upstream, "upstream_key": "key", "client_key": "key"}
        side = config.upstreams[route.upstream]
        model = fill_template(side.model, values)
        more = {
            name: fill_template(text, values) for name, text in {**config.clients[name].headers, **side.headers}.items()
        }
    if stream:
        body |= corpus.transports[name]["stream"]["body"]
    if "model" in body:
        body["model"] = model
    data = json.dumps(body).encode()
    lines = {**addresses.request_headers(name, "key"), **more, "host": "127.0.0.1", "content-length": str(len(data))}
    head = f"POST {addresses.request_path(name, model, stream=stream)} HTTP/1.1\r\n"
    return (head + "".join(f"{key}: {text}\r\n" for key, text in lines.items()) + "\r\n").encode() + data


class _Started:
    """A gateway's process, and the provider's port and path."""

    def __init__(self, config: GatewayConfig, upstream: str) -> None:
        self.upstream = upstream
        self.process = GatewayProcess(config, upstream, lambda sentence: print(sentence, file=sys.stderr))


@contextlib.contextmanager
def run_gateways(others: dict[str, Path], route: Route, corpus: Corpus) -> Iterator[list[Gateway]]:
    """All measured gateways, before one provider."""
    with contextlib.ExitStack() as stack:
        command = [sys.executable, __file__, "--provider", route.upstream]
        provider = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(provider.terminate)
        assert provider.stdout is not None
        upstream = provider.stdout.readline().strip()
        direct = {stream: request_of(corpus, None, None, route, stream=stream) for stream in (False, True)}
        gateways = [Gateway(DIRECT, "", upstream, direct)]
        own = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, path in {REFERENCE: _gateway_settings(own), **others}.items():
            config = load_config(path, formats.names())
            started = _Started(config, upstream)
            started.process.start()
            stack.callback(started.process.stop)
            requests = {stream: request_of(corpus, config, started, route, stream=stream) for stream in (False, True)}
            gateways.append(Gateway(name, config.version or "", started.process.url, requests))
        yield gateways


def _gateway_settings(folder: Path) -> Path:
    """The file of the reference's gateway, for this interpreter."""
    for path in OWN.parent.glob("*.toml"):
        text = path.read_text(encoding="utf-8").replace('"python"', json.dumps(sys.executable))
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder / OWN.name


def table(gateways: list[Gateway], levels: list[int]) -> Iterator[str]:
    """A row for each gateway, level and kind of answer, the medians of all rounds."""
    yield f"{'':24}{'connections':>12}{'requests/s':>12}{'ratio':>8}{'first byte ms':>15}{'ratio':>8}{'failed':>8}"
    own = next(gateway for gateway in gateways if gateway.name == REFERENCE)
    for stream in (False, True):
        for level in levels:
            rate, wait = _middle(own.found[stream, level])
            for gateway in gateways:
                runs = gateway.found[stream, level]
                here, late = _middle(runs)
                name = f"{gateway.name} {gateway.version} {'stream' if stream else 'whole'}"
                yield (
                    f"{name:24}{level:12}{here:12.0f}{here / rate if rate else 0:8.2f}{late:15.1f}"
                    f"{late / wait:8.2f}{sum(run.failed for run in runs):8}"
                )


def _middle(runs: list[Measured]) -> tuple[float, float]:
    return statistics.median(run.rate for run in runs), statistics.median(run.wait for run in runs)


async def _provide(upstream: str) -> None:
    """Be the provider, until this process ends; prints where it listens."""
    exchange = load_corpus().cases[CASE].exchanges(upstream)[0]
    assert exchange.stream_path is not None
    blank = b"\r\n\r\n" if b"\r\n\r\n" in exchange.stream_path.read_bytes() else b"\n\n"
    events = [event + blank for event in exchange.stream_path.read_bytes().split(blank) if event]
    whole = json.dumps(exchange.response).encode()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(whole, events), "127.0.0.1", 0, backlog=2048)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def main(arguments: list[str]) -> int:
    """Measure and print; the exit status: 1 if the reference failed a request."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("others", nargs="*", metavar="NAME=FILE", help="other gateways, by their TOML files")
    parser.add_argument("--route", default="openai_chat-to-anthropic", help="(openai_chat-to-anthropic)")
    parser.add_argument("--connections", type=int, nargs="+", default=list(LEVELS), help="(1 50 500)")
    parser.add_argument("--seconds", type=float, default=3, help="how long each is asked, in each round (3)")
    parser.add_argument("--rounds", type=int, default=3, help="how often all are asked in turn (3)")
    parser.add_argument("--provider", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.provider:
        asyncio.run(_provide(options.provider))
    corpus = load_corpus()
    client, _, upstream = options.route.partition("-to-")
    case = corpus.cases[CASE]
    route = Route(client, upstream, case.model(client), case.model(upstream))
    others = {name: Path(path) for name, _, path in (text.partition("=") for text in options.others)}
    with run_gateways(others, route, corpus) as gateways:
        for gateway in gateways:
            for request in gateway.requests.values():  # what is imported or made at the first request
                asyncio.run(_measure_requests(gateway.url, request, 1, 1))
        for stream in (False, True):
            for level in options.connections:
                for _ in range(options.rounds):
                    for gateway in gateways:
                        measurement = asyncio.run(
                            _measure_requests(gateway.url, gateway.requests[stream], level, options.seconds)
                        )
                        gateway.found.setdefault((stream, level), []).append(measurement)
        for line in table(gateways, options.connections):
            print(line)
    own = next(gateway for gateway in gateways if gateway.name == REFERENCE)
    return int(any(run.failed for runs in own.found.values() for run in runs))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
