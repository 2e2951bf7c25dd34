"""One schema in two spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading.model import Tool
from toolcall_conformance.translation.spelling import COUNTS
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance

Feature = Callable[[dict[str, Any]], str | None]
"""The keyword of a schema object that is spelt in the way in question, None if there is none."""


def _told_by(bodies: Bodies, feature: Feature) -> Iterator[Occurrence]:
    """The tools of which one schema has a feature somewhere that the other's has nowhere."""
    others = {tool.name: tool for tool in bodies.pair.output.tools}
    for tool in bodies.pair.source.tools:
        twin = others.get(bodies.pair.names.get(tool.name or "", ""))
        if twin is None:
            continue
        before, after = _having(tool.schema, feature), _having(twin.schema, feature)
        if (before is None) != (after is None):
            yield Occurrence(_place(twin, after), _place(tool, before))


def _place(tool: Tool, inside: str | None) -> str:
    return tool.pointer if tool.schema_pointer is None else tool.schema_pointer + (inside or "")


def _having(schema: Any, feature: Feature) -> str | None:
    """The pointer of the first keyword inside that is a feature."""
    places = [("", schema)]
    while places:
        pointer, value = places.pop(0)
        if isinstance(value, dict):
            if (key := feature(value)) is not None:
                return join(pointer, key)
            places += [(join(pointer, key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            places += [(join(pointer, index), entry) for index, entry in enumerate(value)]
    return None


@tolerance("schema-type-case")
def schema_type_case(bodies: Bodies) -> Iterator[Occurrence]:
    """Types in upper case on one side."""
    return _told_by(bodies, lambda schema: "type" if _is_upper(schema.get("type")) else None)


def _is_upper(name: Any) -> bool:
    return isinstance(name, str) and name.isupper()


@tolerance("schema-nullable")
def schema_nullable(bodies: Bodies) -> Iterator[Occurrence]:
    """``nullable`` on one side."""
    return _told_by(bodies, lambda schema: "nullable" if schema.get("nullable") is True else None)


@tolerance("schema-ref-inlined")
def schema_ref_inlined(bodies: Bodies) -> Iterator[Occurrence]:
    """A reference on one side."""
    keys = ("$ref", "ref")
    return _told_by(bodies, lambda schema: next((key for key in keys if isinstance(schema.get(key), str)), None))


@tolerance("schema-empty-keywords")
def schema_empty_keywords(bodies: Bodies) -> Iterator[Occurrence]:
    """``required`` or ``properties`` on one side, and empty."""
    keys = ("required", "properties")
    return _told_by(bodies, lambda schema: next((key for key in keys if schema.get(key) in ([], {})), None))


@tolerance("schema-bound-as-text")
def schema_bound_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """A bound is a text on one side. The readings have it as a number, so the bodies are asked."""
    for tool, twin in bodies.pair.twins:
        before = _having(bodies.source(tool.schema_pointer), _bound_as_text)
        after = _having(bodies.output(twin.schema_pointer), _bound_as_text)
        if (before is None) != (after is None):
            yield Occurrence(_place(twin, after), _place(tool, before))


def _bound_as_text(schema: dict[str, Any]) -> str | None:
    return next((key for key in COUNTS if isinstance(schema.get(key), str)), None)
