"""Numbers in bodies: type checks, counts, and the nearest value that a target accepts."""

from __future__ import annotations

from typing import Any

from toolcall_reference.basics.errors import Refused


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; booleans are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_number(value: Any, noun: str) -> Any:
    """``value`` if it is a number. Raises Refused otherwise, naming ``noun``."""
    if is_number(value):
        return value
    raise Refused(f"{noun} must be a number, not {value!r:.40}")


def as_count(value: Any) -> int:
    """``value`` if it is an integer, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def nearest(value: Any, least: float | None = None, most: float | None = None) -> Any:
    """``value`` limited to the range from ``least`` to ``most``. A value that is not a number is returned unchanged."""
    if not is_number(value):
        return value
    if least is not None and value < least:
        return least
    return most if most is not None and value > most else value
