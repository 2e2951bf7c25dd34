"""Whatever JSON they get, readers and checks never raise, and every pointer that they give can be followed."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")

SEED = 20_261_121

#: The check of a body takes about ten times as long as its reading, so only every fifth is checked.
CHECKED = 5

#: Recorded bodies above this many characters are left out: they are slow and hold nothing more.
MAX_CHARACTERS = 20_000

JUNK: list[Any] = [
    *(None, True, False, 0, -1, 1, 1.5, 2**63, 1e308),
    *("", " ", "{}", "[1]", '{"a": 1', "null", "data:;base64,", "a/b~c", "\ud800", "tool", "function"),
    *([], {}, [[]], [None], [{}], {"": {}}, {"/~": [0]}, {"type": None}, {"type": []}, {"type": {}}, {"role": 7}),
    *({"type": "text"}, {"type": "text", "text": {}}, {"text": 3}, [["a"], {"b": "c"}], {"id": ["x"], "name": {}}),
]

each_format = pytest.mark.parametrize("name", formats.names())


@each_format
def test_mutated_bodies_are_read_and_checked(name: str, corpus: Corpus, pytestconfig: pytest.Config) -> None:
    chance = random.Random(f"{SEED} {name}")
    bodies = [*_examples(name), *_scenarios(name), *_recorded_bodies(name)]
    for count in range(pytestconfig.getoption("--mutations")):
        direction, original = chance.choice(bodies)
        body = copy.deepcopy(original)
        for _ in range(chance.randint(1, 4)):
            body = mutate(chance, body)
        try:
            reading = formats.read(name, direction, body)
            for pointer in pointers(reading):
                resolve(readable_body(name, direction, body), pointer)
            if count % CHECKED == 0:
                for finding in check_body(corpus, name, direction, body, reading=reading):
                    resolve(body, finding.pointer)
        except Exception as error:
            error.add_note(f"{name} {direction}, mutation {count}: {json.dumps(body)[:5_000]}")
            raise


@each_format
@pytest.mark.parametrize("direction", ["request", "response", "error", "stream"])
def test_any_value_is_read_and_checked(name: str, direction: str, corpus: Corpus) -> None:
    if direction == "stream" and formats.get(name).stream is None:
        pytest.skip(f"the streams of {name} cannot be read")
    for body in JUNK:
        for pointer in pointers(formats.read(name, direction, body)):
            resolve(readable_body(name, direction, body), pointer)
        for finding in check_body(corpus, name, direction, body):
            resolve(body, finding.pointer)


def readable_body(name: str, direction: str, body: Any) -> Any:
    """What the pointers of a reading lead into: of a stream it is the reply that it assembles to."""
    module = formats.get(name).stream if direction == "stream" else None
    return body if module is None else module.assemble(body).body


def mutate(chance: random.Random, body: Any) -> Any:
    """``body``, changed in place at one random place, or another value if that place is its root."""
    places = list(_places(body))
    if not places or chance.random() < 0.002:
        return chance.choice(JUNK)
    holder, key = chance.choice(places)
    deed = chance.choice(["replace", "replace", "delete", "insert", "double", "rename", "transplant"])
    if deed == "replace":
        holder[key] = copy.deepcopy(chance.choice(JUNK))
    elif deed == "delete":
        del holder[key]
    elif deed == "transplant":
        other, place = chance.choice(places)
        holder[key] = copy.deepcopy(other[place])
    elif isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key] if deed == "double" else chance.choice(JUNK)))
    elif deed == "rename":
        holder[chance.choice(["", "a/b", "~1", key.upper(), f"{key}s"])] = holder.pop(key)
    else:
        holder[chance.choice([other_key for other, other_key in places if isinstance(other_key, str)])] = copy.deepcopy(
            chance.choice(JUNK)
        )
    return body


def pointers(value: Any) -> Iterator[str]:
    """Every pointer that a reading holds."""
    if is_dataclass(value):
        for field in fields(value):
            entry = getattr(value, field.name)
            if field.name == "pointer" or field.name.endswith("_pointer"):
                if entry is not None:
                    yield entry
            else:
                yield from pointers(entry)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from pointers(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from pointers(entry)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    if isinstance(value, (dict, list)):
        for key, entry in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from _places(entry)


@cache
def _examples(name: str) -> list[tuple[str, Any]]:
    rules = map(read_json, sorted((default_root() / "formats" / name / "rules").glob("*.json")))
    return [(rule["direction"], rule["obeys"]) for rule in rules]


@cache
def _scenarios(name: str) -> list[tuple[str, Any]]:
    return [
        (path.stem.split("-")[1], read_json(path))
        for path in sorted((default_root() / "scenarios").glob(f"*/*/{name}/*.json"))
        if path.stem.endswith(("-request", "-response", "-error"))
    ]


@cache
def _recorded_bodies(name: str) -> list[tuple[str, Any]]:
    bodies: list[tuple[str, Any]] = []
    for path in sorted((TRAFFIC / name).rglob("*.json")) if TRAFFIC.is_dir() else []:
        record = json.loads(path.read_text(encoding="utf-8"))
        bodies += [
            (direction, record[direction])
            for direction in ("request", "response")
            if isinstance(record[direction], dict) and len(json.dumps(record[direction])) <= MAX_CHARACTERS
        ]
    return bodies
