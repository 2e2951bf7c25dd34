"""The shape of GenAI messages: the official schemas, as wide as the convention has become, checked part by part.

The schemas accept any part as a generic one, so each part is checked by the definition of its own type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import deep_copy, join, resolve
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.library import Corpus

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

ATTRIBUTES = ("input_messages", "output_messages", "system_instructions", "tool_definitions")
_DRAFT_7 = "http://json-schema.org/draft-07/schema"


@cache
def schema(corpus: Corpus, attribute: str) -> dict[str, Any]:
    """The schema of an attribute, loosened where the convention has been loosened since it was published."""
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

    full_schema = schema(corpus, attribute)
    root_schema = (
        full_schema if definition is None else {"$defs": full_schema["$defs"], "$ref": f"#/$defs/{definition}"}
    )
    draft_7 = referencing.jsonschema.DRAFT7.create_resource(jsonschema.Draft7Validator.META_SCHEMA)
    registry: referencing.Registry[Any] = referencing.Registry().with_resource(_DRAFT_7, draft_7)
    return jsonschema.Draft202012Validator(root_schema, registry=registry)


def errors(corpus: Corpus, attribute: str, value: Any, definition: str | None = None) -> Iterator[ValidationError]:
    """The schema errors of an attribute's value, or of a part of it by the definition of its own type."""
    validator = _validator(corpus, attribute, definition)
    if not validator.is_valid(value):
        yield from validator.iter_errors(value)


def definitions(corpus: Corpus, attribute: str) -> Mapping[str, str]:
    """The names of definitions in the schema, by the types of an attribute's parts or entries."""
    definitions_by_type: Mapping[str, str] = corpus.otel["definitions" if attribute == ATTRIBUTES[3] else "parts"]
    return definitions_by_type


_GENERIC_PART = "generic"


def compare_shape(corpus: Corpus, output: Any) -> Iterator[Finding]:
    """The findings on the shape of an instrumentation's four lists."""
    for attribute in ATTRIBUTES:
        value = output.get(attribute, []) if isinstance(output, dict) else None
        wrong = list(errors(corpus, attribute, value))
        for error in wrong:
            pointer = join(f"/{attribute}" if isinstance(output, dict) else "", *error.absolute_path)
            yield make_finding(corpus, "otel/shape", pointer, error.message, got=error.instance)
        if not wrong:
            yield from _compare_parts(corpus, attribute, value)


def _compare_parts(corpus: Corpus, attribute: str, value: Any) -> Iterator[Finding]:
    definitions_by_type = definitions(corpus, attribute)
    for pointer, part in parts_of(attribute, value):
        definition = definitions_by_type.get(part["type"])
        if definition is not None:
            for error in errors(corpus, attribute, part, definition):
                where = join(pointer, *error.absolute_path)
                message = f"{part['type']}: {error.message}"
                yield make_finding(corpus, "otel/part-shape", where, message, got=error.instance)
        elif (
            attribute != ATTRIBUTES[3]
            and part["type"] != _GENERIC_PART
            and part["type"] not in corpus.otel["new_parts"]
        ):
            yield make_finding(corpus, "otel/part-type", join(pointer, "type"), want=_GENERIC_PART, got=part["type"])
        uri = part.get("uri")
        if part["type"] == "uri" and isinstance(uri, str) and uri.startswith("data:"):
            yield make_finding(corpus, "otel/data-address", join(pointer, "uri"), got=uri[:40])


def parts_of(attribute: str, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of messages, or the entries of the other lists, each with its pointer."""
    for place, entry in enumerate(value):
        if "messages" in attribute:
            for number, part in enumerate(entry["parts"]):
                yield join(f"/{attribute}", place, "parts", number), part
        else:
            yield join(f"/{attribute}", place), entry
