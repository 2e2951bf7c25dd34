"""Plays a client through the gateway, and judges what was sent and received."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clients.catalogue import Client
from clients.network_isolation import proxies
from clients.script import END, STEPS, Model
from clients.stage import Exchange, Stage, stage
from toolcall_conformance import Ends, Judge, Requests
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import JSONError, parse

SECONDS = 60
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


@dataclass
class Played:
    """How a client fared before an upstream. ``lost`` names what did not arrive."""

    client: str
    upstream: str
    exit: int | None
    seconds: float
    lost: list[str]
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    """Each with the place: the number of the exchange and ``request`` or ``reply``."""
    troubles: list[str] = field(default_factory=list)
    """What the gateway could not do: its errors and tracebacks."""
    exchanges: int = 0

    @property
    def completed(self) -> bool:
        """Whether the client came to the end, and all arrived."""
        return self.exit == 0 and not self.lost and not self.troubles

    def count(self, level: str) -> Counter[str]:
        """How often each rule of a level was broken by the gateway: by what it sent up, and by what it sent down."""
        return count(self.findings, level)


def count(findings: Iterable[tuple[str, Finding]], level: str) -> Counter[str]:
    """How often each rule of a level was broken, without what the client's own requests break."""
    return Counter(
        finding.rule for place, finding in findings if finding.level.name == level and not place.endswith("own")
    )


async def play(client: Client, upstream: str, installed: Path, judge: Judge, folder: Path) -> Played:
    """Play a client that is ``installed`` before a provider of the format ``upstream``; ``folder`` is scratch."""
    home, work = folder / "home", folder / "work"
    for each in (home, work):
        each.mkdir(parents=True)
    model = Model(upstream, client.shell)
    start = time.monotonic()
    async with stage(judge.corpus, upstream, model.answer, folder) as running:
        status, output = await _run(client, installed, home, work, running.url)
    (folder / "client.log").write_bytes(output)
    _keep(running.exchanges, folder)
    played = Played(client.name, upstream, status, time.monotonic() - start, _missing_steps(running, model, output))
    played.exchanges = len(running.exchanges)
    played.troubles = [*running.tracebacks, *_errors(running)]
    for number, exchange in enumerate(running.exchanges, 1):
        played.findings += [
            (f"{number} {what}", finding) for what, finding in judge_exchange(judge, exchange, client.format, upstream)
        ]
    return played


async def _run(client: Client, installed: Path, home: Path, work: Path, url: str) -> tuple[int | None, bytes]:
    """The exit status of the client, None after the time was up, and what it printed."""
    started = client.start(home, work, url)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TMPDIR": str(work),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "CI": "1",
        **proxies(),
        **started.environment,
    }
    process = await asyncio.create_subprocess_exec(
        str(installed / "node_modules/.bin" / client.program),
        *started.arguments,
        cwd=work,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    except TimeoutError:
        return None, b""
    finally:
        with suppress(ProcessLookupError):  # what it leaves behind ends with it
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, output


def _keep(exchanges: list[Exchange], folder: Path) -> None:
    """Write the bodies, to be looked at."""
    for number, exchange in enumerate(exchanges, 1):
        stem = folder / f"{number:02d}"
        stem.with_suffix(".request.json").write_text(json.dumps(exchange.asked, indent=1), encoding="utf-8")
        stem.with_suffix(".received").write_bytes(exchange.received)
        for _, body, data, _ in exchange.upstream:
            stem.with_suffix(".upstream.json").write_text(json.dumps(body, indent=1), encoding="utf-8")
            stem.with_suffix(".sent").write_bytes(data)


def _missing_steps(running: Stage, model: Model, output: bytes) -> list[str]:
    requests = "\n".join(json.dumps(body) for each in running.exchanges for _, body, _, _ in each.upstream)
    lost = []
    for step in STEPS:
        marks = [mark for _, mark in step.marks if mark not in requests]
        why = " (the tool is not declared)" if step.name in model.skipped else ""
        lost += [f"{step.name}: {mark}{why}" for mark in marks]
    return lost + ([] if END.encode() in output else ["the text"])


def _errors(running: Stage) -> Iterator[str]:
    for each in running.exchanges:
        if each.status >= 400 and (each.format is not None or each.asked is not None):
            yield f"{each.status} at {each.path.partition('?')[0]}: {each.received[:200].decode('utf-8', 'replace')}"


def judge_exchange(judge: Judge, exchange: Exchange, client: str, upstream: str) -> Iterator[tuple[str, Finding]]:
    """The findings on an exchange: the client's own body, the translated request, the translated reply."""
    if exchange.format != client or not isinstance(exchange.asked, dict):
        return
    route = Ends(client, upstream)
    yield from (("own", finding) for finding in judge.body(client, "request", exchange.asked).findings)
    for _, body, data, streamed in exchange.upstream[-1:]:
        yield from (
            ("request", finding) for finding in judge.request(exchange.asked, body, route, captured=True).findings
        )
        requests = Requests(exchange.asked, body)
        if streamed:
            judgement = judge.stream(data, exchange.received, route, requests=requests, captured=True)
        else:
            judgement = _reply(judge, data, exchange.received, route, requests)
        yield from (("reply", finding) for finding in judgement.findings)


def _reply(judge: Judge, data: bytes, received: bytes, route: Ends, requests: Requests) -> Any:
    try:
        return judge.response(parse(data), parse(received), route, requests=requests, captured=True)
    except JSONError:
        return judge.stream(parse(data), received, route, requests=requests, captured=True)
