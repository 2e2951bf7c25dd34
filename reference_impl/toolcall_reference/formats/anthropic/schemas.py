"""JSON Schemas as Anthropic takes them for the input of a tool."""

from __future__ import annotations

from toolcall_reference import schemas
from toolcall_reference.intermediate import Body
from toolcall_reference.jsontext import copied


def for_input(schema: Body | None) -> tuple[Body, list[str]]:
    """A schema for ``input_schema`` and what it no longer says: its root may not be composed."""
    return (copied(schemas.NO_PARAMETERS), []) if schema is None else schemas.plain_root(schema)
