"""Keywords that constrain a schema's own value: description, default, type, enum, bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import equal, exact_number
from toolcall_conformance.judge.translation.schemas.normal_schemas import DANGLING, EXTERNAL, ILL_TYPED
from toolcall_conformance.judge.translation.schemas.schema_folding import TYPE_BY_KEYWORD
from toolcall_conformance.judge.translation.schemas.schema_lists import (
    cannot_be_listed,
    fits_types,
    listed_text,
    lists_as_texts,
    lists_the_same,
    says_without_list,
)
from toolcall_conformance.judge.translation.schemas.schema_pair import BROKEN_IN_SOURCE, SchemaDifference, SchemaPair

UNION_KEYWORDS = ("anyOf", "oneOf")
COMPOSING_KEYWORDS = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
_LOWER_BOUNDS = ("minimum", "minItems", "minLength", "minProperties")
_UPPER_BOUNDS = ("maximum", "maxItems", "maxLength", "maxProperties")
_BOUND_KEYWORDS = (
    *_LOWER_BOUNDS,
    *_UPPER_BOUNDS,
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "pattern",
    "format",
)
# The types that JSON Schema has.
_JSON_SCHEMA_TYPES = frozenset({"string", "boolean", "null", "integer", "number", "array", "object"})
# Whether another value of one of these keywords is narrower cannot be decided.
_UNDECIDABLE_KEYWORDS = ("pattern", "format")


def is_broken(place: SchemaPair) -> bool:
    """Whether the output's schema is so broken here that nothing else can be compared."""
    new = (marker for marker in (DANGLING, EXTERNAL) if marker in place.right and marker not in place.left)
    return next(new, None) is not None or "" in place.right.get(ILL_TYPED, {})


def compare_soundness(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Report references that lead nowhere, and keywords with a value that no schema may have."""
    left, right = place.left, place.right
    for marker, message in ((DANGLING, "the reference leads nowhere"), (EXTERNAL, "the reference leads outside")):
        if not equal(left.get(marker), right.get(marker)):
            worse = marker in right and marker not in left
            yield place.difference(
                "schema-changed",
                None,
                message if marker in right else "a reference was replaced",
                want=Words("a reference to what is there") if worse else left.get(marker, MISSING),
                got=right.get(marker, MISSING),
                under="" if worse else BROKEN_IN_SOURCE,
            )
    ours, theirs = left.get(ILL_TYPED, {}), right.get(ILL_TYPED, {})
    for key in sorted({*ours, *theirs}):
        if not equal(ours.get(key, MISSING), theirs.get(key, MISSING)):
            yield place.difference(
                "schema-changed",
                key or None,
                f"this is no value for the keyword {key}" if key else "this is no schema",
                want=ours.get(key, MISSING),
                got=theirs.get(key, MISSING),
                under=BROKEN_IN_SOURCE if key in ours else "",
            )


def compare_notes(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Compare description and default, which the model reads."""
    want, got = place.left.get("description"), place.right.get("description")
    if want is not None and want.strip() != (got or "").strip():
        yield place.difference("schema-description", "description", want=want, got=MISSING if got is None else got)
    elif want is not None and want != got:
        place.accept("description-trimmed", "description")
    left, right = place.left.get("default"), place.right.get("default")
    if left is not None and right is None and place.context.closing_allowed:
        place.accept("schema-closed-for-strict")
    elif left is not None and not equal(left, right):
        yield place.difference(
            "schema-bound", "default", _change_message("default", right), want=left, got=_or_missing(right)
        )


def compare_type(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Compare the types that a value may have."""
    left, right = place.left, place.right
    want, got = left.get("type"), right.get("type")
    if want == got:
        return
    if names_implied_type(place):
        place.accept("schema-implied-type", "type")
        return
    if want is None:
        if not any(key in left for key in COMPOSING_KEYWORDS):
            yield place.difference("schema-narrowed", "type", "a type was added", want=MISSING, got=_type_value(got))
        return
    if got is None and (any(key in right for key in UNION_KEYWORDS) or _is_ill_typed(right, "type")):
        return  # the probes decide
    if lists_as_texts(place):
        return
    under = "" if {*want} <= _JSON_SCHEMA_TYPES else BROKEN_IN_SOURCE
    yield place.difference("schema-type", "type", want=_type_value(want), got=_type_value(got), under=under)


def compare_enum(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Compare the listed values."""
    left, right = place.left, place.right
    want, got = left.get("enum"), right.get("enum")
    if equal(want, got) or _is_ill_typed(right, "enum"):
        return
    if want is None:
        if not any(key in left for key in COMPOSING_KEYWORDS):
            yield place.difference("schema-narrowed", "enum", "a list of values was added", want=MISSING, got=got)
        return
    if got is None and any(key in right for key in UNION_KEYWORDS):
        return
    if lists_as_texts(place):
        place.accept("schema-enum-as-texts", "enum")
        return
    if got is None and says_without_list(right, want):
        place.accept("schema-enum-said-otherwise", "enum")
        return
    if got is None and cannot_be_listed(place):
        texts = [listed_text(value) for value in want if value is not None]
        message = f"of the type any value is valid now, and not only {' or '.join(texts)}"
        yield place.difference("schema-widened", "enum", message, want=texts, got=MISSING)
        return
    rule = "schema-enum-blank" if equal([value for value in want if value != ""], got) else "schema-enum"
    no_null = None in want and "type" in right and "null" not in _as_list(right["type"])  # there the type forbids it
    want_text = Words(json.dumps(want, ensure_ascii=False)) if no_null else want
    difference = place.difference(rule, "enum", want=want_text, got=_or_missing(got))
    if isinstance(place.before, dict) and "const" in place.before and "enum" not in place.before:
        sentence = f"the one valid value, const in the source, was {'lost' if got is None else 'changed'}"
        alone = (
            Words(f"{json.dumps(want[0], ensure_ascii=False)} alone")
            if got is None and len(want) == 1
            else difference.want
        )
        difference = replace(difference, message=sentence, source_pointer=place.source_place("const"), want=alone)
    yield difference


def compare_bounds(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Compare bounds: a stricter one narrows, a looser one widens; of a pattern only the change is reported."""
    left, right = place.left, place.right
    if "enum" in left and "enum" not in right and all(_is_within_bounds(right, value) for value in left["enum"]):
        return  # what was listed is still valid; that more is valid, compare_enum reports
    if lists_the_same(place):  # the listed values say more
        for key in _BOUND_KEYWORDS:
            if not equal(left.get(key), right.get(key)):
                place.accept("schema-bounds-beside-enum", key)
        return
    for plain, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        yield from _compare_limit(place, plain, strict)
    for key in (*_LOWER_BOUNDS[1:], *_UPPER_BOUNDS[1:], "multipleOf", "uniqueItems"):
        want, got = left.get(key), right.get(key)
        if equal(want, got) or _is_ill_typed(right, key):
            continue
        yield _bound_difference(place, key, want, got, stricter=got is not None and _is_stricter(key, want, got))
    for key in _UNDECIDABLE_KEYWORDS:
        want, got = left.get(key), right.get(key)
        if want == got or _is_ill_typed(right, key):
            continue
        if key == "format" and want is None:
            place.accept("schema-format-added", key)
            continue
        yield _bound_difference(place, key, want, got, stricter=want is None)


def _compare_limit(place: SchemaPair, plain: str, strict: str) -> Iterator[SchemaDifference]:
    """Compare a bound of a number, inclusive or exclusive, as one."""
    sign = 1 if plain == "minimum" else -1
    want, got = (_tightest_bound(schema, plain, strict, sign) for schema in (place.left, place.right))
    if want == got or _is_ill_typed(place.right, plain) or _is_ill_typed(place.right, strict):
        return
    key = (strict if got[1] else plain) if got is not None else strict if want is not None and want[1] else plain
    yield _bound_difference(
        place,
        key,
        place.left.get(strict if want[1] else plain) if want is not None else None,
        place.right.get(key),
        stricter=got is not None and (want is None or got > want),
    )


def _tightest_bound(schema: dict[str, Any], plain: str, strict: str, sign: int) -> tuple[Any, bool] | None:
    """Return the tightest bound, or None: (value, growing with tightness; whether it is exclusive)."""
    limits = [(sign * exact_number(schema[key]), key == strict) for key in (plain, strict) if key in schema]
    return max(limits) if limits else None


def _is_stricter(key: str, want: Any, got: Any) -> bool:
    if want is None:
        return True
    if key == "multipleOf":
        return (Fraction(str(want)) / Fraction(str(got))).denominator != 1
    return bool(got > want if key in _LOWER_BOUNDS else got < want)


def _bound_difference(place: SchemaPair, key: str, want: Any, got: Any, *, stricter: bool) -> SchemaDifference:
    message = (
        "a bound became stricter" if stricter and want is not None else "" if stricter else _change_message(key, got)
    )
    rule = "schema-narrowed" if stricter else "schema-bound"
    return place.difference(rule, key, message, want=_or_missing(want), got=_or_missing(got))


def _change_message(key: str, got: Any) -> str:
    return f"the keyword {key} is {'lost' if got is None else 'changed'}"


def _as_list(types: Any) -> Any:
    return types if isinstance(types, list) else [types]


def _or_missing(value: Any) -> Any:
    return MISSING if value is None else value


def _is_ill_typed(schema: dict[str, Any], key: str) -> bool:
    """Whether a keyword has a value that no schema may have, which is reported on its own."""
    return key in schema.get(ILL_TYPED, {})


def _type_value(types: Any) -> Any:
    if types is None:
        return MISSING
    return types[0] if isinstance(types, list) and len(types) == 1 else types


def _implied_type(schema: dict[str, Any]) -> list[str] | None:
    """Return the only type that the keywords constrain, in a list; None if they constrain several, or none."""
    types = {TYPE_BY_KEYWORD[key] for key in schema if key in TYPE_BY_KEYWORD}
    return sorted(types) if len(types) == 1 else None


def names_implied_type(place: SchemaPair) -> bool:
    """Whether the output names another type that the source implies: by keywords, by values, or as its root."""
    left, right = place.left, place.right
    want, got = left.get("type"), right.get("type")
    if want == got:
        return False
    if place.pointer == "" and got == ["object"] and ("object" in want if want else place.source_pointer == ""):
        return True  # the arguments of a call are an object
    if want is None and (left.get("enum") or _implied_type(left) == got):
        return True
    return want is not None and lists_the_same(place) and all(fits_types(value, got) for value in right["enum"])


def _is_within_bounds(schema: dict[str, Any], value: Any) -> bool:
    """Whether a number fits the bounds of a schema; False for other values, and where a pattern could decide."""
    if type(value) not in (int, float) or "pattern" in schema or "format" in schema:
        return False
    lower, upper = (
        _tightest_bound(schema, plain, strict, sign)
        for plain, strict, sign in (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1))
    )
    number = exact_number(value)
    return (
        (lower is None or (number, False) >= lower)
        and (upper is None or (-number, False) >= upper)
        and ("multipleOf" not in schema or not _is_stricter("multipleOf", schema["multipleOf"], number))
    )
