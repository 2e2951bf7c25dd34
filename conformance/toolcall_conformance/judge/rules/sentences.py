"""What is wrong where a body breaks a schema, in a sentence that says what must be."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolcall_conformance.basics.schema_words import TYPE_WORDS
from toolcall_conformance.judge.rules.merging import types_in
from toolcall_conformance.judge.rules.wants import Wants, missing_keys, must_be_absent

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_WIDTH = 60


def sentence(error: ValidationError, wants: Wants) -> str:
    """What is wrong: ``x-message`` beside the failed keyword, else what the keyword says.

    ``x-message`` is a sentence, or an object from keywords to sentences, with ``*`` for all other keywords.
    """
    message = error.schema.get("x-message") if isinstance(error.schema, dict) else None
    if isinstance(message, dict):
        message = message.get(str(error.validator), message.get("*"))
    return message if isinstance(message, str) else _of_keyword(error, wants)


def _of_keyword(error: ValidationError, wants: Wants) -> str:
    keyword = str(error.validator)
    if error.schema is False or must_be_absent(error):
        return "this must not be here"
    if keyword == "required":
        return _missing(error, wants)
    if keyword == "type":
        keyword_value: Any = error.validator_value  # no value fits where schemas of one place contradict each other
        types = types_in(wants.form(error)) or ([keyword_value] if isinstance(keyword_value, str) else keyword_value)
        return f"this is {kind_of(error.instance)}; it must be {_or(types)}"
    if keyword in _BOUNDS:
        return _BOUNDS[keyword](error.instance, error.validator_value)
    return _cut(error.message)


def _missing(error: ValidationError, wants: Wants) -> str:
    missing = missing_keys(error)
    if len(missing) > 1:
        return f"the keys {', '.join(map(repr, missing))} are missing"
    types = types_in(wants.form(error))
    must = f"; it must be {_or(types)}" if types else ""
    return f"the key {missing[0]!r} is missing{must}"


def kind_of(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int):
        return TYPE_WORDS["integer"]
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string"}
    return TYPE_WORDS[kinds.get(type(value), "number")]


def _or(types: Sequence[str]) -> str:
    *first, last = [TYPE_WORDS[name] for name in types]
    return f"{', '.join(first)} or {last}" if first else last


def _counted(number: Any, noun: str) -> str:
    return f"{number} {noun if number == 1 else {'entry': 'entries'}.get(noun, f'{noun}s')}"


def _too_few(what: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda value, least: (
        f"this {what} has {_counted(len(value), unit)}; it must have at least {_counted(least, unit)}"
        if value
        else f"this {what} is empty; it must have at least {_counted(least, unit)}"
    )


def _too_many(what: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda value, most: f"this {what} has {_counted(len(value), unit)}; it may have at most {most}"


_BOUNDS: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "enum": lambda value, _: f"{_shown(value)} is none of the allowed values",
    "const": lambda value, expected: f"this is {_shown(value)}; it must be {_shown(expected)}",
    "not": lambda value, _: f"{_shown(value)} is not allowed here",
    "pattern": lambda value, pattern: f"{_shown(value)} does not match the pattern {pattern}, as it must",
    "minimum": lambda value, least: f"{_shown(value)} is too small; it must be at least {least}",
    "maximum": lambda value, most: f"{_shown(value)} is too large; it must be at most {most}",
    "minLength": _too_few("string", "character"),
    "maxLength": _too_many("string", "character"),
    "minItems": _too_few("list", "entry"),
    "maxItems": _too_many("list", "entry"),
    "minProperties": _too_few("object", "key"),
    "maxProperties": _too_many("object", "key"),
}


def _shown(value: Any) -> str:
    return _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _WIDTH else f"{text[:_WIDTH]} … {text[-_WIDTH // 2 :]}"
