"""What the request types of an SDK name of a value: what a client keeps that sends only what those types have."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints


def known_keys(value: Any, hint: Any) -> Any:
    """``value`` without the keys that no typed dict in ``hint`` has; where none fits, it is kept whole."""
    if isinstance(value, list):
        return [known_keys(entry, hint) for entry in value]
    fitting = (
        [candidate for candidate in _typed_dicts(hint) if _fits(value, candidate)] if isinstance(value, dict) else []
    )
    if not fitting:
        return value
    hints = max((_hints(candidate) for candidate in fitting), key=lambda hints: len(hints.keys() & value.keys()))
    return {key: known_keys(member, hints[key]) for key, member in value.items() if key in hints}


@cache
def _hints(typed_dict: Any) -> dict[str, Any]:
    return get_type_hints(typed_dict)


def _typed_dicts(hint: Any) -> list[Any]:
    """The typed dicts in a hint, as members of unions and entries of arrays."""
    if isinstance(hint, type) and hasattr(hint, "__total__"):  # of typing or of typing_extensions
        return [hint]
    if get_origin(hint) is dict:  # a free-form object
        return []
    return [candidate for inner in get_args(hint) for candidate in _typed_dicts(inner)]


def _fits(value: dict[str, Any], typed_dict: Any) -> bool:
    """Whether the discriminators of a typed dict allow this object; one that is absent says nothing."""
    hints = _hints(typed_dict)
    return all(
        key not in value or get_origin(hints[key]) is not Literal or value[key] in get_args(hints[key])
        for key in ("type", "role")
        if key in hints
    )
