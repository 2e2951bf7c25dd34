"""Proto JSON: Gemini takes ``snake_case`` for ``camelCase`` wherever it names a field itself."""

from __future__ import annotations

import math
import re
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.conversation.intermediate import Body

_SNAKE = re.compile(r"_([a-z0-9])")

_VALUES = {
    "args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema",
    "labels", "responseJsonschema",
}  # fmt: skip
"""Fields whose value is the user's own data: nothing inside is respelt."""


_CAMEL = re.compile(r"(?<!^)[A-Z]")


def snake(value: Any) -> Any:
    """``value`` with the fields of Gemini in snake_case; arguments, results and schemas untouched."""
    if isinstance(value, list):
        return [snake(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        _CAMEL.sub(lambda match: "_" + match[0].lower(), key): inner if key in _VALUES else snake(inner)
        for key, inner in value.items()
    }


def camel(value: Any) -> Any:
    """``value`` with the fields of Gemini in camelCase; arguments, results and schemas untouched."""
    if isinstance(value, list):
        return [camel(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    output = {}
    for name, inner in value.items():
        key = _key(name) if "_" in name else name
        output[key] = camel(inner) if isinstance(inner, (dict, list)) and key not in _VALUES else inner
    return output


def fields(value: Body) -> Body:
    """``value`` with its own fields in camelCase; what they hold is as it was."""
    if _USUAL.issuperset(value) or "_" not in "".join(value):
        return value
    return {_key(name): inner for name, inner in value.items()}


_USUAL = frozenset(
    {
        *("text", "functionCall", "functionResponse", "thought", "thoughtSignature", "name", "args", "response", "id"),
        *("candidates", "content", "parts", "role", "index", "finishReason"),
        *("usageMetadata", "modelVersion", "responseId", "createTime"),
    }
)
"""Fields of which most objects of a conversation are made: those need no second look."""


def _key(name: str) -> str:
    return _SNAKE.sub(lambda match: match[1].upper(), name)


def as_number(value: Any, what: str) -> Any:
    """``value``, or the number that a text says: ``"0.5"`` is 0.5, ``"4.0"`` and ``"4e0"`` are 4.

    Refused for a text that says none, naming ``what``. Source: https://protobuf.dev/programming-guides/json/
    """
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refused(f"{what} must be a number, not the text {value[:40]!r}")
    return int(number) if number.is_integer() else number
