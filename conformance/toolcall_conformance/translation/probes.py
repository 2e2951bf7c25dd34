"""Probe instances: values near the edges of two schemas, to see which of them accepts what."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import jsonschema
import referencing

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import canonical

MOST = 300
SAMPLES: dict[str, list[Any]] = {
    "string": ["", "a", "some text", "2026-11-21", "x" * 300],
    "integer": [0, 1, -1, 7, 10**9],
    "number": [0, 1.5, -2.25],
    "boolean": [True, False],
    "null": [None],
    "array": [[], ["a"], [1], [{}], ["a", "a", 2]],
    "object": [{}, {"unlisted": 1}],
}


def compare_by_probes(source: Any, output: Any) -> tuple[Any, Any]:
    """``(narrowed, widened)``: a value valid only before, and one valid only after; MISSING where there is none."""
    before, after = _validator(source), _validator(output)
    narrowed: Any = MISSING
    widened: Any = MISSING
    seen: set[str] = set()
    for probe in islice(_probes(source, output), MOST):
        name = canonical(probe)
        if name in seen:
            continue
        seen.add(name)
        old, new = before.is_valid(probe), after.is_valid(probe)
        if old and not new and narrowed is MISSING:
            narrowed = probe
        if new and not old and widened is MISSING:
            widened = probe
    return narrowed, widened


def _validator(schema: Any) -> Any:
    registry: referencing.Registry[Any] = referencing.Registry()
    return jsonschema.Draft202012Validator(schema, registry=registry)


def _probes(source: Any, output: Any) -> Iterator[Any]:
    for samples in SAMPLES.values():
        yield from samples
    yield from _instances(source)
    yield from _instances(output)


def _instances(schema: Any, depth: int = 0) -> Iterator[Any]:
    """Values that fit a schema, or miss it by one step."""
    if not isinstance(schema, dict) or depth > 5:
        return
    yield from schema.get("enum", [])
    for key in ("anyOf", "oneOf", "allOf"):
        for branch in schema.get(key) or []:
            yield from _instances(branch, depth + 1)
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(schema.get(key), (int, float)):
            yield from (schema[key] - 1, schema[key], schema[key] + 1)
    for key in ("minLength", "maxLength"):
        if isinstance(schema.get(key), int) and schema[key] <= 2000:
            yield from ("x" * max(schema[key] + step, 0) for step in (-1, 0, 1))
    types = schema.get("type") or []
    for name in types:
        yield from SAMPLES.get(name, [])
    if "array" in types or "items" in schema:
        for entry in islice(_instances(schema.get("items"), depth + 1), 12):
            yield [entry]
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from _objects(schema, properties, depth)


def _objects(schema: dict[str, Any], properties: dict[str, Any], depth: int) -> Iterator[Any]:
    firsts = {name: next(_instances(entry, depth + 1), "a") for name, entry in properties.items()}
    required = [name for name in schema.get("required") or [] if name in firsts]
    yield {name: firsts[name] for name in required}
    yield dict(firsts)
    yield {**firsts, "unlisted": 1}
    for name in firsts:
        yield {key: value for key, value in firsts.items() if key != name}
        for value in islice(_instances(properties[name], depth + 1), 8):
            yield {**firsts, name: value}
