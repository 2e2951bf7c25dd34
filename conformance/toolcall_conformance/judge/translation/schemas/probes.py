"""Probe values near the bounds of two schemas: which schema accepts which value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.judge.translation.schemas.normal_schemas import (
    DANGLING,
    EXTERNAL,
    ILL_TYPED,
    SCHEMA_KEYWORDS,
    SCHEMA_LIST_KEYWORDS,
    SchemaNormalizer,
)
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaPair

# Not probed: a pattern may be of another dialect or never end, and hardly any probe would fit it.
_UNPROBED_KEYWORDS = ("pattern", "patternProperties", "format", "description", "default", DANGLING, EXTERNAL, ILL_TYPED)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """A value that is valid only before, and one that is valid only after (MISSING if there is none).

    ``forbidding_keyword``: the keyword of the source by which the latter is invalid; empty if it is not known.
    ``is_certain``: nothing was left out of the schemas that were probed.
    """

    no_longer_valid: Any
    newly_valid: Any
    forbidding_keyword: str
    is_certain: bool


def compare_by_probes(place: SchemaPair) -> ProbeResult:
    """Probe two schemas with values. Never raises, whatever the schemas are."""
    parameters = place.context.corpus.equivalence("schema-branches-rewritten").parameters
    source, output = (
        _Expander(parameters, place.context.source_normalizer),
        _Expander(parameters, place.context.output_normalizer),
    )
    old, new = source.expand_normalized(place.left), output.expand_normalized(place.right)
    narrowed: Any = MISSING
    widened: Any = MISSING
    names: set[str] = set()
    validator_before, validator_after, validator_shared = (
        _Validator(old),
        _Validator(new),
        _Validator(_with_shared_members(old)),
    )
    values = [_samples(parameters), _ProbeMaker(parameters).probes(old), _ProbeMaker(parameters).probes(new)]
    for probe in islice(_interleave(values), parameters["most_probes"]):
        name = canonical(probe)
        if name in names:
            continue
        names.add(name)
        before, after = validator_before.accepts(probe), validator_after.accepts(probe)
        if before is True and after is False and narrowed is MISSING and validator_shared.accepts(probe):
            narrowed = probe
        if after is True and before is False and widened is MISSING:
            widened = probe
    keyword = "" if widened is MISSING else validator_before.forbidding_keyword(widened)
    return ProbeResult(narrowed, widened, keyword, source.is_complete and output.is_complete)


class _Validator:
    """Validates values by a schema."""

    def __init__(self, schema: Any) -> None:
        self._validator = _validator_factory()(schema)

    def accepts(self, probe: Any) -> bool | None:
        """Return whether a value is valid; None if the validator raises."""
        try:
            return bool(self._validator.is_valid(probe))
        except Exception:  # pragma: no cover - whatever a validator raises, the comparison goes on
            return None

    def forbidding_keyword(self, probe: Any) -> str:
        """Return the keyword that makes a value invalid, of a union that in its nearest branch; empty if unknown."""
        try:
            error = next(iter(self._validator.iter_errors(probe)), None)
            while error is not None and error.context:
                branches: dict[Any, list[Any]] = {}
                for inner in error.context:
                    branches.setdefault(inner.schema_path[0], []).append(inner)
                error = min(branches.values(), key=len)[0]
        except Exception:  # pragma: no cover - whatever a validator raises, the comparison goes on
            return ""
        if error is None:
            return ""
        # A normalized schema has no `const`: it may have been one.
        return "const" if error.validator == "enum" and len(error.validator_value) == 1 else str(error.validator)


@cache
def _validator_factory() -> Any:
    """Return a factory for validators that never use the network. Imported late: few schemas need probes."""
    import jsonschema
    import referencing

    no_references: referencing.Registry[Any] = referencing.Registry()
    return partial(jsonschema.Draft202012Validator, registry=no_references)


class _Expander:
    """Writes out schemas without references, as deep as probes go.

    ``is_complete``: nothing that matters was left out.
    """

    def __init__(self, parameters: Mapping[str, Any], normalizer: SchemaNormalizer) -> None:
        self._parameters = parameters
        self._normalizer = normalizer
        self._size = 0
        self.is_complete = True

    def expand(self, schema: Any, depth: int) -> Any:
        """Write out a schema as its body has it."""
        if schema is False:
            return False
        self._size += 1
        largest = self._parameters["largest_schema"]
        if depth > self._parameters["deepest"] + 1 or self._size > largest:  # pragma: no cover - a bound on the work
            self.is_complete = self.is_complete and self._size <= largest
            return {}
        return self.expand_normalized(self._normalizer.normalize(schema), depth)

    def expand_normalized(self, schema: dict[str, Any], depth: int = 0) -> dict[str, Any]:
        """Write out a normalized schema, all schemas inside normalized too."""
        members: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _UNPROBED_KEYWORDS:
                self.is_complete = self.is_complete and key not in (DANGLING, EXTERNAL, ILL_TYPED, "patternProperties")
            elif key in SCHEMA_KEYWORDS:
                members[key] = self.expand(value, depth + 1)
            elif key in SCHEMA_LIST_KEYWORDS:
                members[key] = [self.expand(entry, depth + 1) for entry in value]
            elif key in ("properties", "dependentSchemas"):
                members[key] = {name: self.expand(entry, depth + 1) for name, entry in value.items()}
            elif key == "type":
                types = [name for name in value if name in self._parameters["samples"]]
                self.is_complete = self.is_complete and len(types) == len(value)
                if len(types) == len(value):
                    members[key] = types
            else:
                members[key] = value
        return members


def _with_shared_members(schema: Any) -> Any:
    """Return a schema whose open branches take members that only other branches name by the schemas of these.

    Nobody means what no branch says about a member: branches may be folded into one object, as they must be at a root
    where the provider takes no unions (https://github.com/makenotion/notion-mcp-server/issues/340).
    """
    if isinstance(schema, list):
        return [_with_shared_members(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    members = {key: _with_shared_members(value) for key, value in schema.items() if key not in ("enum", "const")}
    members |= {key: schema[key] for key in ("enum", "const") if key in schema}
    for key in ("anyOf", "oneOf"):
        if isinstance(members.get(key), list):
            members[key] = _share_members(members[key])
    return members


def _share_members(branches: list[Any]) -> list[Any]:
    """Return the branches of a union, each with the members that only others name."""
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


def _interleave(sources: list[Iterator[Any]]) -> Iterator[Any]:
    """Yield one value of each source in turn, until all are used up."""
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
    """Makes probe values for a schema that is written out; caches fitting values of inner schemas by identity."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self._firsts: dict[int, Any] = {}

    def probes(self, schema: Any, depth: int = 0) -> Iterator[Any]:
        """Yield values that fit a schema, or miss it by one step."""
        if not isinstance(schema, dict) or depth > self._parameters["deepest"]:
            return
        yield from schema.get("enum", [])
        branches = [branch for key in ("anyOf", "oneOf", "allOf") for branch in schema.get(key, ())]
        yield from _interleave([self.probes(branch, depth + 1) for branch in branches])
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            if key in schema:
                yield from (schema[key] - 1, schema[key], schema[key] + 1)
        for key in ("minLength", "maxLength"):
            if key in schema and schema[key] <= self._parameters["longest_text"]:
                yield from ("x" * max(int(schema[key]) + step, 0) for step in (0, -1, 1))
        types = schema.get("type", ())
        for name in types:
            yield from self._parameters["samples"].get(name, [])
        if "array" in types or "items" in schema or "prefixItems" in schema:
            yield from self._arrays(schema, depth)
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from self._objects(schema, properties, depth)

    def _arrays(self, schema: dict[str, Any], depth: int) -> Iterator[Any]:
        prefix = [self._fitting_value(entry, depth + 1) for entry in schema.get("prefixItems", ())]
        if prefix:
            yield prefix
            yield list(reversed(prefix))
        least = min(int(schema.get("minItems", 1)), self._parameters["longest_array"])
        for entry in islice(self.probes(schema.get("items"), depth + 1), self._parameters["values_inside"]):
            yield [*prefix, *[entry] * max(least - len(prefix), 1)]

    def _fitting_value(self, schema: Any, depth: int) -> Any:
        """Return a value that fits, or at least nearly."""
        if id(schema) not in self._firsts:
            values = list(islice(self.probes(schema, depth), self._parameters["values_inside"]))
            validator = _Validator(schema)
            fit = next((value for value in values if validator.accepts(value)), values[0] if values else "a")
            self._firsts[id(schema)] = fit
        return self._firsts[id(schema)]

    def _objects(self, schema: dict[str, Any], properties: dict[str, Any], depth: int) -> Iterator[Any]:
        firsts = {name: self._fitting_value(entry, depth + 1) for name, entry in properties.items()}
        required = [name for name in schema.get("required", ()) if name in firsts]
        yield {name: firsts[name] for name in required}
        yield dict(firsts)
        yield {**firsts, "unlisted": 1}
        for name in firsts:
            yield {key: value for key, value in firsts.items() if key != name}
        yield from _interleave([self._objects_with_member(firsts, name, properties[name], depth) for name in firsts])

    def _objects_with_member(self, firsts: dict[str, Any], name: str, schema: Any, depth: int) -> Iterator[Any]:
        for value in islice(self.probes(schema, depth + 1), self._parameters["values_of_member"]):
            yield {**firsts, name: value}
