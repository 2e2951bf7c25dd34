"""Writes doubles to ``corpus/verdicts/``, for judges in any language: ``python tests doubles.export [WORD …]``.

A word is a rule, a family, or the name of a verdict or its beginning: then only the verdicts that break that rule, come
near it or are so called are made again, and the other lines stay as they are. A double that has a verdict keeps its
place and its ``since``. The line of a double that is gone goes, and so does a family's empty file.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from doubles.catalogue import Double, doubles, exported_lines, file_of, root
from toolcall_conformance.basics import atomic_files
from toolcall_conformance.basics.jsonstyle import dump_line
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import sorted_lines, stream_value, verdict_files

AGAIN = "write it anew: python tests doubles.export"


def line_of(double: Double) -> bytes | None:
    """The line of a double in its family's file; None if no body and no stream shows its fault."""
    example = double.shown()
    if example is None:
        return None
    is_stream = example["direction"] == "stream"
    bodies: dict[str, Any] = {
        key: _line_value(example, key) for key in ("request", "source", "output", "usual") if key in example
    }
    content: dict[str, Any] = {
        "name": double.name,
        "kind": double.kind,
        "title": double.title,
        "expect": list(double.rules) if double.kind == "broken" else [],
        "may_warn": list(double.rules if double.kind == "warning" else double.warns),
        **({"follows": list(double.follows)} if is_stream else {}),
        **({"beside": list(double.beside)} if double.beside else {}),
        "since": (double.exported() or {}).get("since", load_corpus().version),
        **({"thread": double.thread} if double.thread else {}),
        **{key: value for key, value in example.items() if key not in bodies},
        **bodies,
    }
    return dump_line(content).encode()


def _line_value(example: dict[str, Any], key: str) -> Any:
    """A body as a line holds it: the path of a golden, a stream as text, else the body itself."""
    value = example[key]
    if isinstance(value, bytes):
        return stream_value(value)
    path = _golden(example, key)
    return value if path is None else path.relative_to(load_corpus().root).as_posix()


def _golden(example: dict[str, Any], key: str) -> Path | None:
    """The file of the case that holds a body, to the order of its keys."""
    case = load_corpus().cases.get(example["case"])
    if case is None or key not in ("source", "request") or isinstance(example[key], str):
        return None
    direction = example["direction"]
    end = "client" if key == "request" or direction == "request" else "upstream"
    exchange = case.exchanges(example[end])[example["exchange"] - 1]
    if key == "request" or direction in ("request", "loop"):
        body, path = exchange.request, exchange.request_path
    elif direction == "error":
        body, path = exchange.error, exchange.error_path
    else:
        body, path = exchange.response, exchange.response_path
    return path if dump_line(body) == dump_line(example[key]) else None


def content_of(family: str, anew: Sequence[Double]) -> bytes:
    """The content of a family's file, with new lines of these doubles; empty if it has no line."""
    names = {double.name for double in doubles() if double.family == family}
    lines = {name: line for name, line in exported_lines(family).items() if name in names}
    for double in anew:
        line = line_of(double)
        lines.pop(double.name, None)
        if line is not None:
            lines[double.name] = line
    return sorted_lines(lines.values())


def named_doubles(words: Sequence[str]) -> list[Double]:
    """The doubles that words name; all if there is no word. Raises ValueError for a word that names none."""
    selection: dict[str, Double] = {}
    for word in words:
        here = [each for each in doubles() if word in _words_of(each)]
        if not here:
            raise ValueError(f"{word}: no rule that a double breaks or comes near, no family, and no name of a double")
        selection |= {each.name: each for each in here}
    return list(selection.values()) if words else list(doubles())


def _words_of(double: Double) -> set[str]:
    rules = {*double.rules, *double.warns, *double.follows, *double.beside}
    return rules | {double.family, f"{double.family}/{double.fault}", double.name}


def main(words: Sequence[str]) -> int:
    """Write the files; prints how many verdicts changed."""
    if not root().is_relative_to(Path(__file__).parents[2]):
        print(f"{root()} is not the corpus of these tests: install this checkout (pip install -e)", file=sys.stderr)
        return 2
    anew: dict[str, list[Double]] = defaultdict(list)
    try:
        for double in named_doubles(words):
            anew[double.family].append(double)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    contents = {file_of(family): content_of(family, members) for family, members in anew.items()}
    before = {path: path.read_bytes() if path.is_file() else b"" for path in contents}
    atomic_files.write_all([(path, contents[path]) for path in contents if contents[path] not in (b"", before[path])])
    gone = [path for path, content in contents.items() if not content and path.is_file()]
    if not words:
        gone += [path for path in verdict_files(root().parent) if path not in contents]
    for path in gone:
        before.setdefault(path, path.read_bytes())
        path.unlink()
    lines = [set(before[path].splitlines()) ^ set(contents.get(path, b"").splitlines()) for path in before]
    count = sum(len(content.splitlines()) for content in contents.values())
    print(f"{count} verdicts in {sum(map(bool, contents.values()))} files, {sum(map(len, lines))} lines changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
