"""Parameter schemas that lost, changed or gained something."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import walk

_COUNTS = ("minItems", "maxItems", "minLength", "maxLength")


def _with(draft: Draft, key: str) -> list[dict[str, Any]]:
    """All schemas, outer and inner, of all tools that have a keyword."""
    return need([schema for tool in draft.tools for schema in walk(tool.schema) if schema.get(key)])


@broken("translation/schema-property-lost", target=(ANTHROPIC, CHAT, RESPONSES))
def schema_emptied(draft: Draft) -> None:
    """Tools have no parameters any more."""
    for tool in need([tool for tool in draft.tools if tool.schema.get("properties")]):
        tool.schema = {"type": "object", "properties": {}}
        tool.inner.pop("strict", None)


@broken("translation/schema-property-lost", never=("translation/schema-type", "translation/schema-required"))
def schema_blank(draft: Draft) -> None:
    """Tools have an empty schema: one cause, which is told once."""
    for tool in need([tool for tool in draft.tools if tool.schema and tool.schema.get("properties")]):
        tool.schema = {}
        tool.inner.pop("strict", None)


@broken("translation/schema-property-lost", target=(CHAT, GEMINI))
def schema_dropped(draft: Draft) -> None:
    """Tools are declared without their schema."""
    for tool in need([tool for tool in draft.tools if tool.schema and tool.schema.get("properties")]):
        del tool.inner[tool.schema_key]


@broken("translation/schema-property-lost")
def schema_property_lost(draft: Draft) -> None:
    """A tool lost its last optional parameter."""
    for tool in draft.tools:
        names = [name for name in tool.schema.get("properties", {}) if name not in tool.schema.get("required", [])]
        if names:
            del tool.schema["properties"][names[-1]]
            return
    need(False)


@broken("translation/schema-property-lost")
def schema_nested_properties_lost(draft: Draft) -> None:
    """Objects inside a schema lost their members."""
    hit = False
    for tool in draft.tools:
        for schema in list(walk(tool.schema))[1:]:
            if schema.get("properties"):
                names = list(schema["properties"])
                schema["properties"] = {"value": {"type": "STRING" if _upper(tool.schema) else "string"}}
                schema.pop("required", None)
                hit = hit or names != ["value"]
    need(hit)


def _upper(schema: Any) -> bool:
    return isinstance(schema, dict) and str(schema.get("type", "")).isupper()


@broken("translation/schema-property-lost", cases=("grep/keyword-properties",))
def keyword_property_lost(draft: Draft) -> None:
    """Cleaning a schema of titles took out a parameter that is called title."""
    hit = False
    for tool in draft.tools:
        hit = tool.schema["properties"].pop("title", None) is not None or hit
    need(hit)


@broken("translation/schema-property-lost", cases=("grep/realistic",))
def pattern_property_lost(draft: Draft) -> None:
    """Cleaning a schema of patterns took out a parameter that is called pattern."""
    hit = False
    for tool in draft.tools:
        hit = tool.schema["properties"].pop("pattern", None) is not None or hit
        tool.schema["required"] = [name for name in tool.schema.get("required", ()) if name != "pattern"]
    need(hit)


@broken("translation/schema-required")
def schema_required_lost(draft: Draft) -> None:
    """Schemas lost their required lists."""
    for schema in _with(draft, "required"):
        del schema["required"]


@broken("translation/schema-required")
def schema_required_emptied(draft: Draft) -> None:
    """The outermost required lists lost their last entry."""
    for tool in need([tool for tool in draft.tools if tool.schema.get("required")]):
        tool.schema["required"] = tool.schema["required"][:-1]


@broken("translation/schema-required")
def schema_nested_required_lost(draft: Draft) -> None:
    """Objects inside a schema lost their required lists."""
    inner = [schema for tool in draft.tools for schema in list(walk(tool.schema))[1:] if schema.get("required")]
    for schema in need(inner):
        del schema["required"]


@broken("translation/schema-enum")
def schema_enum_lost(draft: Draft) -> None:
    """Parameters lost their enum."""
    for schema in _with(draft, "enum"):
        del schema["enum"]
        schema.pop("format", None)


@broken("translation/schema-enum")
def schema_enum_upper_case(draft: Draft) -> None:
    """The values of enums came out in upper case."""
    for schema in _with(draft, "enum"):
        schema["enum"] = [value.upper() if isinstance(value, str) else value for value in schema["enum"]]


@broken("translation/schema-items")
def schema_items_lost(draft: Draft) -> None:
    """Arrays do not say what is in them."""
    for schema in _with(draft, "items"):
        del schema["items"]


@broken("translation/schema-type")
def schema_items_type_changed(draft: Draft) -> None:
    """Arrays of texts became arrays of numbers."""
    hit = False
    for schema in _with(draft, "items"):
        if str(schema["items"].get("type")).lower() == "string" and "enum" not in schema["items"]:
            schema["items"]["type"], hit = "NUMBER" if _upper(schema) else "number", True
    need(hit)


@broken("translation/schema-type")
def schema_type_changed(draft: Draft) -> None:
    """Whole numbers became texts."""
    for schema in _leaves(draft, "integer"):
        schema["type"] = "STRING" if _upper(schema) else "string"


@broken("translation/schema-type")
def schema_type_widened(draft: Draft) -> None:
    """Whole numbers became any numbers."""
    for schema in _leaves(draft, "integer"):
        schema["type"] = "NUMBER" if _upper(schema) else "number"


@broken("translation/schema-type", target=(ANTHROPIC, CHAT, RESPONSES))
def schema_type_lost(draft: Draft) -> None:
    """Parameters do not say their type."""
    for schema in need([schema for schema in _leaves(draft, "string") if "description" in schema]):
        del schema["type"]


@broken("translation/schema-type", cases=("schemas/nullable-openapi",), target=(ANTHROPIC, CHAT, RESPONSES))
def schema_null_listed_and_of_no_type(draft: Draft) -> None:
    """Null stands among the listed values, and no longer among the types."""
    hit = False
    for schema in _with(draft, "enum"):
        if None in schema["enum"] and isinstance(schema.get("type"), list):
            schema["type"] = "string"
            hit = True
    need(hit)


@harmless(cases=("schemas/nullable-openapi",), target=(ANTHROPIC, CHAT, RESPONSES))
def schema_listed_values_without_a_type(draft: Draft) -> None:
    """A parameter of which all values are listed says no type beside them."""
    hit = False
    for schema in _with(draft, "enum"):
        hit = schema.pop("type", None) is not None or hit
    need(hit)


def _leaves(draft: Draft, name: str) -> list[dict[str, Any]]:
    schemas = [
        schema for tool in draft.tools for schema in walk(tool.schema) if str(schema.get("type")).lower() == name
    ]
    return need([schema for schema in schemas if "enum" not in schema])


@broken("translation/schema-description")
def schema_description_lost(draft: Draft) -> None:
    """Parameters lost their description."""
    for schema in _with(draft, "description"):
        del schema["description"]


@broken("translation/schema-description")
def schema_nested_description_lost(draft: Draft) -> None:
    """Parameters inside objects and arrays lost their description."""
    hit = False
    for tool in draft.tools:
        branches = _branches(tool.schema)
        for schema in (tool.schema.get("properties") or {}).values():
            for inner in list(walk(schema))[1:]:
                if not any(inner is branch for branch in branches):  # of which less is demanded
                    hit = inner.pop("description", None) is not None or hit
    need(hit)


def _branches(schema: Any) -> list[Any]:
    return [branch for inner in walk(schema) for key in ("anyOf", "oneOf", "allOf") for branch in inner.get(key) or []]


@broken("translation/schema-narrowed")
def schema_all_required(draft: Draft) -> None:
    """Optional parameters became required."""
    hit = False
    for tool in draft.tools:
        for schema in walk(tool.schema):
            names = list(schema.get("properties") or {})
            if not tool.inner.get("strict") and set(names) - set(schema.get("required") or []):
                schema["required"], hit = names, True
    need(hit)


@broken("translation/schema-narrowed")
def schema_enum_invented(draft: Draft) -> None:
    """A free text has to be one of a few now."""
    for schema in _leaves(draft, "string"):
        schema["enum"] = ["a", "b"]


@broken("translation/schema-changed", target=(CHAT, RESPONSES, ANTHROPIC))
def schema_reference_dangling(draft: Draft) -> None:
    """A parameter became a reference to a definition that was left behind."""
    tool = need([tool for tool in draft.tools if tool.schema.get("properties") and not tool.inner.get("strict")])[0]
    name = next(iter(tool.schema["properties"]))
    tool.schema["properties"][name] = {"$ref": f"#/$defs/{name.title()}"}


@warning("translation/schema-property-invented")
def schema_property_invented(draft: Draft) -> None:
    """Tools got a parameter more."""
    hit = False
    for tool in draft.tools:
        if tool.schema.get("properties") and not tool.inner.get("strict"):
            kind = "STRING" if str(tool.schema["type"]).isupper() else "string"
            tool.schema["properties"]["reason"], hit = {"type": kind}, True
    need(hit)


@warning("translation/schema-bound")
def schema_bound_lost(draft: Draft) -> None:
    """Bounds of parameters are gone."""
    keys = ("minimum", "maximum", "minItems", "maxItems")
    hit = False
    for tool in draft.tools:
        for schema in walk(tool.schema):
            for key in keys:
                hit = schema.pop(key, None) is not None or hit
    need(hit)


def _counts(draft: Draft) -> list[tuple[dict[str, Any], str]]:
    """Where a schema says how much there may be of something, and under which keyword."""
    every = [schema for tool in draft.tools for schema in walk(tool.schema)]
    return need([(schema, key) for schema in every for key in _COUNTS if type(schema.get(key)) is int])


@broken(
    {
        ANTHROPIC: "anthropic/tool-schema-valid",
        CHAT: "openai_chat/tool-schema-valid",
        RESPONSES: "openai_responses/tool-schema-valid",
    }
)
def schema_count_as_text(draft: Draft) -> None:
    """Counts in a schema are texts, as Gemini's own schemas have them."""
    for schema, key in _counts(draft):
        schema[key] = str(schema[key])


@harmless(target=(ANTHROPIC, CHAT, RESPONSES))
def schema_count_with_a_point(draft: Draft) -> None:
    """Counts in a schema are whole numbers with a decimal point."""
    for schema, key in _counts(draft):
        schema[key] = float(schema[key])


@warning("translation/schema-widened", target=(ANTHROPIC, CHAT, RESPONSES))
def schema_opened(draft: Draft) -> None:
    """A closed object takes any parameter."""
    for tool in need([tool for tool in draft.tools if tool.schema.get("additionalProperties") is False]):
        for schema in walk(tool.schema):
            schema.pop("additionalProperties", None)
        tool.inner.pop("strict", None)
        if draft.format == RESPONSES:
            tool.inner["strict"] = False


@warning("translation/schema-listed-twice", target=(CHAT, GEMINI, RESPONSES), at_home=())
def required_listed_twice(draft: Draft) -> None:
    """Schemas list their first required member twice."""
    for schema in _with(draft, "required"):
        schema["required"].append(schema["required"][0])


@harmless(target=(CHAT, GEMINI, RESPONSES), at_home=())
def required_in_another_order(draft: Draft) -> None:
    """Schemas list their required members in another order."""
    for schema in _with(draft, "required"):
        schema["required"].reverse()


@warning("translation/schema-listed-twice", target=(CHAT, GEMINI, RESPONSES), at_home=())
def enum_listed_twice(draft: Draft) -> None:
    """Schemas list the first value that a parameter may have once more."""
    for schema in _with(draft, "enum"):
        schema["enum"].append(need(isinstance(schema["enum"][0], str) and schema["enum"][0]))


@warning("translation/schema-listed-twice", target=(CHAT, RESPONSES), at_home=())
def types_listed_twice(draft: Draft) -> None:
    """Schemas list the first of several types once more."""
    for schema in need([schema for schema in _with(draft, "type") if isinstance(schema["type"], list)]):
        schema["type"].append(schema["type"][0])


@warning("translation/schema-listed-twice", target=(CHAT, GEMINI, RESPONSES), at_home=())
def definition_listed_twice(draft: Draft) -> None:
    """The definitions that schemas refer to list their first required member twice."""
    definitions = [entry for tool in draft.tools for entry in tool.schema.get("$defs", {}).values()]
    for schema in need([entry for entry in definitions if entry.get("required")]):
        schema["required"].append(schema["required"][0])


@harmless(target=(CHAT, GEMINI, RESPONSES), at_home=(), beside="translation/schema-narrowed")
def branch_twice(draft: Draft) -> None:
    """Where any of several schemas may hold, the first is there twice."""
    for schema in _with(draft, "anyOf"):
        schema["anyOf"].append(schema["anyOf"][0])


@harmless(target=(CHAT, GEMINI, RESPONSES), at_home=())
def enum_in_another_order(draft: Draft) -> None:
    """Schemas list the values that a parameter may have in another order."""
    for schema in _with(draft, "enum"):
        need(all(isinstance(value, str) for value in schema["enum"]))
        schema["enum"].reverse()
