"""Arguments as an object, as some servers send them."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, parse


def object_of(arguments: Any) -> Any:
    """The object that a text of arguments means; what means none stays as it is."""
    try:
        parsed_arguments = parse(arguments) if isinstance(arguments, str) else arguments
    except JSONError:
        return arguments
    return parsed_arguments if isinstance(parsed_arguments, dict) else arguments
