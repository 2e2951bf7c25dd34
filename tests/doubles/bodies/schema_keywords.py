"""Rare keywords of parameter schemas: definitions, unions, constants, any keys, tuples."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from toolcall_conformance.library import load_corpus
from toolcall_reference.conversation.schemas import resolve_reference

JSON_SCHEMA = (ANTHROPIC, CHAT, RESPONSES)
FAMILY = tuple(case for case in load_corpus().cases if case.startswith("schemas/"))
"""Elsewhere a schema may be the translator's own: that of a tool which another API defines."""
UNIONS = ("anyOf", "oneOf")
DEFINITIONS = ("$defs", "definitions")


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas inside it, those of its definitions too."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "patternProperties", *DEFINITIONS):
        for entry in (schema.get(key) or {}).values():
            yield from schemas_in(entry)
    for key in ("items", "additionalProperties"):
        yield from schemas_in(schema.get(key))
    for key in (*UNIONS, "allOf", "prefixItems"):
        for entry in schema.get(key) or []:
            yield from schemas_in(entry)


def _all(draft: Draft, fits: Callable[[dict[str, Any]], Any] = bool) -> list[dict[str, Any]]:
    return need([schema for tool in draft.tools for schema in schemas_in(tool.schema) if fits(schema)])


def _properties(draft: Draft, fits: Callable[[Any], Any]) -> list[tuple[dict[str, Any], str]]:
    """Where the properties stand whose schemas fit: the map, and the name."""
    maps = [schema["properties"] for schema in _all(draft) if schema.get("properties")]
    return need([(each, name) for each in maps for name, entry in each.items() if fits(entry)])


@broken(("translation/schema-type", "translation/schema-items", "translation/schema-property-lost"), cases=FAMILY)
def references_emptied(draft: Draft) -> None:
    """References were taken out, and nothing came in their place."""
    for schema in _all(draft, lambda schema: "$ref" in schema):
        del schema["$ref"]


IN_BRANCHES = ("schemas/parameters-in-branches",)


def _in_branches(draft: Draft) -> list[dict[str, Any]]:
    """The roots of tools whose parameters stand in the branches of a union."""
    return need([tool.schema for tool in draft.tools if "anyOf" in tool.schema])


@broken(("translation/schema-narrowed", "translation/schema-property-lost"), target=GEMINI, cases=IN_BRANCHES)
def branches_folded_and_required(draft: Draft) -> None:
    """The branches at the root became one object, and what any of them requires is required."""
    for schema in _in_branches(draft):
        for branch in schema.pop("anyOf"):
            schema.setdefault("properties", {}).update(branch["properties"])
            schema.setdefault("required", []).extend(branch["required"])


@harmless(beside="translation/schema-enum", cases=IN_BRANCHES)
def words_beside_values_dropped(draft: Draft) -> None:
    """What an editor says of each value of an enum is left out, which no provider reads."""
    for schema in _all(draft, lambda schema: "enumDescriptions" in schema):
        del schema["enumDescriptions"]


@broken("translation/schema-changed", cases=FAMILY)
def definitions_left_behind(draft: Draft) -> None:
    """References stayed, and what they refer to did not."""
    for tool in need([tool for tool in draft.tools if any(tool.schema.get(key) for key in DEFINITIONS)]):
        for key in DEFINITIONS:
            tool.schema.pop(key, None)


def _inlined(schema: Any, root: Any, depth: int, *, siblings: bool = True) -> Any:
    """A schema with its references put in place, so many levels deep."""
    if isinstance(schema, list):
        return [_inlined(entry, root, depth, siblings=siblings) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str) and depth > 0:
        beside = {key: value for key, value in schema.items() if key != "$ref"} if siblings else {}
        return _inlined({**need(resolve_reference(root, schema["$ref"])), **beside}, root, depth - 1, siblings=siblings)
    return {key: _inlined(entry, root, depth, siblings=siblings) for key, entry in schema.items()}


def _without_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in DEFINITIONS}


@broken("translation/schema-changed", cases=("schemas/references",))
def references_inlined_once(draft: Draft) -> None:
    """Definitions were put in place, but not those that they refer to."""
    for tool in need([tool for tool in draft.tools if "$defs" in tool.schema]):
        tool.schema = _inlined(_without_definitions(tool.schema), tool.schema, 1)


@broken("translation/schema-description", cases=("schemas/references",))
def descriptions_beside_references_lost(draft: Draft) -> None:
    """What stood beside a reference was lost when the definition was put in its place."""
    for tool in need([tool for tool in draft.tools if "$defs" in tool.schema]):
        tool.schema = _inlined(_without_definitions(tool.schema), tool.schema, 9, siblings=False)


@broken("translation/schema-items", cases=("schemas/recursion",))
def recursion_cut(draft: Draft) -> None:
    """Schemas that hold themselves end where they would begin again."""
    for schema in _all(draft, lambda schema: "$ref" in schema.get("items", {})):
        schema["items"] = {}


@broken(("translation/schema-type", "translation/schema-narrowed"), cases=FAMILY)
def null_taken_out(draft: Draft) -> None:
    """What may be null may not be null any more."""
    for schema in _all(draft, _may_be_null):
        if isinstance(schema.get("type"), list):
            others = [name for name in schema["type"] if name != "null"]
            schema["type"] = others[0] if len(others) == 1 else others
        for key in UNIONS:
            if key in schema:
                schema[key] = [entry for entry in schema[key] if entry != {"type": "null"}]
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
        schema.pop("nullable", None)


def _may_be_null(schema: dict[str, Any]) -> bool:
    listed = isinstance(schema.get("type"), list) and "null" in schema["type"]
    return listed or "nullable" in schema or any({"type": "null"} in schema.get(key, []) for key in UNIONS)


@broken(("translation/schema-type", "translation/schema-narrowed"), cases=FAMILY)
def first_type_alone(draft: Draft) -> None:
    """Of a list of types only the first is left."""
    for schema in _all(draft, lambda schema: isinstance(schema.get("type"), list)):
        schema["type"] = schema["type"][0]


@broken(
    ("translation/schema-type", "translation/schema-enum", "translation/schema-narrowed"),
    target=JSON_SCHEMA,
    cases=FAMILY,
)
def enum_beside_null(draft: Draft) -> None:
    """The enum of one branch was copied onto the branch for null."""
    hit = False
    for schema in _all(draft, lambda schema: {"type": "null"} in schema.get("anyOf", [])):
        for entry in schema["anyOf"]:
            if "enum" in entry:
                schema["anyOf"] = [{**each, "enum": entry["enum"]} for each in schema["anyOf"]]
                hit = True
                break
    need(hit)


@broken(("translation/schema-narrowed", "translation/schema-type", "translation/schema-enum"), cases=FAMILY)
def first_branch_alone(draft: Draft) -> None:
    """Of alternatives only the first is left."""
    for schema in _all(draft, lambda schema: any(key in schema for key in UNIONS) and "properties" not in schema):
        for key in UNIONS:
            if key in schema:
                schema.update(schema.pop(key)[0])


@broken(("translation/schema-property-lost", "translation/schema-type"), cases=FAMILY)
def conjunction_dropped(draft: Draft) -> None:
    """What has to hold at once was taken out."""
    for schema in _all(draft, lambda schema: "allOf" in schema):
        del schema["allOf"]


@broken("translation/schema-narrowed", target=GEMINI, cases=("schemas/union-at-the-root",))
@broken("translation/schema-narrowed", target=JSON_SCHEMA, cases=("schemas/union-at-the-root",))
def groups_all_required(draft: Draft) -> None:
    """Of several groups of parameters, one of which is needed, all became required."""
    for tool in need(draft.tools):
        tool.schema = {**tool.schema, "required": list(tool.schema["properties"])}


@broken("translation/schema-enum", cases=FAMILY)
def constant_dropped(draft: Draft) -> None:
    """Constants were taken out."""
    for schema in _all(draft, lambda schema: "const" in schema and "oneOf" not in schema):
        del schema["const"]


@broken("translation/schema-enum", cases=FAMILY)
def enum_of_texts_alone(draft: Draft) -> None:
    """An enum lost its values that are no texts."""
    for schema in _all(draft, lambda schema: _odd(schema) and any(isinstance(entry, str) for entry in schema["enum"])):
        schema["enum"] = [entry for entry in schema["enum"] if isinstance(entry, str)]


@broken("translation/schema-enum", cases=FAMILY)
def numbers_spelt_out(draft: Draft) -> None:
    """The numbers of an enum became texts, and its type did not."""
    numbers = ("integer", "number")
    for schema in _all(draft, lambda schema: _odd(schema) and schema.get("type") in numbers):
        schema["enum"] = [str(entry) for entry in schema["enum"]]


def _odd(schema: dict[str, Any]) -> bool:
    """Whether an enum has values other than texts and null."""
    return any(not isinstance(entry, str) and entry is not None for entry in schema.get("enum", []))


@warning("translation/schema-enum-blank", cases=FAMILY)
def blank_value_dropped(draft: Draft) -> None:
    """The empty text was taken out of enums."""
    for schema in _all(draft, lambda schema: "" in schema.get("enum", [])):
        schema["enum"] = [entry for entry in schema["enum"] if entry != ""]


@broken("translation/schema-narrowed", cases=FAMILY)
def any_keys_forbidden(draft: Draft) -> None:
    """Objects of any keys were closed, as if they had none."""
    hit = False
    for schema in _all(draft, lambda schema: isinstance(schema.get("additionalProperties"), dict)):
        # An empty schema says no more than that the object is open, which most say in no word.
        if schema["additionalProperties"] and not schema.get("properties"):
            schema["additionalProperties"], hit = False, True
    need(hit)


@broken("translation/schema-narrowed", cases=("schemas/open-objects",))
def unnamed_parameters_dropped(draft: Draft) -> None:
    """A tool whose parameters have no names of their own is declared without any."""
    hit = False
    for tool in draft.tools:
        if not tool.schema.get("properties") and isinstance(tool.schema.get("additionalProperties"), dict):
            tool.schema = {"type": "object", "properties": {}, "additionalProperties": False}
            hit = True
    need(hit)


@broken("translation/schema-narrowed", cases=FAMILY)
def untyped_as_text(draft: Draft) -> None:
    """A parameter that takes any value takes a text alone."""
    for properties, name in _properties(
        draft, lambda entry: isinstance(entry, dict) and not entry.keys() - {"description"}
    ):
        properties[name] = {"type": "string", **properties[name]}


@broken("translation/schema-property-lost", cases=FAMILY)
def untyped_dropped(draft: Draft) -> None:
    """Parameters without a type were left out."""
    free = {"type", "$ref", *UNIONS, "allOf", "enum", "const"}
    for properties, name in _properties(draft, lambda entry: isinstance(entry, dict) and not entry.keys() & free):
        del properties[name]


@broken("translation/schema-items", cases=FAMILY)
def tuple_emptied(draft: Draft) -> None:
    """Arrays of fixed places became arrays of anything."""
    for schema in _all(draft, lambda schema: "prefixItems" in schema):
        del schema["prefixItems"]
        schema["items"] = {}


@broken("translation/schema-property-lost", cases=("schemas/keyword-names",))
def keyword_names_cleaned(draft: Draft) -> None:
    """Cleaning a schema of default and format took out parameters that are called so."""
    for schema in _all(draft, lambda schema: "properties" in schema):
        schema["properties"] = {
            name: entry for name, entry in schema["properties"].items() if name not in ("default", "format")
        }
        schema["required"] = [name for name in schema.get("required", []) if name in schema["properties"]]


@broken(("translation/schema-property-lost", "translation/schema-items"), cases=("schemas/deep",))
def depths_cut(draft: Draft) -> None:
    """What is deeper than six levels in a schema was left out."""
    for tool in need(draft.tools):
        tool.schema = _cut(tool.schema, 6)


def _cut(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    if depth == 0:
        return {"type": schema["type"]} if schema["type"] != "array" else {"type": "array", "items": {}}
    schema_copy = dict(schema)
    if "properties" in schema_copy:
        schema_copy["properties"] = {name: _cut(entry, depth - 1) for name, entry in schema_copy["properties"].items()}
    if "items" in schema_copy:
        schema_copy["items"] = _cut(schema_copy["items"], depth - 1)
    return schema_copy


@broken("{format}/strict-schema", target=(CHAT, RESPONSES), cases=("schemas/strict-references",))
def strict_definitions_open(draft: Draft) -> None:
    """The definitions of a strict tool are open."""
    for tool in need([tool for tool in draft.tools if tool.inner.get("strict")]):
        for entry in need(tool.schema.get("$defs", {})).values():
            entry.pop("additionalProperties", None)


@broken("translation/schema-narrowed", cases=("schemas/bounds-and-formats",))
def exclusive_bound_stricter(draft: Draft) -> None:
    """An exclusive bound of a number became the next whole one."""
    for schema in _all(draft, lambda schema: "exclusiveMinimum" in schema and schema.get("type") == "number"):
        schema["minimum"] = schema.pop("exclusiveMinimum") + 1


@warning("translation/schema-bound", cases=FAMILY)
def exclusive_bounds_lost(draft: Draft) -> None:
    """Exclusive bounds were taken out."""
    for schema in _all(draft, lambda schema: "exclusiveMinimum" in schema):
        del schema["exclusiveMinimum"]


@warning("translation/schema-bound", cases=FAMILY)
def defaults_lost(draft: Draft) -> None:
    """Defaults were taken out."""
    for schema in _all(draft, lambda schema: schema.get("default") is not None and "properties" not in schema):
        del schema["default"]


@warning("translation/schema-bound", cases=FAMILY)
def false_defaults_lost(draft: Draft) -> None:
    """Defaults that are false, zero or empty were left out, as if they said nothing."""
    for schema in _all(draft, lambda schema: schema.get("default") in (False, "") and schema["default"] is not None):
        del schema["default"]


@warning("translation/schema-bound", cases=FAMILY)
def formats_and_patterns_lost(draft: Draft) -> None:
    """Formats and patterns were taken out."""
    for schema in _all(draft, lambda schema: any(isinstance(schema.get(key), str) for key in ("format", "pattern"))):
        for key in ("format", "pattern"):
            schema.pop(key, None)


@warning("translation/schema-widened", cases=("schemas/open-objects",))
def values_of_any_keys_opened(draft: Draft) -> None:
    """The values of objects of any keys may be anything."""
    for schema in _all(draft, lambda schema: isinstance(schema.get("additionalProperties"), dict)):
        schema["additionalProperties"] = True


@harmless(
    beside=("translation/schema-changed", "translation/schema-property-lost", "translation/schema-type"), cases=FAMILY
)
def definitions_inlined(draft: Draft) -> None:
    """Definitions were put in the place of their references, outer descriptions first."""
    for tool in need([tool for tool in draft.tools if any(tool.schema.get(key) for key in DEFINITIONS)]):
        need("itself" if '"Chapter"' not in str(tool.schema) and "Chapter" not in str(tool.schema) else None)
        tool.schema = _inlined(_without_definitions(tool.schema), tool.schema, 9)


@harmless(target=JSON_SCHEMA, beside="translation/schema-changed", cases=FAMILY)
def definitions_of_an_older_draft(draft: Draft) -> None:
    """Definitions stand under the key of the older draft."""
    for tool in need([tool for tool in draft.tools if "$defs" in tool.schema and not tool.inner.get("strict")]):
        tool.schema["definitions"] = tool.schema.pop("$defs")
        for schema in schemas_in(tool.schema):
            if isinstance(schema.get("$ref"), str):
                schema["$ref"] = schema["$ref"].replace("/$defs/", "/definitions/")


@harmless(beside="translation/schema-changed", cases=FAMILY)
def annotations_stripped(draft: Draft) -> None:
    """Titles, examples and the name of the draft were taken out."""
    for schema in _all(draft, lambda schema: any(isinstance(schema.get(key), str) for key in ("title", "$schema"))):
        for key in ("title", "$schema", "examples"):
            schema.pop(key, None)


@harmless(beside="translation/schema-enum", cases=FAMILY)
def constant_as_enum(draft: Draft) -> None:
    """A constant became an enum of one value."""
    for schema in _all(draft, lambda schema: "const" in schema):
        schema["enum"] = [schema.pop("const")]


@harmless(target=JSON_SCHEMA, beside=("translation/schema-type", "translation/schema-narrowed"), cases=FAMILY)
def null_as_a_branch(draft: Draft) -> None:
    """A list of a type and null became a union of the two."""
    hit = False
    for schema in _all(draft, lambda schema: isinstance(schema.get("type"), list) and "enum" not in schema):
        if "null" in schema["type"] and len(schema["type"]) == 2:
            kind = next(name for name in schema.pop("type") if name != "null")
            notes: dict[str, Any] = {key: schema.pop(key) for key in ("description", "default") if key in schema}
            rest = copy.deepcopy(schema)
            schema.clear()
            schema.update({**notes, "anyOf": [{"type": kind, **rest}, {"type": "null"}]})
            hit = True
    need(hit)


@harmless(target=JSON_SCHEMA, beside=("translation/schema-type", "translation/schema-narrowed"), cases=FAMILY)
def null_in_a_list(draft: Draft) -> None:
    """A union of a type and null became a list of the two."""
    hit = False
    for schema in _all(draft, lambda schema: {"type": "null"} in schema.get("anyOf", [])):
        others = [entry for entry in schema["anyOf"] if entry != {"type": "null"}]
        if len(others) == 1 and isinstance(others[0].get("type"), str) and "enum" not in others[0]:
            del schema["anyOf"]
            schema |= {**others[0], "type": [others[0]["type"], "null"], **schema}
            hit = True
    need(hit)


@harmless(beside=("translation/schema-narrowed", "translation/schema-changed"), cases=FAMILY)
def one_of_as_any_of(draft: Draft) -> None:
    """Alternatives that exclude one another stand under anyOf."""
    for schema in _all(draft, lambda schema: "oneOf" in schema):
        schema["anyOf"] = schema.pop("oneOf")


@broken("translation/schema-description", cases=("schemas/closed-inside",))
def description_of_the_whole_lost(draft: Draft) -> None:
    """The description at the root of the parameters is gone: the tool has one already."""
    for tool in need([tool for tool in draft.tools if tool.schema.get("description")]):
        del tool.schema["description"]


@broken("translation/schema-property-lost", cases=("schemas/closed-inside",))
def alternatives_without_members(draft: Draft) -> None:
    """Of objects that are alternatives only the type is left."""
    for schema in _all(draft, lambda schema: schema.get("anyOf")):
        schema["anyOf"] = [{key: entry[key] for key in ("type", "description")} for entry in schema["anyOf"]]


@warning("translation/schema-widened", target=JSON_SCHEMA, cases=("schemas/closed-inside",))
def closed_at_the_root_alone(draft: Draft) -> None:
    """Objects in lists, in alternatives and in other objects are open, only the outermost is closed."""
    for schema in _all(draft, lambda schema: schema.get("additionalProperties") is False):
        if not any(schema is tool.schema for tool in draft.tools):
            del schema["additionalProperties"]
