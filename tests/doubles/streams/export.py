"""What of a stream double stands in ``corpus/verdicts/``: the stream that its client got, and what a judge must say.

A file ``<format>.json`` tells what was sent and names the files of what came, ``<format>.sse``. Of a
habit that is the same in several formats one is exported; a fault in when something came, or in what was raised, is in
no file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from doubles.running import JUDGES
from doubles.streams.model import StreamDouble, stream_doubles
from doubles.streams.running import Told, run
from toolcall_conformance.jsonstyle import written
from toolcall_conformance.library import Exchange, load_corpus
from toolcall_conformance.streaming import dump

IN_NO_FILE = frozenset({"translation/stream-at-once", "translation/crashed"})
PIECES_ONLY = frozenset({"as_it_is", "single_bytes", "two_pieces_at_once", "tail_without_blank_line_dropped"})


@dataclass(frozen=True)
class Shown:
    """The exchange in which a double is exported: what was fed and came out, and of a recut one what came usually."""

    number: int
    told: Told
    usual: Told | None


def shown(double: StreamDouble) -> Shown | None:
    """Where the fault stands, or the habit; None if it stands in no bytes."""
    if double.change.__name__ in PIECES_ONLY or not IN_NO_FILE.isdisjoint(double.rules):
        return None
    found = run(double)
    if double.variant == "":
        guilty = [one.body for one in found.result.findings if one.rule in double.rules]
        for number, told in enumerate(found.told, 1):
            if not double.rules or any(name.startswith(f"{number:02d}-") for name in guilty):
                return Shown(number, told, None)
    told = found.told[-1]  # a check ends with the first that it finds
    if told.raised or told.said == b"":
        return None
    return Shown(1, told, found.told[0] if double.variant == "recut" else None)


@cache
def exported() -> tuple[StreamDouble, ...]:
    """Those that have a file."""
    first: dict[Any, StreamDouble] = {}
    for double in stream_doubles("harmless"):
        first.setdefault(double.title, double)
    return tuple(
        double
        for double in stream_doubles()
        if (double.kind != "harmless" or double in first.values()) and shown(double) is not None
    )


def path_of(double: StreamDouble) -> Path:
    return load_corpus().root / "verdicts" / f"{double.name}.json"


def files_of(double: StreamDouble) -> dict[Path, bytes]:
    """Every file of a double, with its content."""
    found = shown(double)
    assert found is not None
    path, case = path_of(double), load_corpus().cases[double.case]
    golden = case.exchanges(double.upstream)[found.number - 1]
    assert golden.stream_path is not None
    content: dict[str, Any] = {
        "name": double.name,
        "kind": double.kind,
        "title": double.title,
        "direction": "stream",
        "client": double.client,
        "upstream": double.upstream,
        "client_model": case.model(double.client),
        "upstream_model": case.model(double.upstream),
        "case": double.case,
        "exchange": found.number,
        "request": case.exchanges(double.client)[found.number - 1]
        .request_path.relative_to(load_corpus().root)
        .as_posix(),
        "source": golden.stream_path.relative_to(load_corpus().root).as_posix(),
    }
    files = {path.with_suffix(".sse"): found.told.said}
    if double.variant == "cut":
        content |= _cut(golden, found.told, double.upstream)
    content["output"] = path.with_suffix(".sse").name
    if found.usual is not None:
        content["usual"] = path.with_suffix(".usual.sse").name
        files[path.with_suffix(".usual.sse")] = found.usual.said
    content |= {
        "expect": list(double.rules) if double.kind == "broken" else [],
        "follows": list(double.follows),
        "may_warn": list(double.rules if double.kind == "warning" else double.warns),
        "since": load_corpus().version,
    }
    if double.thread:
        content["thread"] = double.thread
    return {path: written(content).encode(), **files}


def _cut(golden: Exchange, told: Told, upstream: str) -> dict[str, Any]:
    """How far the upstream's stream came, in bytes, and what came then: its end, nothing, or its own error."""
    assert golden.stream_path is not None
    whole, fed = golden.stream_path.read_bytes(), b"".join(told.fed)
    failing = dump([JUDGES.transports[upstream]["stream"]["error"]])
    failed = fed.endswith(failing) and not whole.startswith(fed)
    length = len(fed) - len(failing) if failed else len(fed)
    assert whole.startswith(fed[:length])
    return {"source_bytes": length, "source_then": "error" if failed else "lost" if told.lost else "end"}
