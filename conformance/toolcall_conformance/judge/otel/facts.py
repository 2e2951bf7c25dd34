"""What the corpus says of OpenTelemetry's GenAI messages: their schemas, as wide as the convention has become."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.library import Corpus

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

ATTRIBUTES = ("input_messages", "output_messages", "system_instructions", "tool_definitions")
_DRAFT_7 = "http://json-schema.org/draft-07/schema"


@cache
def schema(corpus: Corpus, attribute: str) -> dict[str, Any]:
    """The schema of an attribute. Where the convention has been loosened since it was published, it is as loose."""
    name = corpus.otel["attributes"][attribute]["schema"]
    document: dict[str, Any] = deep_copy(corpus.otel_schema(name))
    for change in corpus.otel["since"]:
        if change.get("schema") == name:
            holder, _, key = change["pointer"].rpartition("/")
            resolve(document, holder)[key] = change["value"]
    return document


@cache
def _validator(corpus: Corpus, attribute: str, definition: str | None) -> Any:
    import jsonschema  # takes its time to import, and most items read no messages of OpenTelemetry
    import referencing
    import referencing.jsonschema

    whole = schema(corpus, attribute)
    root_schema = whole if definition is None else {"$defs": whole["$defs"], "$ref": f"#/$defs/{definition}"}
    draft_7 = referencing.jsonschema.DRAFT7.create_resource(jsonschema.Draft7Validator.META_SCHEMA)
    registry: referencing.Registry[Any] = referencing.Registry().with_resource(_DRAFT_7, draft_7)
    return jsonschema.Draft202012Validator(root_schema, registry=registry)


def errors(corpus: Corpus, attribute: str, value: Any, definition: str | None = None) -> Iterator[ValidationError]:
    """What is wrong with an attribute's value, or with a part of it by the definition of its own type."""
    validator = _validator(corpus, attribute, definition)
    if not validator.is_valid(value):
        yield from validator.iter_errors(value)


def definitions(corpus: Corpus, attribute: str) -> Mapping[str, str]:
    """The definitions by the types of the parts, or of the entries, of an attribute."""
    definitions_by_type: Mapping[str, str] = corpus.otel["definitions" if attribute == ATTRIBUTES[3] else "parts"]
    return definitions_by_type
