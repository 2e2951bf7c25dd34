"""The verdicts of a corpus: ``verdicts/<family>.jsonl``, on each line a translation and what a judge must say of it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.library import packs

Verdict = Mapping[str, Any]


def verdict_files(root: Path) -> list[Path]:
    """The files of a corpus's verdicts, one a family, in the order of their names."""
    folder = root / "verdicts"
    return [folder / name for name in packs.folder(folder).names(folder) if name.endswith(".jsonl")]


def verdict_lines(path: Path) -> list[bytes]:
    """The lines of a file, a verdict each."""
    return packs.folder(path.parent).read(path).splitlines()


def read_verdicts(root: Path) -> Iterator[Verdict]:
    """Every verdict of a corpus as its line says it: a golden body is a path, a stream a text."""
    for path in verdict_files(root):
        yield from map(json.loads, verdict_lines(path))


def whole_verdict(root: Path, verdict: Verdict) -> dict[str, Any]:
    """A verdict with the bodies that it names by a path; its streams as bytes."""
    document = dict(verdict)
    for key in ("source", "request"):
        if isinstance(verdict.get(key), str):
            path = root / verdict[key]
            content = packs.folder(path.parents[1]).read(path)
            document[key] = content if key == "source" and verdict["direction"] == "stream" else json.loads(content)
    if verdict["direction"] == "stream":
        document |= {key: stream_bytes(verdict[key]) for key in ("output", "usual") if key in verdict}
    return document


def stream_bytes(stream: str | Mapping[str, str]) -> bytes:
    """The bytes of a stream, which a verdict holds as text, or as ``{"base64": …}`` where it is no UTF-8."""
    return stream.encode() if isinstance(stream, str) else base64.b64decode(stream["base64"])


def stream_value(stream: bytes) -> str | dict[str, str]:
    """The bytes of a stream as a verdict holds them."""
    try:
        return stream.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(stream).decode()}


def sorted_lines(lines: Iterable[bytes]) -> bytes:
    """The content of a file: lines in the order of the verdicts' names."""
    return b"".join(line + b"\n" for line in sorted(lines, key=lambda line: json.loads(line)["name"]))
