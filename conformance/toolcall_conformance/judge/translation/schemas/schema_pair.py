"""A pair of schemas under comparison, and the differences found there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.findings import NOT_KNOWN
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.judge.translation.schemas.spelling import Speller
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
    """A place at which an equivalence lets two schemas be written differently, perhaps ``only_translated`` ones."""

    name: str
    pointer: str
    source_pointer: str
    only_translated: bool = False


@dataclass(slots=True)
class Context:
    """What all places of one comparison share. ``walk`` compares a place and all places inside it.

    ``accepted`` collects what is accepted; None where nobody asked for it. ``texts_only``: the output's language of
    schemas lists texts, and no other values.
    """

    corpus: Corpus
    source: Speller
    output: Speller
    closing_allowed: bool
    walk: Callable[[SchemaPair], Iterator[SchemaDifference]]
    has_references: bool
    accepted: list[SchemaAcceptance] | None = None
    texts_only: bool = False
    known: dict[tuple[str, str], bool] = field(default_factory=dict)
    seen: set[tuple[str, str, bool]] = field(default_factory=set)

    def same(self, left: Any, right: Any) -> bool:
        """Whether two schemas, as written, do not differ at all."""
        key = (text(left), text(right))
        if key not in self.known:
            self.known[key] = True  # until a difference is found, for schemas that hold themselves
            before, self.seen = self.seen, set()
            accepted, self.accepted = self.accepted, None  # a trial: the two may belong to others
            self.known[key] = next(self.walk(SchemaPair(self, left, right)), None) is None
            self.seen, self.accepted = before, accepted
        return self.known[key]


REPEATED = "repeated"
#: The circumstances of the corpus under which schemas are compared.
UNDECIDED = "schema-undecided"
HOLDS_ITSELF = "schema-holds-itself"
BROKEN_IN_SOURCE = "schema-broken-in-source"


class SchemaPair:
    """A pair of schemas: as written (``before``, ``after``) and in one spelling (``left``, ``right``)."""

    def __init__(
        self,
        context: Context,
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
        own = text(before) if context.has_references else ""
        # Inside itself, a source that holds itself: no format without references can go on for ever.
        self.repeated = REPEATED in around or ('ref": "' in own and own in around)
        self.around = around | {own}
        self.left, self.right = context.source.normal(before), context.output.normal(after)
        if without_null and not admits_null(self.left, context.source):
            self.right = _not_null(self.right, context.output)

    def inner(self, *keys: str | int, left: Any, right: Any, without_null: bool = False) -> SchemaPair:
        """The place of two schemas inside, which stand under ``keys`` where they are spelt out."""
        return SchemaPair(
            self.context,
            left,
            right,
            self.out(*keys),
            self.source(*keys),
            without_null=without_null,
            around=self.around | {REPEATED} if self.repeated else self.around,
        )

    def out(self, *keys: str | int) -> str:
        """The pointer of something inside if the output spells it there, else of the schema that lacks it."""
        return _pointer(self.context.output.root, self.pointer, keys)

    def source(self, *keys: str | int) -> str:
        """The same in the source."""
        return _pointer(self.context.source.root, self.source_pointer, keys)

    def accept(self, name: str, key: str | None = None, *, only_translated: bool = False) -> None:
        """Record that an equivalence allows a difference in a keyword of this place, or in the place as such."""
        if self.context.accepted is not None:
            pointer, source = (self.out(key), self.source(key)) if key else (self.pointer, self.source_pointer)
            self.context.accepted.append(SchemaAcceptance(name, pointer, source, only_translated))

    def differs(
        self,
        rule: str,
        key: str | None = None,
        message: str = "",
        *,
        want: Any = NOT_KNOWN,
        got: Any = NOT_KNOWN,
        under: str = "",
    ) -> SchemaDifference:
        """A difference in a keyword of this place, or in the place as such."""
        pointer, source = (self.out(key), self.source(key)) if key else (self.pointer, self.source_pointer)
        return SchemaDifference(f"translation/{rule}", pointer, source, message, want, got, (under,) if under else ())


def text(schema: Any) -> str:
    """A schema as text, which serves as a key."""
    return json.dumps(schema, sort_keys=True, ensure_ascii=False, default=repr)


def _pointer(body: Any, pointer: str, keys: tuple[str | int, ...]) -> str:
    for length in range(len(keys), 0, -1):
        longer = join(pointer, *keys[:length])
        try:
            resolve(body, longer)
        except LookupError:
            continue
        return longer
    return pointer


def admits_null(schema: dict[str, Any], speller: Speller) -> bool:
    """Whether a schema in one spelling names null among its values."""
    if "null" in schema.get("type", ()) or None in schema.get("enum", ()):
        return True
    branches = [speller.normal(entry) for key in ("anyOf", "oneOf") for entry in schema.get(key, ())]
    return any("null" in branch.get("type", ()) for branch in branches)


def _not_null(schema: dict[str, Any], speller: Speller) -> dict[str, Any]:
    """A schema in one spelling without the null that it allows."""
    non_null_schema = dict(schema)
    if non_null_schema.get("type", ["null"]) != ["null"]:
        non_null_schema["type"] = [name for name in non_null_schema["type"] if name != "null"]
    if "enum" in non_null_schema:
        non_null_schema["enum"] = [value for value in non_null_schema["enum"] if value is not None]
    for key in ("anyOf", "oneOf"):
        entries = non_null_schema.get(key, [])
        others = [entry for entry in entries if speller.normal(entry) != {"type": ["null"]}]
        if len(others) < len(entries):
            return speller.normal({**non_null_schema, key: others})
    return non_null_schema
