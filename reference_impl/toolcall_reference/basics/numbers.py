"""Numbers of settings: whether a value is one, and the nearest that a target takes."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_number(value: Any, what: str) -> Any:
    """``value`` if it is a number; Refused otherwise, naming ``what``."""
    if is_number(value):
        return value
    raise Refused(f"{what} must be a number, not {value!r:.40}")


def nearest(value: Any, least: float | None = None, most: float | None = None) -> Any:
    """The nearest number from ``least`` to ``most``. What is no number stays: the provider says what is wrong."""
    if not is_number(value):
        return value
    if least is not None and value < least:
        return least
    return most if most is not None and value > most else value
