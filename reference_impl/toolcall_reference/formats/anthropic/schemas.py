"""JSON Schemas as Anthropic takes them for the input of a tool."""

from __future__ import annotations

from toolcall_reference.basics.jsontext import copied
from toolcall_reference.conversation import schemas
from toolcall_reference.conversation.intermediate import Body


def for_input(schema: Body | None) -> tuple[Body, list[str]]:
    """A schema for ``input_schema`` and what it no longer says: its root may not be composed."""
    return (copied(schemas.NO_PARAMETERS), []) if schema is None else schemas.plain_root(schema)
