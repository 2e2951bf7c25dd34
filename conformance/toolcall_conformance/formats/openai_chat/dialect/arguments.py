"""Arguments as an object, as some servers send them."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.jsonvalue import JSONError, parse


def object_of(given: Any) -> Any:
    """The object that a text of arguments means; what means none stays as it is."""
    try:
        found = parse(given) if isinstance(given, str) else given
    except JSONError:
        return given
    return found if isinstance(found, dict) else given
