"""Describes a schema error in a sentence that says what must be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolcall_conformance.basics.schema_words import TYPE_WORDS
from toolcall_conformance.judge.rules.merging import types_in
from toolcall_conformance.judge.rules.wants import Wants, missing_keys, must_be_absent

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MAX_WIDTH = 60


def sentence(error: ValidationError, wants: Wants) -> str:
    """A sentence for an error: the ``x-message`` of its schema, else one for the failed keyword.

    ``x-message`` is a sentence, or an object from keywords to sentences, with ``*`` for all other keywords.
    """
    message = error.schema.get("x-message") if isinstance(error.schema, dict) else None
    if isinstance(message, dict):
        message = message.get(str(error.validator), message.get("*"))
    return message if isinstance(message, str) else _keyword_sentence(error, wants)


def _keyword_sentence(error: ValidationError, wants: Wants) -> str:
    keyword = str(error.validator)
    if error.schema is False or must_be_absent(error):
        return "this must not be here"
    if keyword == "required":
        return _missing_keys_sentence(error, wants)
    if keyword == "type":
        keyword_value: Any = error.validator_value  # no value fits where schemas of one place contradict each other
        types = types_in(wants.form(error)) or ([keyword_value] if isinstance(keyword_value, str) else keyword_value)
        return f"this is {type_words(error.instance)}; it must be {_types_in_words(types)}"
    if keyword in _SENTENCE_BY_KEYWORD:
        return _SENTENCE_BY_KEYWORD[keyword](error.instance, error.validator_value)
    return _shorten(error.message)


def _missing_keys_sentence(error: ValidationError, wants: Wants) -> str:
    missing = missing_keys(error)
    if len(missing) > 1:
        return f"the keys {', '.join(map(repr, missing))} are missing"
    types = types_in(wants.form(error))
    must = f"; it must be {_types_in_words(types)}" if types else ""
    return f"the key {missing[0]!r} is missing{must}"


def type_words(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return TYPE_WORDS["integer"]
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string"}
    return TYPE_WORDS[kinds.get(type(value), "number")]


def _types_in_words(types: Sequence[str]) -> str:
    *first, last = [TYPE_WORDS[name] for name in types]
    return f"{', '.join(first)} or {last}" if first else last


def _count_words(number: Any, noun: str) -> str:
    return f"{number} {noun if number == 1 else {'entry': 'entries'}.get(noun, f'{noun}s')}"


def _too_few(noun: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda value, least: (
        f"this {noun} has {_count_words(len(value), unit)}; it must have at least {_count_words(least, unit)}"
        if value
        else f"this {noun} is empty; it must have at least {_count_words(least, unit)}"
    )


def _too_many(noun: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda value, most: f"this {noun} has {_count_words(len(value), unit)}; it may have at most {most}"


_SENTENCE_BY_KEYWORD: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "enum": lambda value, _: f"{_value_text(value)} is none of the allowed values",
    "const": lambda value, expected: f"this is {_value_text(value)}; it must be {_value_text(expected)}",
    "not": lambda value, _: f"{_value_text(value)} is not allowed here",
    "pattern": lambda value, pattern: f"{_value_text(value)} does not match the pattern {pattern}, as it must",
    "minimum": lambda value, least: f"{_value_text(value)} is too small; it must be at least {least}",
    "maximum": lambda value, most: f"{_value_text(value)} is too large; it must be at most {most}",
    "minLength": _too_few("string", "character"),
    "maxLength": _too_many("string", "character"),
    "minItems": _too_few("list", "entry"),
    "maxItems": _too_many("list", "entry"),
    "minProperties": _too_few("object", "key"),
    "maxProperties": _too_many("object", "key"),
}


def _value_text(value: Any) -> str:
    return _shorten(json.dumps(value, ensure_ascii=False))


def _shorten(text: str) -> str:
    return text if len(text) <= 2 * _MAX_WIDTH else f"{text[:_MAX_WIDTH]} … {text[-_MAX_WIDTH // 2 :]}"
