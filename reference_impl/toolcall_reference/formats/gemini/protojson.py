"""Proto JSON (https://protobuf.dev/programming-guides/json/): field names in snake_case, numbers as text."""

from __future__ import annotations

import math
import re
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.conversation.intermediate import Body

_SNAKE_LETTER = re.compile(r"_([a-z0-9])")

_USER_DATA_KEYS = {
    "args", "response", "parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema",
    "labels", "responseJsonschema",
}  # fmt: skip
"""Fields with user data, whose keys are never converted."""


_CAMEL_LETTER = re.compile(r"(?<!^)[A-Z]")


def to_snake_case(value: Any) -> Any:
    """``value`` with Gemini's fields in snake_case; arguments, results and schemas are not changed."""
    if isinstance(value, list):
        return [to_snake_case(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        _CAMEL_LETTER.sub(lambda match: "_" + match[0].lower(), key): inner
        if key in _USER_DATA_KEYS
        else to_snake_case(inner)
        for key, inner in value.items()
    }


def to_camel_case(value: Any) -> Any:
    """``value`` with Gemini's fields in camelCase; arguments, results and schemas are not changed."""
    if isinstance(value, list):
        return [to_camel_case(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    output = {}
    for name, inner in value.items():
        key = _camel_key(name) if "_" in name else name
        output[key] = to_camel_case(inner) if isinstance(inner, (dict, list)) and key not in _USER_DATA_KEYS else inner
    return output


def with_camel_keys(value: Body) -> Body:
    """``value`` with its top-level fields in camelCase; nested objects are not changed."""
    if _COMMON_KEYS.issuperset(value) or "_" not in "".join(value):
        return value
    return {_camel_key(name): inner for name, inner in value.items()}


_COMMON_KEYS = frozenset(
    {
        *("text", "functionCall", "functionResponse", "thought", "thoughtSignature", "name", "args", "response", "id"),
        *("candidates", "content", "parts", "role", "index", "finishReason"),
        *("usageMetadata", "modelVersion", "responseId", "createTime"),
    }
)
"""Common fields; an object with no others needs no conversion."""


def _camel_key(key: str) -> str:
    return _SNAKE_LETTER.sub(lambda match: match[1].upper(), key)


def proto_number(value: Any, noun: str) -> Any:
    """``value``, or the number in a text: ``"0.5"`` is 0.5, ``"4.0"`` and ``"4e0"`` are 4.

    Raises Refused for any other text, naming ``noun``. Source: https://protobuf.dev/programming-guides/json/
    """
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refused(f"{noun} must be a number, not the text {value[:40]!r}")
    return int(number) if number.is_integer() else number
