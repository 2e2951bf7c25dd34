"""Streams without a fault, to be damaged: of the corpus, and recorded where there are any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.library import Corpus
from witnesses.damage_generator import Source

MAX_EVENTS = 80
"""Streams of more events are left out: they take long, and hold nothing that shorter ones have not."""


def sources(corpus: Corpus, name: str, cases: Iterable[str], *, recorded: bool) -> list[Source]:
    """The whole streams of a format: those of cases of the corpus, then the recorded ones; each once."""
    sources_by_body: dict[bytes, Source] = {}
    for where, data in chain(_golden(corpus, name, cases), _recorded_streams(name) if recorded else ()):
        stream = {"events": parse(data)["events"]}
        if 0 < len(stream["events"]) <= MAX_EVENTS and formats.assemble(name, stream).end == "whole":
            sources_by_body.setdefault(dump(stream["events"]), Source(where, name, stream))
    return list(sources_by_body.values())


def _golden(corpus: Corpus, name: str, cases: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for case in map(corpus.cases.__getitem__, cases):
        for exchange in case.exchanges(name) if name in case.formats and name not in case.dialects else ():
            if exchange.stream_path is not None:
                yield f"{case.id}/{exchange.number:02}", exchange.stream_path.read_bytes()


def _recorded_streams(name: str) -> Iterator[tuple[str, bytes]]:
    for record in records(name) if TRAFFIC.is_dir() else ():
        if record.content["sse"] and record.content["stream_format"] == "sse" and record.is_official(name):
            yield record.path, record.content["sse"].encode("utf-8", "surrogatepass")
