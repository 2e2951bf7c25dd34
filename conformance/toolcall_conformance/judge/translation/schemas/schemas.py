"""Tool schemas: compared keyword by keyword after both were brought to one spelling.

Spelling is free where it says the same: upper-case types, ``nullable``, inlined ``$ref``, titles, empty ``required``.
What remains different is a property, a requirement, an enum, a type, items, a description, or another constraint. Where
structure does not decide (``anyOf`` and its kin), probe instances show whether the schema got narrower or wider.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.schemas.listed_twice import find_listed_twice
from toolcall_conformance.judge.translation.schemas.schema_branches import compare_branches
from toolcall_conformance.judge.translation.schemas.schema_keywords import (
    compare_bounds,
    compare_enum,
    compare_notes,
    compare_soundness,
    compare_type,
    is_broken,
)
from toolcall_conformance.judge.translation.schemas.schema_members import compare_entries, compare_members
from toolcall_conformance.judge.translation.schemas.schema_pair import (
    HOLDS_ITSELF,
    UNDECIDED,
    Context,
    SchemaAcceptance,
    SchemaDifference,
    SchemaPair,
    text,
)
from toolcall_conformance.judge.translation.schemas.schema_spellings import compare_references, compare_spelling
from toolcall_conformance.judge.translation.schemas.spelling import Speller, TooLargeError
from toolcall_conformance.library import Corpus

__all__ = ["SchemaAcceptance", "SchemaDifference", "compare_schemas", "spelt_otherwise"]


def compare_schemas(
    corpus: Corpus, source: Any, output: Any, *, closing_allowed: bool = False, texts_only: bool = False
) -> tuple[SchemaDifference, ...]:
    """The differences of two parameter schemas as they stand in their bodies; None is a tool without parameters.

    Never raises, whatever JSON the two are. ``closing_allowed``: the output is for a strict mode, where objects are
    closed and optional parameters become required ones that may be null. ``texts_only``: its enums list texts
    alone.
    """
    source = source if source is not None else {"type": "object"}
    output = output if output is not None else {"type": "object"}
    if output == {} and isinstance(source, dict) and source.get("properties"):
        # All of it is gone, type and parameters: one cause, told once.
        message = "nothing of the schema arrived"
        return (SchemaDifference("translation/schema-property-lost", "", "", message, want=source, got=output),)
    try:
        return _compare(corpus, text(source), text(output), closing_allowed, texts_only)
    except (RecursionError, TooLargeError, ValueError):
        # Deeper or larger than anything that was meant: no verdict but on equality.
        if equal(source, output):
            return ()
        message = "too deep or too large to be compared"
        difference = SchemaDifference("translation/schema-changed", "", "", message, source, output, (UNDECIDED,))
        return (difference,)


@lru_cache(maxsize=4096)
def _compare(
    corpus: Corpus, source_text: str, output_text: str, closing_allowed: bool, texts_only: bool
) -> tuple[SchemaDifference, ...]:
    if source_text == output_text:
        return ()
    start = _start(corpus, source_text, output_text, closing_allowed, texts_only)
    return (*_walk(start), *find_listed_twice(start.before, start.after))


def spelt_otherwise(
    corpus: Corpus, source: Any, output: Any, *, closing_allowed: bool, texts_only: bool = False
) -> list[SchemaAcceptance]:
    """What the comparison of two schemas accepts: it is walked again, with a record; nothing of too large ones."""
    source = source if source is not None else {"type": "object"}
    output = output if output is not None else {"type": "object"}
    acceptances: list[SchemaAcceptance] = []
    try:
        start = _start(corpus, text(source), text(output), closing_allowed, texts_only)
        start.context.accepted = acceptances
        compare_references(start)
        deque(_walk(start), maxlen=0)
    except (RecursionError, TooLargeError, ValueError):
        return []
    return acceptances


def _start(corpus: Corpus, source_text: str, output_text: str, closing_allowed: bool, texts_only: bool) -> SchemaPair:
    source, output = json.loads(source_text), json.loads(output_text)
    references = any(f'"{key}": "' in whole for key in ("$ref", "ref") for whole in (source_text, output_text))
    spellers = Speller(source), Speller(output)
    context = Context(corpus, *spellers, closing_allowed, _walk, references, texts_only=texts_only)
    return SchemaPair(context, source, output)


def _walk(start: SchemaPair) -> Iterator[SchemaDifference]:
    """All differences at a place and inside it; without recursion, since schemas may be deep."""
    places = [start]
    while places:
        place = places.pop()
        if _settled(place):
            continue
        if place.context.accepted is not None:
            compare_spelling(place)
        inner: list[SchemaPair] = []
        for step in _steps(place):
            if isinstance(step, SchemaPair):
                inner.append(step)
            else:
                yield replace(step, under=(*step.under, HOLDS_ITSELF)) if place.repeated else step
        places.extend(reversed(inner))


def _settled(place: SchemaPair) -> bool:
    """Whether a place needs no look: the same, or already under comparison, as in schemas that hold themselves."""
    if not place.context.has_references:
        return equal(place.before, place.after)
    key = (text(place.before), text(place.after), place.without_null)
    if key in place.context.seen:
        return True
    place.context.seen.add(key)
    return False


def _steps(place: SchemaPair) -> Iterator[SchemaDifference | SchemaPair]:
    yield from compare_soundness(place)
    if is_broken(place):
        return
    yield from compare_notes(place)
    yield from compare_type(place)
    yield from compare_enum(place)
    yield from compare_members(place)
    yield from compare_entries(place)
    yield from compare_bounds(place)
    yield from compare_branches(place)
