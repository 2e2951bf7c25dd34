"""What one schema says of its own value: description, default, type, enum, bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import equal, exact_number
from toolcall_conformance.judge.translation.schemas.folding import SPEAKS_OF
from toolcall_conformance.judge.translation.schemas.schema_lists import (
    as_text,
    cannot_be_listed,
    fits,
    lists_as_texts,
    lists_the_same,
    says_without_list,
)
from toolcall_conformance.judge.translation.schemas.schema_pair import BROKEN_IN_SOURCE, SchemaDifference, SchemaPair
from toolcall_conformance.judge.translation.schemas.spelling import DANGLING, EXTERNAL, ILL_TYPED

UNIONS = ("anyOf", "oneOf")
COMPOSED = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
LOWER = ("minimum", "minItems", "minLength", "minProperties")
UPPER = ("maximum", "maxItems", "maxLength", "maxProperties")
BOUNDS = (*LOWER, *UPPER, "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "pattern", "format")
# The types that JSON Schema has.
_TYPES = frozenset({"string", "boolean", "null", "integer", "number", "array", "object"})
# Whether another value of one of these keywords is narrower cannot be decided.
OPAQUE = ("pattern", "format")


def is_broken(place: SchemaPair) -> bool:
    """Whether the output has no schema here that could be compared any further."""
    new = (marker for marker in (DANGLING, EXTERNAL) if marker in place.right and marker not in place.left)
    return next(new, None) is not None or "" in place.right.get(ILL_TYPED, {})


def compare_soundness(place: SchemaPair) -> Iterator[SchemaDifference]:
    """References that lead nowhere, and keywords with a value that no schema may have."""
    left, right = place.left, place.right
    for marker, message in ((DANGLING, "the reference leads nowhere"), (EXTERNAL, "the reference leads outside")):
        if not equal(left.get(marker), right.get(marker)):
            worse = marker in right and marker not in left
            yield place.differs(
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
            yield place.differs(
                "schema-changed",
                key or None,
                f"this is no value for the keyword {key}" if key else "this is no schema",
                want=ours.get(key, MISSING),
                got=theirs.get(key, MISSING),
                under=BROKEN_IN_SOURCE if key in ours else "",
            )


def compare_notes(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Description and default, which the model reads."""
    want, got = place.left.get("description"), place.right.get("description")
    if want is not None and want.strip() != (got or "").strip():
        yield place.differs("schema-description", "description", want=want, got=MISSING if got is None else got)
    elif want is not None and want != got:
        place.accept("description-trimmed", "description")
    left, right = place.left.get("default"), place.right.get("default")
    if left is not None and right is None and place.context.closing_allowed:
        place.accept("schema-closed-for-strict")
    elif left is not None and not equal(left, right):
        yield place.differs("schema-bound", "default", _words("default", right), want=left, got=_or_missing(right))


def compare_type(place: SchemaPair) -> Iterator[SchemaDifference]:
    """The types that a value may have."""
    left, right = place.left, place.right
    want, got = left.get("type"), right.get("type")
    if want == got:
        return
    if says_implied_type(place):
        place.accept("schema-implied-type", "type")
        return
    if want is None:
        if not any(key in left for key in COMPOSED):
            yield place.differs("schema-narrowed", "type", "a type was added", want=MISSING, got=_plain(got))
        return
    if got is None and (any(key in right for key in UNIONS) or _ill(right, "type")):
        return  # the probes decide
    if lists_as_texts(place):
        return
    under = "" if {*want} <= _TYPES else BROKEN_IN_SOURCE
    yield place.differs("schema-type", "type", want=_plain(want), got=_plain(got), under=under)


def compare_enum(place: SchemaPair) -> Iterator[SchemaDifference]:
    """The values that are listed."""
    left, right = place.left, place.right
    want, got = left.get("enum"), right.get("enum")
    if equal(want, got) or _ill(right, "enum"):
        return
    if want is None:
        if not any(key in left for key in COMPOSED):
            yield place.differs("schema-narrowed", "enum", "a list of values was added", want=MISSING, got=got)
        return
    if got is None and any(key in right for key in UNIONS):
        return
    if lists_as_texts(place):
        place.accept("schema-enum-as-texts", "enum")
        return
    if got is None and says_without_list(right, want):
        place.accept("schema-enum-said-otherwise", "enum")
        return
    if got is None and cannot_be_listed(place):
        texts = [as_text(value) for value in want if value is not None]
        message = f"of the type any value is valid now, and not only {' or '.join(texts)}"
        yield place.differs("schema-widened", "enum", message, want=texts, got=MISSING)
        return
    rule = "schema-enum-blank" if equal([value for value in want if value != ""], got) else "schema-enum"
    no_null = None in want and "type" in right and "null" not in _listed(right["type"])  # there the type forbids it
    want_text = Words(json.dumps(want, ensure_ascii=False)) if no_null else want
    difference = place.differs(rule, "enum", want=want_text, got=_or_missing(got))
    if isinstance(place.before, dict) and "const" in place.before and "enum" not in place.before:
        sentence = f"the one valid value, const in the source, was {'lost' if got is None else 'changed'}"
        alone = (
            Words(f"{json.dumps(want[0], ensure_ascii=False)} alone")
            if got is None and len(want) == 1
            else difference.want
        )
        difference = replace(difference, message=sentence, source_pointer=place.source("const"), want=alone)
    yield difference


def compare_bounds(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Bounds: a stricter one narrows, a looser one widens; of a pattern only the change is reported."""
    left, right = place.left, place.right
    if "enum" in left and "enum" not in right and all(_is_within(right, value) for value in left["enum"]):
        return  # what was listed is valid still; that more is, compare_enum says
    if lists_the_same(place):  # the listed values say more
        for key in BOUNDS:
            if not equal(left.get(key), right.get(key)):
                place.accept("schema-bounds-beside-enum", key)
        return
    for plain, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        yield from _limit(place, plain, strict)
    for key in (*LOWER[1:], *UPPER[1:], "multipleOf", "uniqueItems"):
        want, got = left.get(key), right.get(key)
        if equal(want, got) or _ill(right, key):
            continue
        yield _bound(place, key, want, got, stricter=got is not None and _stricter(key, want, got))
    for key in OPAQUE:
        want, got = left.get(key), right.get(key)
        if want == got or _ill(right, key):
            continue
        if key == "format" and want is None:
            place.accept("schema-format-added", key)
            continue
        yield _bound(place, key, want, got, stricter=want is None)


def _limit(place: SchemaPair, plain: str, strict: str) -> Iterator[SchemaDifference]:
    """A bound of a number, inclusive or not, as one."""
    sign = 1 if plain == "minimum" else -1
    want, got = (_tightest(schema, plain, strict, sign) for schema in (place.left, place.right))
    if want == got or _ill(place.right, plain) or _ill(place.right, strict):
        return
    key = (strict if got[1] else plain) if got is not None else strict if want is not None and want[1] else plain
    yield _bound(
        place,
        key,
        place.left.get(strict if want[1] else plain) if want is not None else None,
        place.right.get(key),
        stricter=got is not None and (want is None or got > want),
    )


def _tightest(schema: dict[str, Any], plain: str, strict: str, sign: int) -> tuple[Any, bool] | None:
    """The tightest bound as (value, growing with tightness; whether it excludes the value itself)."""
    limits = [(sign * exact_number(schema[key]), key == strict) for key in (plain, strict) if key in schema]
    return max(limits) if limits else None


def _stricter(key: str, want: Any, got: Any) -> bool:
    if want is None:
        return True
    if key == "multipleOf":
        return (Fraction(str(want)) / Fraction(str(got))).denominator != 1
    return bool(got > want if key in LOWER else got < want)


def _bound(place: SchemaPair, key: str, want: Any, got: Any, *, stricter: bool) -> SchemaDifference:
    message = "a bound became stricter" if stricter and want is not None else "" if stricter else _words(key, got)
    rule = "schema-narrowed" if stricter else "schema-bound"
    return place.differs(rule, key, message, want=_or_missing(want), got=_or_missing(got))


def _words(key: str, got: Any) -> str:
    return f"the keyword {key} is {'lost' if got is None else 'changed'}"


def _listed(types: Any) -> Any:
    return types if isinstance(types, list) else [types]


def _or_missing(value: Any) -> Any:
    return MISSING if value is None else value


def _ill(schema: dict[str, Any], key: str) -> bool:
    """Whether a keyword stands there with a value that no schema may have, which is reported on its own."""
    return key in schema.get(ILL_TYPED, {})


def _plain(types: Any) -> Any:
    if types is None:
        return MISSING
    return types[0] if isinstance(types, list) and len(types) == 1 else types


def _implied(schema: dict[str, Any]) -> list[str] | None:
    """The one type that the keywords speak of: providers want to hear it said."""
    types = {SPEAKS_OF[key] for key in schema if key in SPEAKS_OF}
    return sorted(types) if len(types) == 1 else None


def says_implied_type(place: SchemaPair) -> bool:
    """Whether the output says another type, one that the source implies: by keywords, by values, or as its root."""
    left, right = place.left, place.right
    want, got = left.get("type"), right.get("type")
    if want == got:
        return False
    if place.pointer == "" and got == ["object"] and ("object" in want if want else place.source_pointer == ""):
        return True  # the arguments of a call are an object
    if want is None and (left.get("enum") or _implied(left) == got):
        return True
    return want is not None and lists_the_same(place) and all(fits(value, got) for value in right["enum"])


def _is_within(schema: dict[str, Any], value: Any) -> bool:
    """Whether a number fits the bounds of a schema; nothing else is decided here."""
    if type(value) not in (int, float) or "pattern" in schema or "format" in schema:
        return False
    lower, upper = (
        _tightest(schema, plain, strict, sign)
        for plain, strict, sign in (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1))
    )
    number = exact_number(value)
    return (
        (lower is None or (number, False) >= lower)
        and (upper is None or (-number, False) >= upper)
        and ("multipleOf" not in schema or not _stricter("multipleOf", schema["multipleOf"], number))
    )
