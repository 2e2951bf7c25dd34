"""What a schema says about an object's members, it says of objects alone: ``required`` holds for anything else.

Without ``type``, a null among 30 kinds of items fits the condition of each, and breaks the shape of each.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from every import every
from toolcall_conformance.judge.rules import schemas
from toolcall_conformance.judge.rules.shapes import Shapes
from toolcall_conformance.library import Corpus

NO_OBJECTS = [None, True, 1, 1.5, "", "x", [], [None], ["a"]]
TOLD_ONCE: list[tuple[str, Any, str]] = [
    ("openai_responses/item-type", {"input": [...]}, "/input/0"),
    ("openai_responses/tool-type", {"input": "a", "tools": [...]}, "/tools/0"),
    ("openai_chat/shape", {"messages": [...]}, "/messages/0"),
    ("openai_chat/user-part", {"messages": [{"role": "user", "content": [...]}]}, "/messages/0/content/0"),
    ("anthropic/block-type", {"messages": [{"role": "user", "content": [...]}]}, "/messages/0/content/0"),
    ("gemini/shape", {"tools": [{"functionDeclarations": [...]}]}, "/tools/0/functionDeclarations/0"),
]
"""A rule on what stands in the place of ``...``, and where it stands."""
ASKED = ("request", "response", "stream", "error")


def _parts(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        yield place, schema
    entries = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, entry in entries:
        if not str(key).startswith("x-"):
            yield from _parts(entry, f"{place}/{key}")


def _vacuous(document: dict[str, Any]) -> Iterator[str]:
    """Where a condition, or what a rule forbids, asks for members, fits whatever has none, and refuses it then."""
    shapes = Shapes(document)
    for place, part in _parts(document):
        condition, consequence = (
            (part["if"], part.get("then", True)) if "if" in part else (part.get("not", False), False)
        )
        has_condition = ("if" in part and "else" not in part) or ("not" in part and "x-rule" in part)
        fits, then_fits = shapes.compile(condition), shapes.compile(consequence)
        if has_condition and not fits({}) and all(map(fits, NO_OBJECTS)) and not all(map(then_fits, NO_OBJECTS)):
            yield place


@pytest.mark.parametrize("direction", ASKED)
def test_conditions_ask_for_an_object(corpus: Corpus, direction: str) -> None:
    for name in corpus.formats:
        assert not list(_vacuous(dict(corpus.schema(name, direction)))), name


def test_a_condition_that_asks_for_none_is_found(corpus: Corpus) -> None:
    document = copy.deepcopy(dict(corpus.schema("openai_responses", "request")))
    del document["$defs"]["item"]["allOf"][2]["if"]["type"]
    assert list(_vacuous(document)) == ["/$defs/item/allOf/2"]


@every(
    "rule, body, place, value",
    [(*row, value) for row in TOLD_ONCE for value in NO_OBJECTS],
    id=lambda rule, _body, _place, value: f"{rule}-{value!r}",
)
def test_what_is_no_object_is_reported_once(corpus: Corpus, rule: str, body: Any, place: str, value: Any) -> None:
    breaches = schemas.breaches(corpus, rule.partition("/")[0], "request", _fill_placeholders(body, value))
    assert [broken for broken, breach in breaches if breach.pointer == place] == [rule]


def test_settings_of_gemini_that_are_null_hold_no_two_schemas(corpus: Corpus) -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "generationConfig": None}
    assert [rule for rule, _ in schemas.breaches(corpus, "gemini", "request", body)] == ["gemini/null-key"]


def _fill_placeholders(body: Any, value: Any) -> Any:
    """The body with the value in place of ``...``."""
    if isinstance(body, dict):
        return {key: _fill_placeholders(entry, value) for key, entry in body.items()}
    if isinstance(body, list):
        return [_fill_placeholders(entry, value) for entry in body]
    return value if body is ... else body
