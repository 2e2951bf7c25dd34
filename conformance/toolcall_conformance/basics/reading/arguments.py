"""Arguments that are JSON text, as two of the formats have them."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, TooMuchError, parse_arguments
from toolcall_conformance.basics.reading.model import Unreadable


def read_arguments(raw: Any) -> Any:
    """A call's arguments as a JSON value: absent or blank ones are ``{}``, and what cannot be read is Unreadable.

    An object, as some vendors send it, stays as it is.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return {}
    if not isinstance(raw, str):
        return raw
    try:
        return parse_arguments(raw)
    except JSONError as error:
        return Unreadable(raw, isinstance(error, TooMuchError))
