"""Hostile documents: JSON with a hostile value somewhere, and bytes that are no document at all."""

from __future__ import annotations

import copy
import gzip
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from hostility.values import HALF, INJECTED

RAW = "\0raw\0"
"""Stands in a document for JSON text that Python cannot hold or write."""

JSON: Mapping[str, Any] = {
    "null": None,
    "true": True,
    "zero": 0,
    "negative": -1,
    "fraction": 1.5,
    "large-number": 2**70,
    "text": "text",
    "empty-text": "",
    "empty-list": [],
    "empty-object": {},
    "list": [None, 1, "a", {}, []],
    "object": {"a": 1, "type": "nothing"},
    "half": HALF,
    "half-key": {HALF: 1},
    "injected": INJECTED,
    "injected-key": {INJECTED: INJECTED},
    "nul": "a\0b",
    "long-name": "n" * 5_000,
    "huge": "x" * 2_000_000,
    "many": [0] * 50_000,
    "keys": {f"k{at}": at for at in range(20_000)},
    "path": "../../../../etc/passwd",
    "absolute": "/dev/zero",
    "address": "http://[::1",
    "date": "9999-99-99T99:99:99Z",
    "pattern": "(a+)+$",
    "expression-open": "(",
    "expression-many": "x{4294967296}",
    "expression-deep": "(" * 5_000 + ")" * 5_000,
    "expression-all": "[\\s\\S]+",
    "stars": "*" * 60 + "none",
    "pointer": "/~2/~",
    "prototype": {"__proto__": {"a": 1}},
    "reference": {"$ref": "#/$defs/self", "$defs": {"self": {"$ref": "#/$defs/self"}}},
    "far-reference": {"$ref": "file:///etc/passwd"},
    "integer-as-text": "9" * 5_000,
}
"""By name."""
WRITTEN: Mapping[str, str] = {
    "nan": "NaN",
    "infinity": "-Infinity",
    "overflow": "1e999",
    "digits": "9" * 10_000,
    "deep": "[" * 100_000 + "]" * 100_000,
    "deep-900": '{"a":' * 900 + "1" + "}" * 900,
    "twice": '{"a": 1, "a": 2}',
    "half-escape": '"\\ud800"',
    "comment": "/* 1 */",
    "trailing": "1,",
    "control": '"\x01\x1b[2J"',
}
"""By name, JSON text that stands for itself."""


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    paths = [path]
    if isinstance(value, dict):
        for key, entry in value.items():
            paths += _places(entry, (*path, key))
    elif isinstance(value, list):
        for at, entry in enumerate(value):
            paths += _places(entry, (*path, at))
    return paths


def mutate_document(document: Any, name: str, draw: Random) -> bytes:
    """The document as JSON with a hostile value at a place that is drawn, or a member of a hostile name next to it."""
    document = copy.deepcopy(document)
    hostile = RAW if name in WRITTEN else JSON[name]
    path = draw.choice(_places(document))
    if not path:
        document = hostile
    else:
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        if isinstance(holder, dict) and isinstance(hostile, str) and draw.random() < 0.2:
            holder[hostile] = holder.pop(path[-1])
        else:
            holder[path[-1]] = hostile
    text = json.dumps(document)
    if name in WRITTEN:
        text = text.replace(json.dumps(RAW), WRITTEN[name])
    return text.encode("utf-8", "surrogatepass")


def _fifo(path: Path, _: bytes) -> None:
    os.mkfifo(path)


def _write_changed(change: Callable[[bytes], bytes]) -> Callable[[Path, bytes], object]:
    return lambda path, good: path.write_bytes(change(good))


FILES: Mapping[str, Callable[[Path, bytes], object]] = {
    "file-pipe": _fifo,
    "file-zeros": lambda path, _: path.symlink_to("/dev/zero"),
    "file-loop": lambda path, _: path.symlink_to(path),
    "file-missing": lambda _path, _: None,
    "file-directory": lambda path, _: path.mkdir(),
    "file-empty": _write_changed(lambda _: b""),
    "file-nul": _write_changed(lambda _: b"\0" * 1000),
    "file-half": _write_changed(lambda good: good[: len(good) // 2]),
    "file-bom": _write_changed(lambda good: b"\xef\xbb\xbf" + good),
    "file-utf16": _write_changed(lambda good: good.decode().encode("utf-16")),
    "file-bytes": _write_changed(lambda _: bytes(range(256)) * 10),
    "file-twice": _write_changed(lambda good: good + good),
    "file-gzip": _write_changed(gzip.compress),
    "file-bomb": _write_changed(lambda _: gzip.compress(b"[" * 50_000_000)),
    "file-brackets": _write_changed(lambda _: b"[" * 100_000),
    "file-braces": _write_changed(lambda _: b'{"a":' * 100_000),
    "file-lines": _write_changed(lambda _: b"\n" * 1_000_000),
    "file-yaml-tag": _write_changed(lambda _: b"!!python/object/apply:os.system ['touch pwned']"),
    "file-laughs": _write_changed(
        lambda _: (
            b"a0: &a0 [x]\n"
            + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 12))
        )
    ),
    "file-events": _write_changed(lambda _: b"data: {}\n\n" * 50_000),
    "file-event-endless": _write_changed(lambda _: b"data: " + b"x" * 3_000_000),
    "file-injected": _write_changed(lambda _: INJECTED.encode("utf-8", "surrogatepass") * 10),
}
"""By name, how a file is made hostile; given its path and its good content."""


def names() -> list[str]:
    """Of all hostile documents."""
    return [*JSON, *WRITTEN, *FILES]


def make(path: Path, document: Any, name: str, draw: Random) -> None:
    """Write a document hostilely."""
    if name in FILES:
        FILES[name](path, json.dumps(document).encode())
    else:
        path.write_bytes(mutate_document(document, name, draw))


def word(name: str, draw: Random) -> str:
    """A hostile word: for a command line, the environment, or a line of a file."""
    text = "x" if name in FILES else mutate_document("x", name, draw).decode("utf-8", "surrogateescape")
    return text.strip('"')


def make_toml(path: Path, table: Mapping[str, Any], name: str, draw: Random, header: str = "") -> None:
    """Write a table of TOML with a hostile value for one of its keys, or under a key of a hostile name."""
    if name in FILES:
        FILES[name](path, toml_text(table, header).encode())
        return
    key = draw.choice([*table])
    hostile = RAW if name in WRITTEN else JSON[name]
    if isinstance(table[key], list) and draw.random() < 0.5:
        hostile = [hostile, *table[key]]
    changed = {hostile: 1, **table} if isinstance(hostile, str) and draw.random() < 0.2 else {**table, key: hostile}
    text = toml_text(changed, header)
    if name in WRITTEN:
        text = text.replace(json.dumps(RAW), WRITTEN[name])
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def toml_text(table: Mapping[str, Any], header: str = "") -> str:
    """A table as TOML."""
    return "\n".join([header, *(f"{json.dumps(key)} = {_to_toml(value)}" for key, value in table.items()), ""])


def _to_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_to_toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_to_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=isinstance(value, str) and HALF in value)
