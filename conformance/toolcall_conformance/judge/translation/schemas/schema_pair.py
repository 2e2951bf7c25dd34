"""A pair of schemas under comparison, and the differences between them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.findings import NOT_KNOWN
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.judge.translation.schemas.normal_schemas import SchemaNormalizer
from toolcall_conformance.library import Corpus


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference of two schemas, at pointers relative to them.

    ``under`` are the circumstances that hold there.
    """

    rule: str
    pointer: str
    source_pointer: str
    message: str = ""
    want: Any = NOT_KNOWN
    got: Any = NOT_KNOWN
    under: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemaAcceptance:
    """A place where an equivalence lets two schemas differ in notation.

    ``only_translated``: only if the body was translated, not between two ends of one format.
    """

    name: str
    pointer: str
    source_pointer: str
    only_translated: bool = False


@dataclass(slots=True)
class ComparisonContext:
    """What all places of one comparison share. ``walk`` compares a place and all places inside it.

    ``accepted`` collects what is accepted; None if nobody asks for it. ``texts_only``: the output's language of schemas
    lists only texts.
    """

    corpus: Corpus
    source_normalizer: SchemaNormalizer
    output_normalizer: SchemaNormalizer
    closing_allowed: bool
    walk: Callable[[SchemaPair], Iterator[SchemaDifference]]
    has_references: bool
    accepted: list[SchemaAcceptance] | None = None
    texts_only: bool = False
    same_by_text: dict[tuple[str, str], bool] = field(default_factory=dict)
    visited: set[tuple[str, str, bool]] = field(default_factory=set)

    def are_same(self, left: Any, right: Any) -> bool:
        """Whether two schemas, as written, do not differ at all."""
        key = (schema_text(left), schema_text(right))
        if key not in self.same_by_text:
            self.same_by_text[key] = True  # until a difference shows, for schemas that hold themselves
            before, self.visited = self.visited, set()
            accepted, self.accepted = self.accepted, None  # a trial: the two may belong to others
            self.same_by_text[key] = next(self.walk(SchemaPair(self, left, right)), None) is None
            self.visited, self.accepted = before, accepted
        return self.same_by_text[key]


REPEATED = "repeated"
#: The circumstances of the corpus under which schemas are compared.
UNDECIDED = "schema-undecided"
HOLDS_ITSELF = "schema-holds-itself"
BROKEN_IN_SOURCE = "schema-broken-in-source"


class SchemaPair:
    """A pair of schemas: as written (``before``, ``after``) and normalized (``left``, ``right``)."""

    def __init__(
        self,
        context: ComparisonContext,
        before: Any,
        after: Any,
        pointer: str = "",
        source_pointer: str = "",
        *,
        without_null: bool = False,
        around: frozenset[str] = frozenset(),
    ) -> None:
        self.context = context
        self.before, self.after = before, after
        self.pointer, self.source_pointer = pointer, source_pointer
        self.without_null = without_null
        text = schema_text(before) if context.has_references else ""
        # Inside itself, a source that holds itself: no format without references can go on for ever.
        self.repeated = REPEATED in around or ('ref": "' in text and text in around)
        self.around = around | {text}
        self.left, self.right = context.source_normalizer.normalize(before), context.output_normalizer.normalize(after)
        if without_null and not admits_null(self.left, context.source_normalizer):
            self.right = _without_null(self.right, context.output_normalizer)

    def inner_pair(self, *keys: str | int, left: Any, right: Any, without_null: bool = False) -> SchemaPair:
        """Return the pair of two inner schemas, which are under ``keys`` where they are written out."""
        return SchemaPair(
            self.context,
            left,
            right,
            self.output_place(*keys),
            self.source_place(*keys),
            without_null=without_null,
            around=self.around | {REPEATED} if self.repeated else self.around,
        )

    def output_place(self, *keys: str | int) -> str:
        """Return the pointer of something inside if the output writes it there, else of the schema that lacks it."""
        return _deepest_place(self.context.output_normalizer.root, self.pointer, keys)

    def source_place(self, *keys: str | int) -> str:
        """Return the pointer of something inside if the source writes it there, else of the schema that lacks it."""
        return _deepest_place(self.context.source_normalizer.root, self.source_pointer, keys)

    def accept(self, equivalence: str, key: str | None = None, *, only_translated: bool = False) -> None:
        """Record that an equivalence allows a difference in a keyword of this place, or in the place as such."""
        if self.context.accepted is not None:
            pointer, source = (
                (self.output_place(key), self.source_place(key)) if key else (self.pointer, self.source_pointer)
            )
            self.context.accepted.append(SchemaAcceptance(equivalence, pointer, source, only_translated))

    def difference(
        self,
        rule: str,
        key: str | None = None,
        message: str = "",
        *,
        want: Any = NOT_KNOWN,
        got: Any = NOT_KNOWN,
        under: str = "",
    ) -> SchemaDifference:
        """Return a difference in a keyword of this place, or in the place as such."""
        pointer, source = (
            (self.output_place(key), self.source_place(key)) if key else (self.pointer, self.source_pointer)
        )
        return SchemaDifference(f"translation/{rule}", pointer, source, message, want, got, (under,) if under else ())


def schema_text(schema: Any) -> str:
    """Return a schema as text, which serves as a key."""
    return json.dumps(schema, sort_keys=True, ensure_ascii=False, default=repr)


def _deepest_place(body: Any, pointer: str, keys: tuple[str | int, ...]) -> str:
    """Return the pointer extended by as many of the keys as exist in the body."""
    for length in range(len(keys), 0, -1):
        longer = join(pointer, *keys[:length])
        try:
            resolve(body, longer)
        except LookupError:
            continue
        return longer
    return pointer


def admits_null(schema: dict[str, Any], normalizer: SchemaNormalizer) -> bool:
    """Whether a normalized schema names null among its values."""
    if "null" in schema.get("type", ()) or None in schema.get("enum", ()):
        return True
    branches = [normalizer.normalize(entry) for key in ("anyOf", "oneOf") for entry in schema.get(key, ())]
    return any("null" in branch.get("type", ()) for branch in branches)


def _without_null(schema: dict[str, Any], normalizer: SchemaNormalizer) -> dict[str, Any]:
    """Return a normalized schema without the null that it allows."""
    non_null_schema = dict(schema)
    if non_null_schema.get("type", ["null"]) != ["null"]:
        non_null_schema["type"] = [name for name in non_null_schema["type"] if name != "null"]
    if "enum" in non_null_schema:
        non_null_schema["enum"] = [value for value in non_null_schema["enum"] if value is not None]
    for key in ("anyOf", "oneOf"):
        entries = non_null_schema.get(key, [])
        others = [entry for entry in entries if normalizer.normalize(entry) != {"type": ["null"]}]
        if len(others) < len(entries):
            return normalizer.normalize({**non_null_schema, key: others})
    return non_null_schema
