"""The places of servers: a child process, an HTTP gateway, a provider that is recorded."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from cassettes.loopback_provider import KEY, PlannedReply, ReceivedRequest, base_url, provider, replies
from hostility import texts
from hostility.place import Place
from hostility.values import INJECTED
from toolcall_conformance import formats, load_corpus
from toolcall_conformance.cli import main

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "docs" / "examples"
LIMIT = "1"
FILTERS = {
    "headers": ["x-request-id"],
    "keys": ["mine"],
    "patterns": ["tick-[0-9]+", {"name": "own", "regex": "mine", "replace": "yours"}],
    "environment": ["MINE"],
    "off": ["email"],
}
Reply = PlannedReply | Callable[[ReceivedRequest], PlannedReply]

LINES = (
    *("closes", "exits", "kills-itself", "hangs", "floods-stdout", "floods-stderr", "half-line", "long-line"),
    *("no-newline", "other-seq", "two-answers", "stdout-closed", "grandchild", "grandchild-apart", "ignores-term"),
    *("injects-stderr", "bytes"),
)
"""What a child does in place of an answer; the other values are put into its answer."""
ANSWERS = (
    *("closes", "hangs", "drips-header", "drips-body", "endless-body", "endless-header", "continues", "redirects"),
    *("redirects-away", "status-999", "status-text", "status-0", "long-header", "injected-header", "half-header"),
    *("short-body", "long-length", "negative-length", "two-lengths", "bad-chunk", "gzip-bomb", "gzip-broken"),
    *("type-odd", "nothing", "bytes", "events", "event-endless", "http-0.9"),
)
"""How a server answers; the other values are put into its body."""


def _line(draw: Random) -> str:
    return draw.choice(LINES if draw.random() < 0.4 else [name for name in texts.names() if name not in texts.FILES])


def _answer(draw: Random) -> str:
    return draw.choice(ANSWERS if draw.random() < 0.5 else [name for name in texts.names() if name not in texts.FILES])


def _child(operation: str) -> Place:
    def play(_folder: Path, value: str, draw: Random) -> int:
        command = [sys.executable, str(HERE / "child.py"), operation, value, str(draw.randrange(10**6))]
        return main(["smoke", f"exec:{' '.join(command)}", "--timeout", LIMIT])

    return Place("child", operation, _line, play, seconds=90.0)


def _gateway(where: str) -> Place:
    def play(folder: Path, value: str, draw: Random) -> int:
        for name in ("gateway.py", "translator.py"):
            shutil.copy(EXAMPLES / name, folder / name)
        text = (EXAMPLES / "gateway.toml").read_text()
        arguments = [
            sys.executable,
            str(HERE / "hostile_gateway.py"),
            "{port}",
            where,
            value,
            str(draw.randrange(10**6)),
        ]
        command = f"command = {json.dumps(arguments)}"
        lines = [command if line.startswith("command") else line for line in text.splitlines()]
        (folder / "gateway.toml").write_text("\n".join(lines))
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
        return main(["smoke", "gateway:gateway.toml", "--timeout", LIMIT])

    return Place("gateway", where, _answer, play, seconds=120.0)


def _gateway_file(folder: Path, value: str, draw: Random) -> int:
    good = {
        "name": "a",
        "command": ["true"],
        "client": {"openai_chat": {}},
        "upstream": {"anthropic": {"model": "{model}"}},
    }
    if value in texts.FILES:
        texts.FILES[value](folder / "gateway.toml", b'name = "a"\n')
    else:
        key = draw.choice(["name", "command", "url", "environment", "files", "ready", "client", "not", "nothing"])
        rest = "\n".join(
            f"{name} = {json.dumps(setting)}"
            for name, setting in good.items()
            if name != key and isinstance(setting, (str, list))
        )
        written = texts.mutate_document(good.get(key, "x"), value, draw).decode("utf-8", "surrogateescape")
        text = f"{key} = {written}\n{rest}\n[upstream.anthropic]\n" + (
            "" if key == "client" else "[client.openai_chat]\n"
        )
        (folder / "gateway.toml").write_text(text, errors="surrogateescape")
    return main(["smoke", "gateway:gateway.toml", "--timeout", LIMIT])


def record_case(name: str, kind: str, answers: Callable[[list[Reply]], list[Reply]], *more: str) -> int:
    """Record a case from a provider that gives these answers, made of the good ones."""
    corpus = load_corpus()
    laid = replies(corpus.cases["shell/seed"], name, streamed=kind == "stream")
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        os.environ.pop(variable, None)
    os.environ[corpus.transports[name]["sdk"]["keys"][0]["variable"]] = KEY
    with provider() as server:
        server.answers = answers(laid)
        target = base_url(corpus, name, server.url)
        arguments = [
            "--format",
            name,
            "--model",
            "model-1",
            "--cassettes",
            "kept",
            "--rate",
            "60000",
            "--max-wait",
            "2",
        ]
        limits = ["--timeout", "2", *more]
        return main(["record", *arguments, "--base-url", target, "--case", "shell/seed", f"--{kind}", *limits])


def _provider(name: str, kind: str) -> Place:
    def play(_folder: Path, value: str, draw: Random) -> int:
        return record_case(name, kind, lambda laid: [*_hostile(laid, value, draw)])

    return Place("provider", f"{kind}-{name}", _answer, play, seconds=40.0, weight=3)


def _filters(folder: Path, value: str, draw: Random) -> int:
    """What else is to be redacted, of a good provider."""
    if draw.random() < 0.5:
        texts.make(folder / "filters", FILTERS, value, draw)
    else:
        texts.make_toml(folder / "filters", FILTERS, value, draw)
    return record_case(draw.choice(formats.names()), "unary", lambda laid: laid, "--filters", "filters")


def _hostile(laid: list[Reply], value: str, draw: Random) -> Iterator[PlannedReply]:
    """Good answers, one of which is hostile."""
    at = draw.randrange(len(laid))
    for number, good in enumerate(laid):
        assert isinstance(good, PlannedReply)
        yield _spoilt(good, value, draw) if number == at else good


def _spoilt(good: PlannedReply, value: str, draw: Random) -> PlannedReply:
    if value in ANSWERS:
        odd = {
            "closes": PlannedReply(good.body, breaks=True),
            "hangs": PlannedReply(good.body, silent=True),
            "redirects-away": PlannedReply(b"", 302, {"location": "http://192.0.2.1/"}),
            "redirects": PlannedReply(b"", 307, {"location": "/v1/elsewhere"}),
            "gzip-broken": PlannedReply(good.body, 200, {"content-encoding": "gzip"}),
            "type-odd": PlannedReply(good.body, 200, {"content-type": f"text/{INJECTED[:4]!a};charset=rot13"}),
            "status-999": PlannedReply(good.body, 599),
            "nothing": PlannedReply(b"", 204),
            "events": PlannedReply(b"data: {}\n\n" * 20_000, 200, {"content-type": "text/event-stream"}),
        }
        status = draw.choice([400, 401, 404, 429, 500, 503])
        late = draw.choice(["9" * 50, "-1", "Wed, 99 Foo", "inf", "nan", "1e999", ""])
        return odd.get(value, PlannedReply(bytes(range(256)), status, {"retry-after": late}))
    lines = good.body.split(b"\n")
    places = [number for number, line in enumerate(lines) if line.startswith(b"data: {")]
    if not places:
        return PlannedReply(texts.mutate_document(json.loads(good.body), value, draw), 200, good.headers)
    number = draw.choice(places)
    lines[number] = b"data: " + texts.mutate_document(json.loads(lines[number][6:]), value, draw)
    return PlannedReply(b"\n".join(lines), 200, good.headers)


def places() -> Iterator[Place]:
    """All places of servers."""
    for operation in ("hello", "open", "request", "response", "stream-", "close"):
        yield _child(operation)
    for where in ("ready", "post"):
        yield _gateway(where)
    yield Place("gateway", "file", lambda draw: draw.choice(texts.names()), _gateway_file)
    yield Place("filters", "file", lambda draw: draw.choice(texts.names()), _filters, weight=2)
    for name in formats.names():
        for kind in ("unary", "stream"):
            yield _provider(name, kind)
