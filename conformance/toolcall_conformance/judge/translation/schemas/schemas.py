"""Tool schemas: compared keyword by keyword after both were normalized.

Notation is free where it says the same: upper-case types, ``nullable``, inlined ``$ref``, titles, empty ``required``.
What remains different is a property, a requirement, an enum, a type, items, a description, or another constraint. Where
structure does not decide (``anyOf`` and its kin), probe values show whether the schema got narrower or wider.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.schemas.normal_schemas import SchemaNormalizer, TooLargeError
from toolcall_conformance.judge.translation.schemas.schema_branches import compare_branches
from toolcall_conformance.judge.translation.schemas.schema_keywords import (
    compare_bounds,
    compare_enum,
    compare_notes,
    compare_soundness,
    compare_type,
    is_broken,
)
from toolcall_conformance.judge.translation.schemas.schema_lists import find_repeated_members
from toolcall_conformance.judge.translation.schemas.schema_members import compare_entries, compare_members
from toolcall_conformance.judge.translation.schemas.schema_notations import record_notations, record_references
from toolcall_conformance.judge.translation.schemas.schema_pair import (
    HOLDS_ITSELF,
    UNDECIDED,
    ComparisonContext,
    SchemaAcceptance,
    SchemaDifference,
    SchemaPair,
    schema_text,
)
from toolcall_conformance.library import Corpus

__all__ = ["SchemaAcceptance", "SchemaDifference", "accepted_notations", "compare_schemas"]


def compare_schemas(
    corpus: Corpus, source: Any, output: Any, *, closing_allowed: bool = False, texts_only: bool = False
) -> tuple[SchemaDifference, ...]:
    """Return the differences of two parameter schemas as they are in their bodies; None: a tool without any.

    Never raises, whatever JSON the two are. ``closing_allowed``: the output is for a strict mode, where objects are
    closed and optional parameters become required ones that may be null. ``texts_only``: its enums list only texts.
    """
    source = source if source is not None else {"type": "object"}
    output = output if output is not None else {"type": "object"}
    if output == {} and isinstance(source, dict) and source.get("properties"):
        # All of it is gone, type and parameters: one cause, one finding.
        message = "nothing of the schema arrived"
        return (SchemaDifference("translation/schema-property-lost", "", "", message, want=source, got=output),)
    try:
        return _compare_texts(corpus, schema_text(source), schema_text(output), closing_allowed, texts_only)
    except (RecursionError, TooLargeError, ValueError):
        # Deeper or larger than any real schema: only equality is decided.
        if equal(source, output):
            return ()
        message = "too deep or too large to be compared"
        difference = SchemaDifference("translation/schema-changed", "", "", message, source, output, (UNDECIDED,))
        return (difference,)


@lru_cache(maxsize=4096)
def _compare_texts(
    corpus: Corpus, source_text: str, output_text: str, closing_allowed: bool, texts_only: bool
) -> tuple[SchemaDifference, ...]:
    """Return the differences of two schemas given as text, which serves as the cache's key."""
    if source_text == output_text:
        return ()
    start = _root_pair(corpus, source_text, output_text, closing_allowed, texts_only)
    return (*_walk_pairs(start), *find_repeated_members(start.before, start.after))


def accepted_notations(
    corpus: Corpus, source: Any, output: Any, *, closing_allowed: bool, texts_only: bool = False
) -> list[SchemaAcceptance]:
    """Return the differences of notation that the comparison of two schemas accepts; none if they are too large.

    The schemas are walked once more, with a record.
    """
    source = source if source is not None else {"type": "object"}
    output = output if output is not None else {"type": "object"}
    acceptances: list[SchemaAcceptance] = []
    try:
        start = _root_pair(corpus, schema_text(source), schema_text(output), closing_allowed, texts_only)
        start.context.accepted = acceptances
        record_references(start)
        deque(_walk_pairs(start), maxlen=0)
    except (RecursionError, TooLargeError, ValueError):
        return []
    return acceptances


def _root_pair(
    corpus: Corpus, source_text: str, output_text: str, closing_allowed: bool, texts_only: bool
) -> SchemaPair:
    """Return the pair of the two whole schemas."""
    source, output = json.loads(source_text), json.loads(output_text)
    references = any(f'"{key}": "' in whole for key in ("$ref", "ref") for whole in (source_text, output_text))
    normalizers = SchemaNormalizer(source), SchemaNormalizer(output)
    context = ComparisonContext(corpus, *normalizers, closing_allowed, _walk_pairs, references, texts_only=texts_only)
    return SchemaPair(context, source, output)


def _walk_pairs(start: SchemaPair) -> Iterator[SchemaDifference]:
    """Yield all differences at a place and inside it; without recursion, since schemas may be deep."""
    places = [start]
    while places:
        place = places.pop()
        if _is_settled(place):
            continue
        if place.context.accepted is not None:
            record_notations(place)
        inner: list[SchemaPair] = []
        for step in _compare_pair(place):
            if isinstance(step, SchemaPair):
                inner.append(step)
            else:
                yield replace(step, under=(*step.under, HOLDS_ITSELF)) if place.repeated else step
        places.extend(reversed(inner))


def _is_settled(place: SchemaPair) -> bool:
    """Whether a place needs no look: the same, or already under comparison, as in schemas that hold themselves."""
    if not place.context.has_references:
        return equal(place.before, place.after)
    key = (schema_text(place.before), schema_text(place.after), place.without_null)
    if key in place.context.visited:
        return True
    place.context.visited.add(key)
    return False


def _compare_pair(place: SchemaPair) -> Iterator[SchemaDifference | SchemaPair]:
    """Yield the differences at one place, and the pairs inside it that are still to be compared."""
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
