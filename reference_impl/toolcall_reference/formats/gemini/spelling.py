"""Proto JSON: Gemini takes ``snake_case`` for ``camelCase`` wherever it names a field itself."""

from __future__ import annotations

import re
from typing import Any

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
    found = {}
    for spelt, inner in value.items():
        key = _SNAKE.sub(lambda match: match[1].upper(), spelt)
        found[key] = inner if key in _VALUES else camel(inner)
    return found
