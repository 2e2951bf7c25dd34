"""Where a body breaks a schema, a finding says what should be there, or in words what it must be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.basics.findings import MISSING, Form, OneOf
from toolcall_conformance.judge import Judge
from toolcall_conformance.judge.rules.schemas import breaches
from toolcall_conformance.judge.rules.sentences import sentence
from toolcall_conformance.judge.rules.shapes import Shapes
from toolcall_conformance.judge.rules.wants import Wants
from toolcall_conformance.library import Corpus, default_root, load_corpus

JSON_TEXT = {"type": "string", "contentMediaType": "application/json"}
LIST_OR_TEXT = {"if": {"type": "array"}, "else": {"type": "string"}}
PART: dict[str, Any] = {
    "type": "object",
    "allOf": [{"required": ["type"]}, {"required": ["text"]}],
    "if": {"properties": {"type": {"const": "text"}}},
    "then": {"properties": {"text": {"$ref": "#/$defs/word"}, "type": {"const": "text"}}},
}
WORD = {"word": {"allOf": [{"type": ["string", "null"]}]}}


def want_and_sentence(schema: dict[str, Any], value: Any) -> tuple[Any, str]:
    """What is wanted at the first error, and its sentence."""
    document = {"$defs": WORD, **schema}
    wants = Wants(document, Shapes(document))
    error = next(jsonschema.Draft202012Validator(document).iter_errors(value))
    return wants.want(error), sentence(error, wants)


@pytest.mark.parametrize(
    ("schema", "value", "want", "message"),
    [
        ({"const": "object"}, "array", "object", 'this is "array"; it must be "object"'),
        ({"enum": ["wav", "mp3"]}, "ogg", Form({"enum": ["wav", "mp3"]}), '"ogg" is none of the allowed values'),
        ({"enum": ["wav"]}, "ogg", "wav", '"ogg" is none of the allowed values'),
        ({"not": {}}, 1, MISSING, "this must not be here"),
        ({"properties": {"a": False}}, {"a": 1}, MISSING, "this must not be here"),
        ({"type": "null"}, 1, MISSING, "this must not be here"),
        ({"not": {"const": 1}}, 1, Form({"not": {"const": 1}}), "1 is not allowed here"),
        ({"type": "object"}, '{"a": 1}', {"a": 1}, "this is a string; it must be an object"),
        ({"type": "object"}, "a", Form({"type": "object"}), "this is a string; it must be an object"),
        (
            {"type": ["array", "null"]},
            1.5,
            Form({"type": ["array", "null"]}),
            "this is a number; it must be a list or null",
        ),
        ({"type": "integer"}, "7", 7, "this is a string; it must be a whole number"),
        ({"type": "string"}, 7, "7", "this is a whole number; it must be a string"),
        ({"type": "string"}, [7], Form({"type": "string"}), "this is a list; it must be a string"),
        (JSON_TEXT, {"a": [1]}, '{"a":[1]}', "this is an object; it must be a string"),
        ({"type": "boolean"}, "true", True, "this is a string; it must be true or false"),
        ({"type": "boolean"}, 1, Form({"type": "boolean"}), "this is a whole number; it must be true or false"),
        (LIST_OR_TEXT, {}, Form({"type": ["array", "string"]}), "* it must be a list or a string"),
        ({"minLength": 1}, "", Form({"minLength": 1}), "this string is empty; it must have at least 1 character"),
        (
            {"minLength": 3},
            "a",
            Form({"minLength": 3}),
            "this string has 1 character; it must have at least 3 characters",
        ),
        ({"maxLength": 1}, "abc", Form({"maxLength": 1}), "this string has 3 characters; it may have at most 1"),
        ({"maxItems": 1}, [1, 2], Form({"maxItems": 1}), "this list has 2 entries; it may have at most 1"),
        (
            {"minProperties": 1},
            {},
            Form({"type": "object", "minProperties": 1}),
            "*this object is empty; it must have at least 1 key",
        ),
        ({"minimum": 16}, 1, Form({"minimum": 16}), "1 is too small; it must be at least 16"),
        ({"maximum": 2}, 2.5, Form({"maximum": 2}), "2.5 is too large; it must be at most 2"),
        ({"pattern": "^a"}, "b", Form({"pattern": "^a"}), '"b" does not match the pattern ^a, as it must'),
        (PART, {"text": ""}, "text", "the key 'type' is missing"),
        (
            PART,
            {"type": "text"},
            Form({"type": ["string", "null"]}),
            "the key 'text' is missing; it must be a string or null",
        ),
        ({"required": ["a", "b"]}, {}, Form({"required": ["a", "b"]}), "the keys 'a', 'b' are missing"),
        ({"items": PART}, [{"text": ""}], "text", "the key 'type' is missing"),
        ({"minItems": 1, "x-want": []}, [], MISSING, "*"),
        ({"minItems": 1, "x-want": {"minItems": []}}, [], MISSING, "*"),
        ({"maxItems": 0, "x-want": {"minItems": []}}, [1], Form({"maxItems": 0}), "*"),
        ({"not": {"const": "a"}, "x-want": ["b", "c"]}, "a", OneOf(("b", "c")), "*"),
        ({"minimum": 1, "x-message": "this must be more"}, 0, Form({"minimum": 1}), "this must be more"),
        ({"minimum": 1, "x-message": {"minimum": "more", "*": "less"}}, 0, Form({"minimum": 1}), "more"),
        ({"maximum": 1, "x-message": {"minimum": "more", "*": "less"}}, 2, Form({"maximum": 1}), "less"),
    ],
)
def test_the_wanted_value_is_reported(schema: dict[str, Any], value: Any, want: Any, message: str) -> None:
    suggestion, explanation = want_and_sentence(schema, value)
    assert (suggestion, type(suggestion)) == (want, type(want))
    assert explanation.endswith(message.removeprefix("*"))


def test_a_missing_key_has_the_value_that_the_corpus_names(corpus: Corpus) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "tools": [{}]}
    breaches_by_pointer = {breach.pointer: breach for _, breach in breaches(corpus, "openai_chat", "request", body)}
    assert breaches_by_pointer["/tools/0"].want == Form({"enum": ["function", "custom"]})
    assert breaches_by_pointer["/tools/0"].got is MISSING


WRONG = re.compile(
    r"\b(must|may|should|can only|has no|have no|no such|does not|do not|not take|not know|knows no|is missing|is null"
    r"|neither|without|belongs|allowed|refuses|refused|rejects|rejected|reject|documents no|there is no|is no"
    r"|there are no|nothing but)\b"
)
"""The words by which a sentence says what is wrong or what must be; one without any states a fact."""


@pytest.mark.parametrize("path", sorted(default_root().glob("formats/*/*.schema.json")), ids=lambda path: path.name)
def test_a_message_says_what_is_wrong_or_what_must_be(path: Path) -> None:
    messages = [*schema_messages(json.loads(path.read_bytes()))]
    assert [message for message in messages if not WRONG.search(message)] == []


def schema_messages(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        message = schema.get("x-message", ())
        yield from (message,) if isinstance(message, str) else message.values() if isinstance(message, dict) else ()
    if isinstance(schema, (dict, list)):
        for entry in schema.values() if isinstance(schema, dict) else schema:
            yield from schema_messages(entry)


def test_a_word_of_a_list_that_is_no_word_at_all_is_reported_with_its_type() -> None:
    """A type next to a list of words: no type is left that both ask for, and the judge failed at the sentence."""
    event = {"event": "error", "data": {"type": "error", "error": {"type": {"value": "x"}, "message": "m"}}}
    findings = Judge(load_corpus()).sent("anthropic", "stream", {"events": [event]}).findings
    assert [finding.message for finding in findings if finding.rule == "anthropic/stream-error-shape"] == [
        "this is an object; it must be a string"
    ]
