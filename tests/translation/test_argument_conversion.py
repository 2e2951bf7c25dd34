"""Arguments by one schema of a tool, and by another: what a translator does to a schema, and what undoes it."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion

TEXT: dict[str, Any] = {"type": "string"}
NULLABLE: dict[str, Any] = {"type": ["string", "null"]}
OR_NULL: dict[str, Any] = {"anyOf": [TEXT, {"type": "null"}]}
CHOICE: dict[str, Any] = {
    "anyOf": [
        {"type": "object", "properties": {"path": TEXT}, "required": ["path"]},
        {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]},
    ]
}


def an_object(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


INVERSES = {
    "an optional parameter is nullable": (an_object("a", a=TEXT, b=TEXT), an_object("a b", a=TEXT, b=NULLABLE)),
    "by a union": (an_object("a", a=TEXT, b=TEXT), an_object("a b", a=TEXT, b=OR_NULL)),
    "by OpenAPI's word": (
        an_object("a", a=TEXT, b=TEXT),
        {"type": "OBJECT", "properties": {"a": {"type": "STRING"}, "b": {"type": "STRING", "nullable": True}},
         "required": ["a", "b"]},
    ),
    "inside an object in a list": (
        an_object(a={"type": "array", "items": an_object(b=TEXT)}),
        an_object(a={"type": "array", "items": an_object("b", b=NULLABLE)}),
    ),
    "numbers are listed as texts": (
        an_object(a={"type": "integer", "enum": [1, 2]}), an_object(a={"type": "string", "enum": ["1", "2"]})
    ),
    "a truth value is listed as text": (
        an_object(a={"const": True}), an_object(a={"type": "string", "enum": ["true"]})
    ),
    "an open object is a text": (an_object(a={"type": "object"}), an_object(a=TEXT)),
    "an object is around the root": (CHOICE, an_object("input", input=CHOICE)),
    "a union is folded": (CHOICE, an_object("path line", path=NULLABLE, line={"type": ["integer", "null"]})),
    "a name is cleaned": (an_object("file-path", **{"file-path": TEXT}), an_object("file_path", file_path=TEXT)),
}  # fmt: skip
WRITTEN: dict[str, tuple[Any, Any]] = {
    "an optional parameter is nullable": ({"a": "x"}, {"a": "x", "b": None}),
    "by a union": ({"a": "x"}, {"a": "x", "b": None}),
    "by OpenAPI's word": ({"a": "x"}, {"a": "x", "b": None}),
    "inside an object in a list": ({"a": [{}, {"b": "x"}]}, {"a": [{"b": None}, {"b": "x"}]}),
    "numbers are listed as texts": ({"a": 2}, {"a": "2"}),
    "a truth value is listed as text": ({"a": True}, {"a": "true"}),
    "an open object is a text": ({"a": {"b": 1}}, {"a": '{"b":1}'}),
    "an object is around the root": ({"line": 3}, {"input": {"line": 3}}),
    "a union is folded": ({"line": 3}, {"path": None, "line": 3}),
    "a name is cleaned": ({"file-path": "x"}, {"file_path": "x"}),
}


@pytest.mark.parametrize("name", INVERSES)
def test_there_and_back(name: str) -> None:
    client, upstream = INVERSES[name]
    own, declared = WRITTEN[name]
    assert ArgumentConversion(client, upstream).convert(own, fill=True) == declared
    assert ArgumentConversion(upstream, client).convert(declared) == own


@pytest.mark.parametrize("name", INVERSES)
def test_what_fits_already_stays(name: str) -> None:
    client, upstream = INVERSES[name]
    own, declared = WRITTEN[name]
    assert ArgumentConversion(upstream, client).convert(own) == own
    assert ArgumentConversion(client, upstream).convert(declared, fill=True) == declared


@pytest.mark.parametrize(
    ("client", "upstream", "arguments"),
    [
        pytest.param(an_object(a=NULLABLE), an_object("a", a=NULLABLE), {"a": None}, id="null that the client takes"),
        pytest.param(an_object("a", a=TEXT), an_object("a", a=NULLABLE), {"a": None}, id="null of a required one"),
        pytest.param(an_object(a=TEXT), an_object("a", a=TEXT), {"a": None}, id="null that nobody allowed"),
        pytest.param(an_object(a=TEXT), an_object("a", a={}), {"a": None}, id="null by a schema that says nothing"),
        pytest.param(an_object(a=TEXT), an_object("a", a=TEXT), {"a": "2"}, id="a text of digits"),
        pytest.param(an_object(a={"type": "integer"}), an_object(a={}), {"a": "2"}, id="a text that the model chose"),
        pytest.param(
            an_object(a={"enum": ["1", 1]}),
            an_object(a={"type": "string", "enum": ["1", "1"]}),
            {"a": "1"},
            id="a choice",
        ),
        pytest.param(an_object(a=TEXT), an_object(b=TEXT), {"b": "x"}, id="another parameter"),
    ],
)
def test_what_no_change_of_the_schema_explains_stays(client: Any, upstream: Any, arguments: Any) -> None:
    assert ArgumentConversion(upstream, client).convert(arguments) == arguments


def test_a_default_that_only_one_side_requires_says_no_more_than_leaving_it_out() -> None:
    client = an_object("a", a=TEXT, n={"type": "integer", "default": 5})
    upstream = an_object("a n", a=TEXT, n={"type": "integer", "default": 5})
    assert ArgumentConversion(client, upstream).convert({"a": "x"}, fill=True) == {"a": "x", "n": 5}
    back = ArgumentConversion(upstream, client)
    assert back.without_fillers({"a": "x", "n": 5}) == {"a": "x"}
    assert back.without_fillers({"a": "x", "n": 6}) == {"a": "x", "n": 6}
    assert back.without_fillers({"a": "x", "n": None}) == {"a": "x", "n": None}


def test_schemas_without_end_leave_arguments_as_they_are() -> None:
    endless: dict[str, Any] = {"$ref": "#"}
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}, "name": TEXT}, "required": ["name"]}
    strict = tree | {"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "name": TEXT}}
    deep: dict[str, Any] = {"name": "x", "next": None}
    assert ArgumentConversion(endless, tree).convert(deep) == deep
    for _ in range(30):
        deep = {"name": "x", "next": deep}
    converted = ArgumentConversion(strict | {"required": ["name", "next"]}, tree).convert(deep)
    for _ in range(30):
        converted = converted["next"]
    assert converted == {"name": "x"}


@pytest.mark.parametrize("schema", [None, True, [], "object", {"properties": []}, {"type": 3, "anyOf": "x"}])
@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"a": None}, {"a": [1, {"b": "2"}]}])
def test_no_json_raises(schema: Any, value: Any) -> None:
    for conversion in (ArgumentConversion(schema, an_object(a=TEXT)), ArgumentConversion(an_object(a=TEXT), schema)):
        conversion.convert(value, fill=True)
        conversion.without_fillers(value)
