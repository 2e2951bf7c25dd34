"""The sources for translators: bodies of a case of the corpus, and those in a file, whatever wraps them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from toolcall_conformance.basics.foreign_files import is_too_deep, read_bytes
from toolcall_conformance.basics.jsonvalue import JSONError
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats.recognition import recognise_body, recognise_events
from toolcall_conformance.library import Case, Corpus

Way = Literal["request", "response", "stream"]
WAYS: tuple[Way, ...] = ("request", "response", "stream")
SUFFIXES = frozenset({".json", ".jsonl", ".sse", ".txt"})
"""The files of a folder that are looked into."""

_DEPTH = 6
_STREAM = re.compile(r"\A\ufeff?\s*(?:data|event|id):")


@dataclass(frozen=True, slots=True)
class SourceBody:
    """A body of the format ``format``: a request, a reply, or a stream as ``streaming.parse`` has it.

    ``case`` is the case of the corpus that it stands in, in its exchange ``exchange``, counted from 0.
    """

    way: Way
    format: str
    body: Any
    case: Case | None = None
    exchange: int = 0


def case_bodies(case: Case) -> list[SourceBody]:
    """The bodies of a case in all its formats."""
    return [*_case_bodies(case)]


def _case_bodies(case: Case) -> Iterator[SourceBody]:
    for name in case.formats:
        for number, exchange in enumerate(case.exchanges(name)):
            yield SourceBody("request", name, exchange.request, case, number)
            if exchange.response is not None:
                yield SourceBody("response", name, exchange.response, case, number)
            if exchange.stream_path is not None:
                stream = parse(exchange.stream())
                yield SourceBody("stream", name, {"events": stream["events"]}, case, number)


def file_bodies(corpus: Corpus, path: Path) -> list[SourceBody]:
    """The bodies in a file that are of one format beyond doubt; none where it cannot be read. Raises OSError."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    if _STREAM.match(text):
        return [*_stream_bodies(corpus, text)]
    document = _json(text)
    if document is not None:
        return [*_within(corpus, document, 0)]
    lines = [_json(line) for line in text.splitlines() if line.strip()]
    if not lines or not all(isinstance(line, dict) for line in lines):
        return []
    return [*_event_bodies(corpus, lines)] or [body for line in lines for body in _within(corpus, line, 0)]


def files(folder: Path) -> list[Path]:
    """The files of a folder that may hold bodies, in order."""
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())


def _within(corpus: Corpus, value: Any, depth: int) -> Iterator[SourceBody]:
    """The bodies that a JSON value is or holds: recordings wrap them, each in another way."""
    if isinstance(value, str):
        if _STREAM.match(value):
            yield from _stream_bodies(corpus, value)
        elif value.startswith("{"):  # HAR and other logs hold bodies as texts
            yield from _within(corpus, _json(value), _DEPTH)
        return
    kinds = recognise_body(corpus, value, ("request", "response"))
    if kinds:
        if len(kinds) == 1:
            yield SourceBody("request" if kinds[0].direction == "request" else "response", kinds[0].format, value)
        return
    if depth < _DEPTH and isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _within(corpus, entry, depth + 1)


def _stream_bodies(corpus: Corpus, text: str) -> Iterator[SourceBody]:
    stream = parse(text.encode("utf-8", "surrogatepass"))
    events = stream["events"]
    names = recognise_events(corpus, [event["data"] for event in events])
    if len(names) == 1 and "broken" not in stream:
        yield SourceBody("stream", names[0], {"events": events})


def _event_bodies(corpus: Corpus, events: Sequence[Any]) -> Iterator[SourceBody]:
    """The stream whose events are one a line, without their framing."""
    names = recognise_events(corpus, events)
    if len(names) != 1:
        return
    last = corpus.transports[names[0]]["stream"].get("last")
    framed = [
        {**({"event": event["type"]} if isinstance(event.get("type"), str) else {}), "data": event} for event in events
    ]
    if last is not None:
        framed.append({"data": last})
    yield SourceBody("stream", names[0], {"events": parse(dump(framed))["events"]})


def _json(text: str) -> Any:
    try:
        value = parse_json(text)
    except JSONError:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return None
    return None if is_too_deep(value) else value
