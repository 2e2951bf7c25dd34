"""Numbers of proto JSON: Gemini takes them as text as well."""

from __future__ import annotations

import math
from typing import Any

from toolcall_reference.basics.errors import Refused


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
