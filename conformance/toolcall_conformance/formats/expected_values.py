"""The values that rules expect in place of wrong ones: forms, and what a wrong text was meant to be."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from toolcall_conformance.basics.findings import MAX_CHOICES, NOT_KNOWN, Form, Words
from toolcall_conformance.basics.jsonvalue import JSONError, invalid_constant, parse_arguments

TEXT: Final = Form({"type": "string", "minLength": 1})
INDEX: Final = Form({"type": "integer", "minimum": 0})
NUMBER: Final = Form({"type": "number"})
BOOLEAN: Final = Form({"type": "boolean"})
LIST: Final = Form({"type": "array"})
OBJECT: Final = Form({"type": "object"})
OBJECT_TEXT: Final = Form(
    {"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}}
)
"""The JSON text of an object."""


ANOTHER_CALL: Final = Words("the id of another call, or no such result")
"""For a second result of a call."""


def first_choices(texts: Iterable[str | None]) -> tuple[str, ...]:
    """Return the first ``MAX_CHOICES`` texts that are not None: as many as ``another_text`` excludes."""
    return tuple(islice((text for text in texts if text is not None), MAX_CHOICES))


def another_text(text: str, taken_texts: Iterable[str]) -> Form:
    """Return the form of a text that is neither ``text`` nor one of ``taken_texts``, the ``first_choices`` of all.

    The caller computes ``taken_texts`` once for all breaches: thousands may have the same text.
    """
    return Form({"type": "string", "not": {"enum": list(dict.fromkeys((text, *taken_texts)))}})


def object_with(**members: Form) -> Form:
    """Return the form of an object with members of these forms."""
    properties = {key: form.schema for key, form in members.items()}
    return Form({"type": "object", "required": list(members), "properties": properties})


def object_of_type(*kinds: str, **members: Any) -> Form:
    """Return the form of an object whose ``type`` is one of ``kinds``, with ``members`` of these values or forms."""
    type_form = Form({"const": kinds[0]} if len(kinds) == 1 else {"enum": list(kinds)})
    return object_with(type=type_form, **member_forms(members))


def object_with_values(**members: Any) -> Form:
    """Return the form of an object with members of these values or forms; it may have others."""
    return object_with(**member_forms(members))


def member_forms(members: Mapping[str, Any]) -> dict[str, Form]:
    """Return a form for each member: the form itself, or that of the constant value."""
    return {key: value if isinstance(value, Form) else Form({"const": value}) for key, value in members.items()}


MAX_LITERAL_LENGTH = 50_000


def intended_json_text(text: str) -> Any:
    """Return the JSON text of an object that was quoted twice or written as Python; else the form of such a text."""
    python_value = python_object(text)
    if python_value is not NOT_KNOWN:
        return json.dumps(python_value, ensure_ascii=False)
    try:
        inner = parse_arguments(text)
        inner_value = parse_arguments(inner) if isinstance(inner, str) else None
    except JSONError:
        return OBJECT_TEXT
    return inner if isinstance(inner_value, dict) else OBJECT_TEXT


def json_fault(text: Any, otherwise: str = "") -> str:
    """Return the message for a text that is no JSON: the number in it that JSON does not have, or ``otherwise``."""
    name = invalid_constant(text)
    return f"{name} in it is a number which JSON does not have" if name else otherwise


def intended_object(data: Any, otherwise: Form = OBJECT) -> Any:
    """Return the object that an event's data writes as Python does; ``otherwise`` if it writes none."""
    python_value = python_object(data)
    return otherwise if python_value is NOT_KNOWN else python_value


def python_object(text: Any) -> Any:
    """Return the object of a text that ``str(dict)`` made, as ``{'a': True}``; NOT_KNOWN for any other text."""
    if not isinstance(text, str) or not text.startswith("{'") or len(text) > MAX_LITERAL_LENGTH:
        return NOT_KNOWN
    try:
        value = json.loads(json.dumps(ast.literal_eval(text), allow_nan=False))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return NOT_KNOWN
    return value if isinstance(value, dict) else NOT_KNOWN
