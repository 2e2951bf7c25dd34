"""The shapes of real bodies that no golden of the corpus has, and the reasons why they are left.

The bodies are recorded exchanges, what published clients send, and other projects' golden files (``foreign.py``).

``python tests shapes.unseen [FORMAT …]`` prints them for the providers' own
hosts, ``--compatible`` for those of compatible vendors: ``[records, repositories]``, the shape, an example. Of a place
that is left, what stands inside it is left, too, and not printed. With ``--all`` those with a reason are printed, too.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from formats.test_traffic import OFFICIAL, Record, records
from shapes import foreign, listing
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import default_root

FAILED = 400


@dataclass(frozen=True, slots=True)
class Reason:
    """Why shapes have no case. ``patterns`` match a format and a shape as one text; ``compatible``: of vendors only."""

    patterns: tuple[re.Pattern[str], ...]
    reason: str
    compatible: bool

    def fitting(self, name: str, shape: str, *, compatible: bool) -> Iterator[re.Pattern[str]]:
        """Its patterns that a shape fits."""
        if compatible or not self.compatible:
            yield from (pattern for pattern in self.patterns if pattern.fullmatch(f"{name} {shape}"))


@cache
def reasons() -> tuple[Reason, ...]:
    """All reasons, from ``reasons.json``."""
    entries = _file()["reasons"]
    return tuple(
        Reason(tuple(map(re.compile, entry["shapes"])), entry["reason"], entry.get("compatible", False))
        for entry in entries
    )


def max_shapes_per_reason() -> int:
    """How many shapes one reason may explain; ``why`` next to it in ``reasons.json`` says what the number is for."""
    number: int = _file()["most"]
    return number


@cache
def _file() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(__file__).with_name("reasons.json").read_bytes())
    return document


def faults(entries: Sequence[Reason], limit: int, format_shapes: Iterable[tuple[str, str, bool]]) -> Iterator[str]:
    """What is wrong with reasons: no text, a pattern that nothing fits, more shapes than a reason may explain.

    ``format_shapes`` are the shapes that are left: format, shape, and whether they are those of compatible vendors.
    """
    shapes = list(format_shapes)
    for entry in entries:
        if not entry.reason.strip():
            yield f"no text for {[pattern.pattern for pattern in entry.patterns]}"
        fits = {
            pattern: {
                (name, shape)
                for name, shape, compatible in shapes
                if pattern in entry.fitting(name, shape, compatible=compatible)
            }
            for pattern in entry.patterns
        }
        yield from (f"nothing fits {pattern.pattern}" for pattern, those in fits.items() if not those)
        number = len(set().union(*fits.values()))
        if number > limit:
            yield f"{number} shapes, not {limit}: {entry.reason}"


@cache
def of_corpus(name: str) -> frozenset[str]:
    """The shapes of all goldens of a format."""
    shapes: set[str] = set()
    for path in default_root().glob(f"scenarios/*/*/{name}/*"):
        kind = path.stem.partition("-")[2]
        if path.suffix == ".sse":
            shapes |= listing.of_stream(parse(path.read_bytes())["events"])
        else:
            body = json.loads(path.read_bytes())
            shapes |= listing.of_body(kind, body["body"] if kind == "error" else body)
    return frozenset(shapes)


def of_record(record: Record) -> frozenset[str]:
    """The shapes of an exchange; of one that failed, those of the error."""
    content: Mapping[str, Any] = record.content
    if (content["status"] or 200) >= FAILED:
        return listing.of_body("error", content["response"]) if isinstance(content["response"], dict) else frozenset()
    shapes = frozenset().union(*(listing.of_body(kind, body) for kind, body in record.bodies))
    if content["sse"] and content["stream_format"] == "sse":
        return shapes | listing.of_stream(parse(content["sse"].encode("utf-8", "surrogatepass"))["events"])
    return shapes


@cache
def _record_shapes(name: str) -> list[tuple[str, bool, frozenset[str]]]:
    """Of each body of a format its path, whether it is a compatible vendor's, and its shapes."""
    traffic = [(record.path, is_compatible(record, name), of_record(record)) for record in records(name)]
    return traffic + [(body.path, body.compatible, body.shapes) for body in foreign.bodies() if body.format == name]


def unseen_shapes(name: str, *, compatible: bool) -> dict[str, list[str]]:
    """The outermost shapes that no golden of a format has, each with the paths of the exchanges that show it."""
    corpus_shapes = of_corpus(name)
    paths_by_shape: dict[str, list[str]] = defaultdict(list)
    for path, is_theirs, shapes in _record_shapes(name):
        if is_theirs == compatible:
            for shape in shapes - corpus_shapes:
                paths_by_shape[shape].append(path)
    places = {place_of(shape) for shape in corpus_shapes}
    return {
        shape: paths_by_shape[shape]
        for shape in paths_by_shape
        if all(above in places for above in _above(place_of(shape)))
    }


def is_compatible(record: Record, name: str) -> bool:
    """Whether an exchange was with another host than the provider's own."""
    features = record.content["features"]
    own = re.fullmatch(OFFICIAL[name], record.content["host"] or "") is not None
    return not own or any(feature == "compat_host" or "bedrock" in feature for feature in features)


def place_of(shape: str) -> str:
    """The place of a shape, without the value there."""
    return shape.rpartition(" = " if " = " in shape else ": ")[0]


def _above(place: str) -> Iterator[str]:
    kind, _, way = place.rpartition(" ")
    while kind != "schema" and way.strip("/"):
        way = way.rpartition("/")[0]
        yield f"{kind} {way or '/'}"


def shapes_without_reason(name: str, shapes: Iterable[str], *, compatible: bool) -> list[str]:
    """Those without a reason."""
    return [
        shape
        for shape in shapes
        if not any(any(reason.fitting(name, shape, compatible=compatible)) for reason in reasons())
    ]


def lines(paths_by_shape: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Shapes with counts and an example, the most frequent first."""
    for shape, paths in sorted(paths_by_shape.items(), key=lambda each: (-len(each[1]), each[0])):
        repositories = {path.split("/")[1] for path in paths}  # or the client, or the project of the golden files
        yield f"[{len(paths):3}, {len(repositories):2}] {shape}    {paths[0]}"


def main(arguments: Sequence[str]) -> int:
    """Print what is left; 1 if some of it has no reason."""
    parser = argparse.ArgumentParser(description="shapes of real bodies that no golden has")
    parser.add_argument("formats", nargs="*", default=formats.names())
    parser.add_argument("--compatible", action="store_true", help="those of compatible vendors' hosts")
    parser.add_argument("--all", action="store_true", help="also those that have a reason")
    options = parser.parse_args(arguments)
    without = 0
    for name in options.formats:
        paths_by_shape = unseen_shapes(name, compatible=options.compatible)
        open_ones = shapes_without_reason(name, paths_by_shape, compatible=options.compatible)
        without += len(open_ones)
        print(f"{name}: {len(paths_by_shape)} shapes left, {len(open_ones)} without a reason")
        print(
            *lines(paths_by_shape if options.all else {shape: paths_by_shape[shape] for shape in open_ones}), sep="\n"
        )
    return int(without > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
