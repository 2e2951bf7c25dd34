"""Hypothesis strategies for what tools take and give: names, texts, JSON values, schemas of parameters."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

# What every API takes as the name of a function and of its parameters.
NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789_", max_size=8).map(lambda rest: f"f{rest}")
_ODD_KEYS = st.sampled_from(["type", "properties", "items", "name", "id", "output", "error", "a b", "ключ", "$ref"])
_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
# What programs take for something else than text, or cut, escape and compare in a wrong way.
_ODD_TEXTS = st.sampled_from(
    [
        "null",
        "true",
        "0",
        "1e5",
        "{}",
        "[]",
        '""',
        '{"a":1}',
        "\\",
        '"',
        "</s>",
        "a\r\nb",
        "\ufeffa",
        "é",
        "e\u0301",
        "👩\u200d🚀",
    ]
)
ANY_TEXTS = st.one_of(st.text(_CHARACTERS, max_size=30), _ODD_TEXTS)
# APIs refuse a message of blanks alone.
TEXTS = ANY_TEXTS.filter(lambda text: bool(text.strip()))
# Beyond 2^53 a number of JSON is not the same for every reader; such have their own case.
_INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
_FLOATS = st.floats(-1e15, 1e15, allow_nan=False, allow_infinity=False).filter(lambda value: value % 1 != 0)
_SCALARS = st.one_of(ANY_TEXTS, _INTEGERS, _FLOATS, st.booleans(), st.none())
_KEYS = st.one_of(NAMES, _ODD_KEYS)
VALUES: SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=6,
)
#: The arguments of a call: an object of any JSON values, empty too.
ARGUMENTS = st.dictionaries(_KEYS, VALUES, max_size=4)
#: An object as the result of a tool. Some formats give members such as an error's a meaning of their own.
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
_SIMPLE = ("string", "integer", "number", "boolean")


@st.composite
def _leaf(draw: DrawFn) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": draw(st.sampled_from(_SIMPLE))}
    if schema["type"] == "string" and draw(st.booleans()):
        schema["enum"] = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    return _described(draw, schema)


def _described(draw: DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "description": draw(TEXTS)} if draw(st.booleans()) else schema


@st.composite
def _array(draw: DrawFn, inner: SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    return _described(draw, {"type": "array", "items": draw(inner)})


@st.composite
def _choice(draw: DrawFn, inner: SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    return {"anyOf": draw(st.lists(inner, min_size=2, max_size=3, unique_by=repr))}


@st.composite
def _object(draw: DrawFn, inner: SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    members: SearchStrategy[dict[str, Any]] = st.dictionaries(NAMES, inner, max_size=3)
    properties = draw(members)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if draw(st.booleans()) and properties:
        schema["required"] = draw(st.lists(st.sampled_from(sorted(properties)), min_size=1, unique=True))
    return schema


_MEMBERS: SearchStrategy[dict[str, Any]] = st.recursive(
    _leaf(), lambda inner: st.one_of(_object(inner), _array(inner), _choice(inner)), max_leaves=4
)
_OBJECTS = _object(_MEMBERS)


@st.composite
def _parameters(draw: DrawFn) -> dict[str, Any]:
    """An object's schema; some refer to a definition, from one or two of their properties."""
    schema = draw(_OBJECTS)
    if schema["properties"] and draw(st.integers(0, 3)) == 3:
        name = draw(NAMES)
        places = draw(st.lists(st.sampled_from(sorted(schema["properties"])), min_size=1, max_size=2, unique=True))
        schema["$defs"] = {name: draw(_object(_leaf()))}
        reference = {"$ref": f"#/$defs/{name}"}
        for place in places:
            schema["properties"][place] = reference if draw(st.booleans()) else {"type": "array", "items": reference}
    return schema


@st.composite
def tools(draw: DrawFn) -> dict[str, Any]:
    """A tool without its name: a function, with a schema of its parameters or none, or one that takes free text."""
    tool: dict[str, Any] = {"name": "", "description": draw(TEXTS)}
    if draw(st.integers(0, 7)) == 7:
        tool["kind"] = "custom"
    elif draw(st.booleans()):
        tool["parameters"] = draw(_parameters())
    return tool
