"""Recognises the format and direction of a body, even a faulty one, by its members.

The signs are in ``formats/<format>/signs.json`` of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from toolcall_conformance.library import Corpus
from toolcall_conformance.library.files import read_json

DIRECTIONS = ("request", "response", "error")
_MIN_POINTS = 3
"""A body with fewer points is not recognised: other JSON has one or two of these members, too."""
_MAX_ENTRIES = 40
"""How many entries of a list are checked: conversations may be long."""
_PYTHON_TYPES = {"string": str, "integer": int, "object": dict, "array": list, "boolean": bool}


@dataclass(frozen=True, slots=True)
class BodyKind:
    """The format of a body and its direction: ``request``, ``response``, ``stream`` (one event) or ``error``."""

    format: str
    direction: str


def recognise_body(corpus: Corpus, body: Any, directions: Sequence[str] = DIRECTIONS) -> list[BodyKind]:
    """Return the kinds with the most points, several if they are equal; empty if all have too few points."""
    if not isinstance(body, dict):
        return []
    points = {
        BodyKind(name, direction): sum(_points(body, sign) for sign in signs[direction])
        for name, signs in _signs(corpus.root).items()
        for direction in directions
        if name in corpus.formats
    }
    most = max(points.values(), default=0)
    if most < _MIN_POINTS or other_api(corpus, body, most) is not None:
        return []
    return [kind for kind, score in points.items() if score == most]


def other_api(corpus: Corpus, body: Any, least: int = 2 * _MIN_POINTS) -> str | None:
    """Return the API outside the corpus whose body this is, if it has at least ``least`` points; else None."""
    scores = {
        name: max(sum(_points(body, sign) for sign in signs[direction]) for direction in ("request", "response"))
        for name, signs in _other_apis(corpus.root).items()
    }
    best = max(scores, key=lambda name: scores[name], default=None)
    return best if best is not None and scores[best] >= max(least, 2 * _MIN_POINTS) else None


def has_container(corpus: Corpus, kind: BodyKind, body: Mapping[str, Any]) -> bool:
    """Whether a body has the member with its content, as ``messages`` or ``choices``; a part of a body has not."""
    containers = corpus.format(kind.format).get("containers", {}).get(kind.direction)
    return containers is None or any(key in body for key in containers)


def recognise_events(corpus: Corpus, events: Sequence[Any]) -> list[str]:
    """Return the formats that most events of a stream may belong to; empty if none is recognised."""
    points: dict[str, int] = dict.fromkeys(corpus.formats, 0)
    for event in [*events][:_MAX_ENTRIES]:
        for kind in recognise_body(corpus, event, ["stream"]):
            points[kind.format] += 1
    most = max(points.values(), default=0)
    return [name for name, score in points.items() if score == most] if most else []


@lru_cache(maxsize=8)
def _signs(root: Path) -> Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]:
    return {path.parent.name: read_json(path) for path in sorted((root / "formats").glob("*/signs.json"))}


@lru_cache(maxsize=8)
def _other_apis(root: Path) -> Mapping[str, Any]:
    path = root / "other-apis.json"
    other_apis: Mapping[str, Any] = read_json(path) if path.is_file() else {}
    return other_apis


def _points(body: Any, sign: Mapping[str, Any]) -> int:
    """Return the sign's weight if the body has the sign, else 0."""
    return (
        int(sign["weight"])
        if any(_matches_sign(value, sign) for value in _values_at(body, sign["at"].split("/")[1:]))
        else 0
    )


def _matches_sign(value: Any, sign: Mapping[str, Any]) -> bool:
    if "is" in sign:
        return isinstance(value, str) and value in sign["is"]
    if "prefix" in sign:
        return isinstance(value, str) and value.startswith(sign["prefix"])
    return "type" not in sign or isinstance(value, _PYTHON_TYPES[sign["type"]])


def _values_at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    if not steps:
        yield value
    elif steps[0] == "*" and isinstance(value, list):
        for entry in value[:_MAX_ENTRIES]:
            yield from _values_at(entry, steps[1:])
    elif isinstance(value, dict) and steps[0] in value:
        yield from _values_at(value[steps[0]], steps[1:])
