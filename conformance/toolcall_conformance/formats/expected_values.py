"""The forms that rules want where no body says the value."""

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
    """The first ``MAX_CHOICES`` of the texts that there are: as many as ``another`` names."""
    return tuple(islice((text for text in texts if text is not None), MAX_CHOICES))


def another_text(own: str, others: Iterable[str]) -> Form:
    """A text in place of ``own``, which another one of its kind has, too; ``others`` are the ``first_of`` all.

    They are found once for all that are told of: thousands may have the same text.
    """
    return Form({"type": "string", "not": {"enum": list(dict.fromkeys((own, *others)))}})


def object_with(**members: Form) -> Form:
    """An object that has these members."""
    properties = {key: form.schema for key, form in members.items()}
    return Form({"type": "object", "required": list(members), "properties": properties})


def object_of_type(*kinds: str, **members: Any) -> Form:
    """An object of one of some types, which it says itself, with ``members`` that have these values."""
    type_form = Form({"const": kinds[0]} if len(kinds) == 1 else {"enum": list(kinds)})
    return object_with(type=type_form, **member_forms(members))


def object_with_values(**members: Any) -> Form:
    """An object with members that have these values; it may have others."""
    return object_with(**member_forms(members))


def member_forms(members: Mapping[str, Any]) -> dict[str, Form]:
    """The forms of members: of one that is a form already that, else the one of its value alone."""
    return {key: value if isinstance(value, Form) else Form({"const": value}) for key, value in members.items()}


MAX_LITERAL_LENGTH = 50_000


def intended_json_text(text: str) -> Any:
    """The JSON text of the object that ``text`` means: quoted once too often, or written as Python; else its form."""
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
    """What is said of a text that must be JSON: which number in it JSON does not have, or ``otherwise``."""
    name = invalid_constant(text)
    return f"{name} in it is a number which JSON does not have" if name else otherwise


def intended_object(data: Any, otherwise: Form = OBJECT) -> Any:
    """The object that the data of an event means in the way of Python; ``otherwise`` if it means none."""
    python_value = python_object(data)
    return otherwise if python_value is NOT_KNOWN else python_value


def python_object(text: Any) -> Any:
    """The object that ``text`` writes as Python does, ``{'a': True}``, as ``str(dict)`` makes it; else NOT_KNOWN."""
    if not isinstance(text, str) or not text.startswith("{'") or len(text) > MAX_LITERAL_LENGTH:
        return NOT_KNOWN
    try:
        value = json.loads(json.dumps(ast.literal_eval(text), allow_nan=False))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return NOT_KNOWN
    return value if isinstance(value, dict) else NOT_KNOWN
