"""Tool schemas: compared keyword by keyword after both were brought to one spelling.

Spelling is free where it says the same: upper-case types, ``nullable``, inlined ``$ref``, titles, empty ``required``.
What remains different is a property, a requirement, an enum, a type, items, a description, or another constraint. Where
structure does not decide (``anyOf`` and its kin), probe instances show whether the schema got narrower or wider.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import canonical, equal, join, parse, resolve
from toolcall_conformance.translation.probes import compare_by_probes
from toolcall_conformance.translation.spelling import NUMERIC, normal

BOUNDS = (*NUMERIC, "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format", "uniqueItems")
COMPOSED = (
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One way in which a schema came out differently, at pointers relative to the two schemas."""

    rule: str
    pointer: str
    source_pointer: str
    message: str = ""
    want: Any = MISSING
    got: Any = MISSING
    mild: bool = False


def compare_schemas(source: Any, output: Any, *, closing_allowed: bool = False) -> tuple[Difference, ...]:
    """The differences of two parameter schemas as they stand in their bodies; None is a tool without parameters."""
    source = source if source is not None else {"type": "object"}
    output = output if output is not None else {"type": "object"}
    return _compare(canonical_text(source), canonical_text(output), closing_allowed)


def canonical_text(schema: Any) -> str:
    """The schema as a string that keeps the spelling, to remember comparisons by."""
    return canonical(schema)


@lru_cache(maxsize=4096)
def _compare(source_text: str, output_text: str, closing_allowed: bool) -> tuple[Difference, ...]:
    source, output = parse(source_text), parse(output_text)
    left, right = normal(source, source), normal(output, output)
    if equal(left, right):
        return ()
    return tuple(_walk(_Place(left, right, "", "", output), closing_allowed))


@dataclass(frozen=True, slots=True)
class _Place:
    left: Any
    right: Any
    pointer: str
    source_pointer: str
    body: Any

    def at(self, *keys: str | int) -> _Place:
        """The place one step further in, on both sides."""
        left, right = self.left, self.right
        for key in keys:
            left = left.get(key) if isinstance(left, dict) else None
            right = right.get(key) if isinstance(right, dict) else None
        pointer = join(self.pointer, *keys)
        return _Place(
            left,
            right,
            pointer if _there(self.body, pointer) else self.pointer,
            join(self.source_pointer, *keys),
            self.body,
        )

    def keyword(self, key: str) -> str:
        """The pointer of a keyword if the output spells it, else of the schema that lacks it."""
        pointer = join(self.pointer, key)
        return pointer if _there(self.body, pointer) else self.pointer


def _there(body: Any, pointer: str) -> bool:
    try:
        resolve(body, pointer)
    except LookupError:
        return False
    return True


def _walk(place: _Place, closing_allowed: bool) -> Iterator[Difference]:
    left, right = place.left, place.right
    if equal(left, right):
        return
    if not isinstance(left, dict) or not isinstance(right, dict):
        yield Difference("translation/schema-changed", place.pointer, place.source_pointer, want=left, got=right)
        return
    if "dangling" in right and "dangling" not in left:
        yield Difference(
            "translation/schema-changed",
            place.pointer,
            place.source_pointer,
            "the reference leads nowhere",
            got=right["dangling"],
        )
        return
    yield from _description(place)
    yield from _type(place)
    yield from _enum(place)
    yield from _properties(place, closing_allowed)
    yield from _items(place, closing_allowed)
    yield from _bounds(place)
    yield from _composed(place, closing_allowed)


def _description(place: _Place) -> Iterator[Difference]:
    want, got = place.left.get("description"), place.right.get("description")
    if want is not None and str(want).strip() != str(got if got is not None else "").strip():
        yield Difference(
            "translation/schema-description",
            place.keyword("description"),
            join(place.source_pointer, "description"),
            want=want,
            got=got if got is not None else MISSING,
        )


def _type(place: _Place) -> Iterator[Difference]:
    want, got = place.left.get("type"), place.right.get("type")
    if (
        want == got
        or (want is None and place.left.get("enum"))
        or (want is None and any(key in place.left for key in COMPOSED))
    ):
        return
    if want is None:
        if place.pointer == "" and got == ["object"]:
            return
        rule = "translation/schema-narrowed"
    else:
        rule = "translation/schema-type"
        if got is None and any(key in place.right for key in ("anyOf", "oneOf")):
            return  # said by branches: the probes decide
        if place.pointer == "" and "object" in want and got == ["object"]:
            return
    yield Difference(
        rule, place.keyword("type"), join(place.source_pointer, "type"), want=_plain(want), got=_plain(got)
    )


def _plain(types: Any) -> Any:
    if types is None:
        return MISSING
    return types[0] if isinstance(types, list) and len(types) == 1 else types


def _enum(place: _Place) -> Iterator[Difference]:
    want, got = place.left.get("enum"), place.right.get("enum")
    if equal(want, got):
        return
    if want is None:
        yield Difference("translation/schema-narrowed", place.keyword("enum"), place.source_pointer, got=got)
        return
    if got is not None and equal(sorted(map(_text, want)), sorted(map(_text, got))):
        return  # a format whose enums are strings only
    yield Difference(
        "translation/schema-enum",
        place.keyword("enum"),
        join(place.source_pointer, "enum"),
        want=want,
        got=got if got is not None else MISSING,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)


def _properties(place: _Place, closing_allowed: bool) -> Iterator[Difference]:
    want, got = place.left.get("properties") or {}, place.right.get("properties") or {}
    if not isinstance(want, dict) or not isinstance(got, dict):
        return
    for name in want:
        inner = place.at("properties", name)
        if name not in got:
            yield Difference(
                "translation/schema-property-lost",
                place.keyword("properties"),
                inner.source_pointer,
                want=name,
                got=sorted(got),
            )
        else:
            yield from _walk(inner, closing_allowed)
    for name in got:
        if name not in want:
            yield Difference(
                "translation/schema-property-invented",
                join(place.keyword("properties"), name)
                if _there(place.body, join(place.pointer, "properties", name))
                else place.pointer,
                place.source_pointer,
                got=name,
            )
    yield from _required(place, closing_allowed)
    one, two = place.left.get("additionalProperties"), place.right.get("additionalProperties")
    if not equal(one, two):
        if isinstance(one, dict) and isinstance(two, dict):
            yield from _walk(place.at("additionalProperties"), closing_allowed)
        elif not (two is False and closing_allowed):
            yield Difference(
                "translation/schema-narrowed" if one is None else "translation/schema-widened",
                place.keyword("additionalProperties"),
                join(place.source_pointer, "additionalProperties") if one is not None else place.source_pointer,
                want=one if one is not None else MISSING,
                got=two if two is not None else MISSING,
                mild=True,
            )


def _required(place: _Place, closing_allowed: bool) -> Iterator[Difference]:
    one, two = set(place.left.get("required") or ()), set(place.right.get("required") or ())
    if one - two:
        yield Difference(
            "translation/schema-required",
            place.keyword("required"),
            join(place.source_pointer, "required"),
            "a required parameter became optional",
            want=sorted(one),
            got=sorted(two),
        )
    extra = {name for name in two - one if not (closing_allowed and _nullable(place.right, name))}
    if extra:
        yield Difference(
            "translation/schema-narrowed",
            place.keyword("required"),
            place.source_pointer,
            "an optional parameter became required",
            want=sorted(one),
            got=sorted(two),
        )


def _nullable(schema: dict[str, Any], name: str) -> bool:
    entry = (schema.get("properties") or {}).get(name)
    return isinstance(entry, dict) and "null" in (entry.get("type") or [])


def _items(place: _Place, closing_allowed: bool) -> Iterator[Difference]:
    want, got = place.left.get("items"), place.right.get("items")
    if equal(want, got) or want in (None, {}, True):
        if want in (None, {}, True) and got not in (None, {}, True) and isinstance(got, dict):
            yield Difference(
                "translation/schema-narrowed", place.keyword("items"), place.source_pointer, got=got, mild=True
            )
        return
    if got is None or got in ({}, True):
        yield Difference(
            "translation/schema-items",
            place.keyword("items"),
            join(place.source_pointer, "items"),
            want=want,
            got=MISSING,
        )
        return
    yield from _walk(place.at("items"), closing_allowed)


def _bounds(place: _Place) -> Iterator[Difference]:
    for key in BOUNDS:
        want, got = place.left.get(key), place.right.get(key)
        if equal(want, got):
            continue
        if want is None:
            if key == "format":
                continue
            yield Difference("translation/schema-narrowed", place.keyword(key), place.source_pointer, got=got)
        else:
            yield Difference(
                "translation/schema-bound",
                place.keyword(key),
                join(place.source_pointer, key),
                f"the keyword {key} is {'lost' if got is None else 'changed'}",
                want=want,
                got=got if got is not None else MISSING,
            )


def _composed(place: _Place, closing_allowed: bool) -> Iterator[Difference]:
    """``anyOf`` and its kin: probes tell narrower from wider; equal by all probes counts as the same."""
    del closing_allowed
    if all(equal(place.left.get(key), place.right.get(key)) for key in COMPOSED):
        return
    narrowed, widened = compare_by_probes(place.left, place.right)
    if narrowed is not MISSING:
        yield Difference(
            "translation/schema-narrowed",
            place.pointer,
            place.source_pointer,
            "a value that was valid is not valid any more",
            want=narrowed,
        )
    if widened is not MISSING:
        yield Difference(
            "translation/schema-widened",
            place.pointer,
            place.source_pointer,
            "a value that was not valid is valid now",
            got=widened,
        )
