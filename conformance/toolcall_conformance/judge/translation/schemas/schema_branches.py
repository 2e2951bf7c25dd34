"""Unions, conjunctions and conditions: branches that belong together are compared, all others are probed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.judge.translation.schemas.probes import compare_by_probes
from toolcall_conformance.judge.translation.schemas.schema_keywords import COMPOSED, UNIONS
from toolcall_conformance.judge.translation.schemas.schema_pair import UNDECIDED, SchemaDifference, SchemaPair, text
from toolcall_conformance.judge.translation.schemas.spelling import BRANCHES, SCHEMAS
from toolcall_conformance.library import Corpus

Step = SchemaDifference | SchemaPair
_SHOWN: Final = 80
CONDITIONS = ("not", "if", "then", "else", "propertyNames", "contains", "dependentRequired", "unevaluatedProperties",
              "unevaluatedItems")  # fmt: skip
MAPS = ("patternProperties", "dependentSchemas")


def is_composed(schema: Any) -> bool:
    """Whether a schema, as written, is a union or a conjunction itself."""
    return isinstance(schema, dict) and any(schema.get(key) for key in BRANCHES)


def compare_branches(place: SchemaPair) -> Iterator[Step]:
    """The differences in everything that is composed of schemas."""
    left, right = place.left, place.right
    unsettled = False
    for key, other in _pairs(left, right):
        ours, theirs = left.get(key, []), right.get(other, [])
        twins, lost, added = _aligned(place, ours, theirs)
        for here, there in twins:
            yield _branch(place, key, here, other, there)
        unsettled = unsettled or bool(lost or added) or key != other
        if lost and not theirs:
            yield from _unsaid(place, [ours[index] for index in lost])
    changed = [key for key in (*CONDITIONS, *MAPS) if not _same_keyword(place, key)]
    tuple_gone = "prefixItems" in left and "prefixItems" not in right and "items" in right
    moved = any((key in left) != (key in right) for key in ("type", "enum")) and any(
        key in left or key in right for key in COMPOSED
    )
    if not (unsettled or changed or tuple_gone or moved):
        return
    differences = list(_by_probes(place))
    yield from differences
    if not differences and not changed:
        place.accept("schema-branches-rewritten")
    for key in changed:
        if not differences or key in MAPS:
            is_lost = key not in right
            yield place.differs(
                "schema-bound" if key in left else "schema-narrowed",
                key,
                f"the keyword {key} is {'lost' if is_lost else 'changed'}" if key in left else "",
                want=left.get(key, MISSING),
                got=right.get(key, MISSING),
                under=UNDECIDED,
            )


def _pairs(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, str]]:
    """Which list of branches answers which: the kinds of union may have been exchanged."""
    ours, theirs = ([key for key in UNIONS if key in schema] for schema in (left, right))
    pairs = [(ours[0], theirs[0])] if len(ours) == len(theirs) == 1 else [(key, key) for key in {*ours, *theirs}]
    return [*sorted(pairs), *([("allOf", "allOf")] if "allOf" in left or "allOf" in right else [])]


def _branch(place: SchemaPair, key: str, here: int, other: str, there: int) -> SchemaPair:
    inner = place.inner(other, there, left=place.left[key][here], right=place.right[other][there])
    inner.source_pointer = place.source(key, here)
    return inner


def _aligned(
    place: SchemaPair, ours: list[Any], theirs: list[Any]
) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Pairs of branches that belong together and differ, the lost branches, and the new ones."""
    left, right = list(range(len(ours))), list(range(len(theirs)))
    for here in list(left):
        near = sorted(right, key=lambda there: abs(there - here))
        twin = next((there for there in near if place.context.same(ours[here], theirs[there])), None)
        if twin is not None:
            left.remove(here)
            right.remove(twin)
    before = {here: place.context.source.normal(ours[here]) for here in left}
    after = {there: place.context.output.normal(theirs[there]) for there in right}
    scores = sorted(
        (
            (-score, abs(here - there), here, there)
            for here in left
            for there in right
            if (score := _kinship(place.context.corpus, before[here], after[there])) >= 0
        ),
    )
    twins = []
    for *_, here, there in scores:
        if here in left and there in right:
            left.remove(here)
            right.remove(there)
            twins.append((here, there))
    return sorted(twins), left, right


def _kinship(corpus: Corpus, left: dict[str, Any], right: dict[str, Any]) -> int:
    """How much two branches have in common; negative where they are about different things."""
    if left.get("type") != right.get("type"):
        return -1
    ours, theirs = left.get("properties", {}), right.get("properties", {})
    parameters = corpus.alignment.parameters
    same_value: int = parameters["branch_value_points"]
    score: int = parameters["branch_description_points"] * (
        left.get("description") is not None and left.get("description") == right.get("description")
    )
    for name in ours.keys() & theirs.keys():
        left_value, right_value = _only(ours[name]), _only(theirs[name])
        if left_value is not MISSING and right_value is not MISSING and not equal(left_value, right_value):
            return -1
        score += same_value if left_value is not MISSING and equal(left_value, right_value) else 1
    values = [value for value in left.get("enum", []) if any(equal(value, twin) for twin in right.get("enum", []))]
    return score + len(values)


def _only(schema: Any) -> Any:
    """The one value that a property may have, MISSING where there are more."""
    if isinstance(schema, dict):
        if "const" in schema:
            return schema["const"]
        values = schema.get("enum")
        if isinstance(values, list) and len(values) == 1:
            return values[0]
    return MISSING


def _unsaid(place: SchemaPair, branches: list[Any]) -> Iterator[SchemaDifference]:
    """Descriptions of branches whose union is lost. They may stand anywhere else in the schema."""
    after_text = text(place.after)
    for branch in branches:
        description = place.context.source.normal(branch).get("description")
        if description is not None and text(description.strip())[1:-1] not in after_text:
            yield place.differs("schema-branch-description", None, want=description, got=MISSING)


def _same_keyword(place: SchemaPair, key: str) -> bool:
    left, right = place.left.get(key, MISSING), place.right.get(key, MISSING)
    if left is MISSING or right is MISSING:
        return left is right
    same = place.context.same
    if key in SCHEMAS:
        return same(left, right)
    if key in MAPS:
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return equal(left, right)


def _by_probes(place: SchemaPair) -> Iterator[SchemaDifference]:
    probed = compare_by_probes(place)
    if probed.narrowed is not MISSING:
        yield place.differs(
            "schema-narrowed",
            None,
            f"a valid value is no longer valid: {_shown(probed.narrowed)}",
            want=place.before,
            got=place.after,
            under="" if probed.certain else UNDECIDED,
        )
    if probed.widened is not MISSING:
        message = f"an invalid value is valid now: {_shown(probed.widened)}"
        yield place.differs("schema-widened", None, message, want=place.before, got=place.after)


def _shown(value: Any) -> str:
    """A probed value in a few characters."""
    whole = text(value)
    return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN]} …"
