"""Schemas that an answer must follow, which providers compile as they compile those of strict tools."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders
from doubles.draft import copied

border = borders(__name__)


def closed(**properties: Any) -> dict[str, Any]:
    """An object that has and requires just these members."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


OPEN = {"type": "object", "properties": {"branch": {"type": "string"}, "ahead": {"type": "integer"}}}
STRICT = closed(branch={"type": "string"}, ahead={"type": ["integer", "null"]})
WITHIN = closed(state={"anyOf": [STRICT, {"type": "null"}]})
DEFINED = closed(commits={"type": "array", "items": {"$ref": "#/$defs/commit"}}) | {"$defs": {"commit": STRICT}}


def chat(schema: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
    """A form of the answer, as Chat spells it."""
    named = {"name": "answer", "schema": copied(schema), "strict": strict}
    return {"/response_format": {"type": "json_schema", "json_schema": named}}


def flat(schema: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
    """The same, as Responses spells it."""
    return {"/text": {"format": {"type": "json_schema", "name": "answer", "schema": copied(schema), "strict": strict}}}


def output(schema: dict[str, Any]) -> dict[str, Any]:
    """The same, as Anthropic spells it, which has no other than strict ones."""
    return {"/output_config": {"format": {"type": "json_schema", "schema": copied(schema)}}}


CHAT, FLAT, OUTPUT = "/response_format/json_schema", "/text/format", "/output_config/format/schema"

border(
    "anthropic/tool-strict-closed",
    "answer-closed-within",
    "Every object in the schema of the answer is closed, one of several forms and one that is defined apart, too",
    output(WITHIN | {"$defs": {"commit": STRICT}}),
    past={f"{OUTPUT}/properties/state/anyOf/0/additionalProperties": GONE},
    says="An object that is one of several forms of a member of the answer is open",
)
border(
    "anthropic/tool-strict-closed",
    "answer-may-leave-out",
    "The answer may leave a member out, and one of its members is called object",
    output(closed(object={"type": "string"}, ahead={"type": "integer"}) | {"required": ["object"]}),
    past={f"{OUTPUT}/additionalProperties": {"type": "string"}},
    says="The answer may have more members, if they are texts",
)
border(
    "openai_chat/strict-schema",
    "strict-answer-within",
    "Every object in the schema of a strict answer is closed and requires all that it has, what may be null too",
    chat(WITHIN),
    past={f"{CHAT}/schema/properties/state/anyOf/0/additionalProperties": GONE},
    says="An object that is one of several forms of a member of a strict answer is open",
)
border(
    "openai_chat/strict-schema",
    "loose-answer",
    "The schema of an answer that need not be strict is open",
    chat(OPEN, strict=False),
    past={f"{CHAT}/strict": True},
    says="The schema of an answer is open, and must be followed strictly",
)
border(
    "openai_chat/strict-schema",
    "strict-answer-defined",
    "What the definitions of a strict answer hold is closed and requires all that it has",
    chat(DEFINED),
    past={f"{CHAT}/schema/$defs/commit/required/1": GONE},
    says="A definition of a strict answer does not require all that it has",
)
border(
    "openai_responses/strict-schema",
    "strict-answer-within",
    "Every object in the schema of a strict answer is closed and requires all that it has, what may be null too",
    flat(WITHIN),
    past={f"{FLAT}/schema/properties/state/anyOf/0/additionalProperties": GONE},
    says="An object that is one of several forms of a member of a strict answer is open",
)
border(
    "openai_responses/strict-schema",
    "loose-answer",
    "The schema of an answer that need not be strict is open",
    flat(OPEN, strict=False),
    past={f"{FLAT}/strict": True},
    says="The schema of an answer is open, and must be followed strictly",
)
border(
    "openai_chat/strict-keywords",
    "strict-answer-of-any-form",
    "A member of a strict answer has any of two forms, and one of the members has the name of a keyword",
    chat(closed(state={"anyOf": [STRICT, {"type": "null"}]}, oneOf={"type": "string"})),
    past={f"{CHAT}/schema/properties/state/oneOf": [{"type": "null"}]},
    says="The schema of a strict answer has a keyword that strict mode does not have",
)
for _rule, _spelt, _at in (
    ("openai_chat/answer-schema-valid", chat, f"{CHAT}/schema"),
    ("openai_responses/answer-schema-valid", flat, f"{FLAT}/schema"),
    ("anthropic/answer-schema-valid", output, OUTPUT),
):
    border(
        _rule,
        "answer-of-types-in-lists",
        "A member of the answer has one of two types, and one has the name of a keyword",
        _spelt(closed(type={"type": ["integer", "null"]}, required={"type": "string"})),
        past={f"{_at}/properties/type/type/0": "INTEGER"},
        says="One of the types of a member of the answer is in capital letters, as Gemini writes them",
    )
    border(
        _rule,
        "answer-of-defined-parts",
        "The schema of the answer has definitions, of which one takes anything",
        _spelt(closed(head={"$ref": "#/$defs/commit"}) | {"$defs": {"commit": STRICT, "anything": {}}}),
        past={f"{_at}/$defs/commit/properties/branch/type": "STRING"},
        says="A type in a definition of the answer is in capital letters, as Gemini writes them",
    )
