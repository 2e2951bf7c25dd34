"""Unions, conjunctions and conditions: branches that belong together are compared, all others are probed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, resolve
from toolcall_conformance.judge.translation.schemas.normal_schemas import BRANCH_KEYWORDS, SCHEMA_KEYWORDS
from toolcall_conformance.judge.translation.schemas.probes import compare_by_probes
from toolcall_conformance.judge.translation.schemas.schema_keywords import COMPOSING_KEYWORDS, UNION_KEYWORDS
from toolcall_conformance.judge.translation.schemas.schema_pair import (
    UNDECIDED,
    SchemaDifference,
    SchemaPair,
    schema_text,
)
from toolcall_conformance.library import Corpus

Step = SchemaDifference | SchemaPair
_MAX_SHOWN: Final = 80
_CONDITION_KEYWORDS = (
    *("not", "if", "then", "else", "propertyNames", "contains"),
    *("dependentRequired", "unevaluatedProperties", "unevaluatedItems"),
)
_KEYED_SCHEMA_KEYWORDS = ("patternProperties", "dependentSchemas")


def is_composed(schema: Any) -> bool:
    """Whether a schema, as written, is a union or a conjunction itself."""
    return isinstance(schema, dict) and any(schema.get(key) for key in BRANCH_KEYWORDS)


def note_structure(source: Any, output: Any, difference: SchemaDifference) -> str:
    """Return what two whole schemas have at a difference, if that decides its repair; empty if it does not.

    A union that is gone changes types, entries and descriptions at once; what is in addition to a union or reference
    is lost in other code than what a plain parameter has.
    """
    before, after = _schema_at(source, difference.source_pointer), _schema_at(output, difference.pointer)
    union = next((key for key in UNION_KEYWORDS if before.get(key)), None)
    if union is not None and not any(after.get(key) for key in (*UNION_KEYWORDS, "any_of")):
        return f"; its place in the source has `{union}`, its place in the output has none"
    added = next((key for key in (*UNION_KEYWORDS, "any_of") if after.get(key)), None)
    if union is None and added is not None:
        return f"; its place in the output has `{added}`, its place in the source has none"
    if difference.got is MISSING and difference.source_pointer.rpartition("/")[2] in before:
        keyword = union or next((key for key in ("$ref", "allOf") if before.get(key)), None)
        return f"; in the source it is with `{keyword}`" if keyword is not None else ""
    return ""


def _schema_at(whole: Any, pointer: str) -> dict[str, Any]:
    """Return the innermost schema of a whole one that a pointer leads into."""
    schema: Any = whole
    for end in (pointer, pointer.rpartition("/")[0]):
        try:
            schema = resolve(whole, end)
        except LookupError:
            continue
        if isinstance(schema, dict):
            break
    return schema if isinstance(schema, dict) else {}


def compare_branches(place: SchemaPair) -> Iterator[Step]:
    """Yield the differences in everything that is composed of schemas, and the pairs of branches to compare."""
    left, right = place.left, place.right
    unsettled = False
    for key, other in _paired_keywords(left, right):
        ours, theirs = left.get(key, []), right.get(other, [])
        twins, lost, added = _align_branches(place, ours, theirs)
        for source_index, output_index in twins:
            yield _branch_pair(place, key, source_index, other, output_index)
        unsettled = unsettled or bool(lost or added) or key != other
        if lost and not theirs:
            yield from _lost_descriptions(place, [ours[index] for index in lost])
    changed = [key for key in (*_CONDITION_KEYWORDS, *_KEYED_SCHEMA_KEYWORDS) if not _is_keyword_same(place, key)]
    tuple_gone = "prefixItems" in left and "prefixItems" not in right and "items" in right
    moved = any((key in left) != (key in right) for key in ("type", "enum")) and any(
        key in left or key in right for key in COMPOSING_KEYWORDS
    )
    if not (unsettled or changed or tuple_gone or moved):
        return
    differences = list(_probe_differences(place))
    yield from differences
    if not differences and not changed:
        place.accept("schema-branches-rewritten")
    for key in changed:
        if not differences or key in _KEYED_SCHEMA_KEYWORDS:
            is_lost = key not in right
            yield place.difference(
                "schema-bound" if key in left else "schema-narrowed",
                key,
                f"the keyword {key} is {'lost' if is_lost else 'changed'}" if key in left else "",
                want=left.get(key, MISSING),
                got=right.get(key, MISSING),
                under=UNDECIDED,
            )


def _paired_keywords(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, str]]:
    """Return which list of branches corresponds to which: ``anyOf`` and ``oneOf`` may be exchanged."""
    ours, theirs = ([key for key in UNION_KEYWORDS if key in schema] for schema in (left, right))
    pairs = [(ours[0], theirs[0])] if len(ours) == len(theirs) == 1 else [(key, key) for key in {*ours, *theirs}]
    return [*sorted(pairs), *([("allOf", "allOf")] if "allOf" in left or "allOf" in right else [])]


def _branch_pair(place: SchemaPair, key: str, source_index: int, other: str, output_index: int) -> SchemaPair:
    inner = place.inner_pair(
        other, output_index, left=place.left[key][source_index], right=place.right[other][output_index]
    )
    inner.source_pointer = place.source_place(key, source_index)
    return inner


def _align_branches(
    place: SchemaPair, ours: list[Any], theirs: list[Any]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Return pairs of branches that belong together and differ, the lost branches, and the new ones."""
    left, right = list(range(len(ours))), list(range(len(theirs)))
    for source_index in list(left):
        near = sorted(right, key=lambda output_index: abs(output_index - source_index))
        twin = next(
            (output_index for output_index in near if place.context.are_same(ours[source_index], theirs[output_index])),
            None,
        )
        if twin is not None:
            left.remove(source_index)
            right.remove(twin)
    before = {source_index: place.context.source_normalizer.normalize(ours[source_index]) for source_index in left}
    after = {output_index: place.context.output_normalizer.normalize(theirs[output_index]) for output_index in right}
    scores = sorted(
        (
            (-score, abs(source_index - output_index), source_index, output_index)
            for source_index in left
            for output_index in right
            if (score := _branch_likeness(place.context.corpus, before[source_index], after[output_index])) >= 0
        ),
    )
    twins = []
    for *_, source_index, output_index in scores:
        if source_index in left and output_index in right:
            left.remove(source_index)
            right.remove(output_index)
            twins.append((source_index, output_index))
    return sorted(twins), left, right


def _branch_likeness(corpus: Corpus, left: dict[str, Any], right: dict[str, Any]) -> int:
    """Return how much two branches have in common; negative if they are about different things."""
    if left.get("type") != right.get("type"):
        return -1
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    parameters = corpus.alignment.parameters
    same_value: int = parameters["branch_value_points"]
    score: int = parameters["branch_description_points"] * (
        left.get("description") is not None and left.get("description") == right.get("description")
    )
    for name in ours.keys() & theirs.keys():
        left_value, right_value = _only_value(ours[name]), _only_value(theirs[name])
        if left_value is not MISSING and right_value is not MISSING and not equal(left_value, right_value):
            return -1
        score += same_value if left_value is not MISSING and equal(left_value, right_value) else 1
    values = [value for value in left.get("enum", []) if any(equal(value, twin) for twin in right.get("enum", []))]
    return score + len(values)


def _only_value(schema: Any) -> Any:
    """Return the only value that a property may have; MISSING if there are several."""
    if isinstance(schema, dict):
        if "const" in schema:
            return schema["const"]
        values = schema.get("enum")
        if isinstance(values, list) and len(values) == 1:
            return values[0]
    return MISSING


def _lost_descriptions(place: SchemaPair, branches: list[Any]) -> Iterator[SchemaDifference]:
    """Yield descriptions of lost branches that are nowhere in the output's schema."""
    after_text = schema_text(place.after)
    for branch in branches:
        description = place.context.source_normalizer.normalize(branch).get("description")
        if description is not None and schema_text(description.strip())[1:-1] not in after_text:
            yield place.difference("schema-branch-description", None, want=description, got=MISSING)


def _is_keyword_same(place: SchemaPair, key: str) -> bool:
    """Whether a keyword means the same in both schemas."""
    left, right = place.left.get(key, MISSING), place.right.get(key, MISSING)
    if left is MISSING or right is MISSING:
        return left is right
    same = place.context.are_same
    if key in SCHEMA_KEYWORDS:
        return same(left, right)
    if key in _KEYED_SCHEMA_KEYWORDS:
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return equal(left, right)


def _probe_differences(place: SchemaPair) -> Iterator[SchemaDifference]:
    """Yield the differences that probe values show."""
    probed = compare_by_probes(place)
    if probed.no_longer_valid is not MISSING:
        yield place.difference(
            "schema-narrowed",
            None,
            f"a valid value is no longer valid: {_short_json(probed.no_longer_valid)}",
            want=place.before,
            got=place.after,
            under="" if probed.is_certain else UNDECIDED,
        )
    if probed.newly_valid is not MISSING:
        keyword = probed.forbidding_keyword
        if keyword == "const" and '"const":' not in schema_text(place.before):
            keyword = "enum"
        by = f"; `{keyword}` forbids it in the source" if keyword else ""
        message = f"an invalid value is valid now: {_short_json(probed.newly_valid)}{by}"
        yield place.difference("schema-widened", None, message, want=place.before, got=place.after)


def _short_json(value: Any) -> str:
    """Return a probe value as text of a few characters."""
    text = schema_text(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]} …"
