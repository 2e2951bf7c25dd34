"""Probe values near the bounds of two schemas: which schema accepts which value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaPair
from toolcall_conformance.judge.translation.schemas.spelling import (
    DANGLING,
    EXTERNAL,
    ILL_TYPED,
    SCHEMA_LISTS,
    SCHEMAS,
    Speller,
)

# Not probed: a pattern may be of another dialect or never end, and hardly any probe would fit it.
UNPROBED = ("pattern", "patternProperties", "format", "description", "default", DANGLING, EXTERNAL, ILL_TYPED)


@dataclass(frozen=True, slots=True)
class Probed:
    """A value valid only before, one valid only after (MISSING where there is none); whether nothing was left out."""

    narrowed: Any
    widened: Any
    certain: bool


def compare_by_probes(place: SchemaPair) -> Probed:
    """Probe two schemas. Never raises, whatever the schemas are."""
    parameters = place.context.corpus.equivalence("schema-branches-rewritten").parameters
    source, output = _Tree(parameters, place.context.source), _Tree(parameters, place.context.output)
    old, new = source.plain(place.left), output.plain(place.right)
    narrowed: Any = MISSING
    widened: Any = MISSING
    names: set[str] = set()
    validator_before, validator_after, validator_meant = _Validator(old), _Validator(new), _Validator(_meant(old))
    values = [_samples(parameters), _ProbeMaker(parameters).instances(old), _ProbeMaker(parameters).instances(new)]
    for probe in islice(_in_turn(values), parameters["most_probes"]):
        name = canonical(probe)
        if name in names:
            continue
        names.add(name)
        before, after = validator_before.accepts(probe), validator_after.accepts(probe)
        if before is True and after is False and narrowed is MISSING and validator_meant.accepts(probe):
            narrowed = probe
        if after is True and before is False and widened is MISSING:
            widened = probe
    return Probed(narrowed, widened, source.whole and output.whole)


class _Validator:
    """Says whether values fit a schema."""

    def __init__(self, schema: Any) -> None:
        self._validator = _kind()(schema)

    def accepts(self, probe: Any) -> bool | None:
        """Whether a value fits; None where the validator raises."""
        try:
            return bool(self._validator.is_valid(probe))
        except Exception:  # pragma: no cover - whatever a validator makes of a schema, the comparison goes on
            return None


@cache
def _kind() -> Any:
    """What makes a validator, which never asks the network; only schemas that nothing else compares need one."""
    import jsonschema
    import referencing

    no_references: referencing.Registry[Any] = referencing.Registry()
    return partial(jsonschema.Draft202012Validator, registry=no_references)


class _Tree:
    """A schema written out without references, as deep as probes go; ``whole``: nothing that matters was left out."""

    def __init__(self, parameters: Mapping[str, Any], speller: Speller) -> None:
        self._known = parameters
        self._speller = speller
        self._size = 0
        self.whole = True

    def written(self, schema: Any, depth: int) -> Any:
        if schema is False:
            return False
        self._size += 1
        largest = self._known["largest_schema"]
        if depth > self._known["deepest"] + 1 or self._size > largest:  # pragma: no cover - a bound on the work
            self.whole = self.whole and self._size <= largest
            return {}
        return self.plain(self._speller.normal(schema), depth)

    def plain(self, schema: dict[str, Any], depth: int = 0) -> dict[str, Any]:
        """A schema in one spelling with all that is inside in one spelling, too."""
        members: dict[str, Any] = {}
        for key, value in schema.items():
            if key in UNPROBED:
                self.whole = self.whole and key not in (DANGLING, EXTERNAL, ILL_TYPED, "patternProperties")
            elif key in SCHEMAS:
                members[key] = self.written(value, depth + 1)
            elif key in SCHEMA_LISTS:
                members[key] = [self.written(entry, depth + 1) for entry in value]
            elif key in ("properties", "dependentSchemas"):
                members[key] = {name: self.written(entry, depth + 1) for name, entry in value.items()}
            elif key == "type":
                types = [name for name in value if name in self._known["samples"]]
                self.whole = self.whole and len(types) == len(value)
                if len(types) == len(value):
                    members[key] = types
            else:
                members[key] = value
        return members


def _meant(schema: Any) -> Any:
    """A schema whose open branches take a member that they do not name only as another branch of their union has it.

    What no branch says of a member nobody means: branches may be folded into one object, as those must be that stand
    at a root which the provider does not take (https://github.com/makenotion/notion-mcp-server/issues/340).
    """
    if isinstance(schema, list):
        return [_meant(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    members = {key: _meant(value) for key, value in schema.items() if key not in ("enum", "const")}
    members |= {key: schema[key] for key in ("enum", "const") if key in schema}
    for key in ("anyOf", "oneOf"):
        if isinstance(members.get(key), list):
            members[key] = _sharing(members[key])
    return members


def _sharing(branches: list[Any]) -> list[Any]:
    """The branches of a union, each with the members that only others name."""
    named: dict[str, list[Any]] = {}
    for branch in branches:
        for name, entry in (branch.get("properties") or {}).items() if isinstance(branch, dict) else ():
            named.setdefault(name, []).append(entry)
    others = {name: entries[0] if len(entries) == 1 else {"anyOf": entries} for name, entries in named.items()}
    return [
        {**branch, "properties": {**others, **branch["properties"]}}
        if isinstance(branch, dict) and branch.get("properties") and "additionalProperties" not in branch
        else branch
        for branch in branches
    ]


def _in_turn(sources: list[Iterator[Any]]) -> Iterator[Any]:
    """One value of each source after the other, until all are used up."""
    while sources:
        left = []
        for source in sources:
            for value in islice(source, 1):
                left.append(source)
                yield value
        sources = left


def _samples(parameters: Mapping[str, Any]) -> Iterator[Any]:
    for samples in parameters["samples"].values():
        yield from samples


class _ProbeMaker:
    """Makes values for a schema that is written out; remembers by identity what fits the schemas inside."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._known = parameters
        self._firsts: dict[int, Any] = {}

    def instances(self, schema: Any, depth: int = 0) -> Iterator[Any]:
        """Values that fit a schema, or miss it by one step."""
        if not isinstance(schema, dict) or depth > self._known["deepest"]:
            return
        yield from schema.get("enum", [])
        branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in schema.get(key, ())]
        yield from _in_turn([self.instances(branch, depth + 1) for branch in branches])
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            if key in schema:
                yield from (schema[key] - 1, schema[key], schema[key] + 1)
        for key in ("minLength", "maxLength"):
            if key in schema and schema[key] <= self._known["longest_text"]:
                yield from ("x" * max(int(schema[key]) + step, 0) for step in (0, -1, 1))
        types = schema.get("type", ())
        for name in types:
            yield from self._known["samples"].get(name, [])
        if "array" in types or "items" in schema or "prefixItems" in schema:
            yield from self._arrays(schema, depth)
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from self._objects(schema, properties, depth)

    def _arrays(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        prefix = [self._fitting(entry, depth + 1) for entry in schema.get("prefixItems", ())]
        if prefix:
            yield prefix
            yield list(reversed(prefix))
        least = min(int(schema.get("minItems", 1)), self._known["longest_array"])
        for entry in islice(self.instances(schema.get("items"), depth + 1), self._known["values_inside"]):
            yield [*prefix, *[entry] * max(least - len(prefix), 1)]

    def _fitting(self, schema: Any, depth: int) -> Any:
        """A value that fits, or at least nearly."""
        if id(schema) not in self._firsts:
            values = list(islice(self.instances(schema, depth), self._known["values_inside"]))
            validator = _Validator(schema)
            fit = next((value for value in values if validator.accepts(value)), values[0] if values else "a")
            self._firsts[id(schema)] = fit
        return self._firsts[id(schema)]

    def _objects(self, schema: dict[str, Any], properties: dict[str, Any], depth: int) -> Iterator[Any]:
        firsts = {name: self._fitting(entry, depth + 1) for name, entry in properties.items()}
        required = [name for name in schema.get("required", ()) if name in firsts]
        yield {name: firsts[name] for name in required}
        yield dict(firsts)
        yield {**firsts, "unlisted": 1}
        for name in firsts:
            yield {key: value for key, value in firsts.items() if key != name}
        yield from _in_turn([self._changed(firsts, name, properties[name], depth) for name in firsts])

    def _changed(self, firsts: dict[str, Any], name: str, schema: Any, depth: int) -> Iterator[Any]:
        for value in islice(self.instances(schema, depth + 1), self._known["values_of_member"]):
            yield {**firsts, name: value}
