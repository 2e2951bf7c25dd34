"""Reads a session's ``made_up``: the places of its bodies that its library leaves to the adapter."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from toolcall_conformance.drivers.base import OPERATIONS

MadeUp = Mapping[str, tuple[str, ...]]
"""By operation, JSON Pointers (RFC 6901) into the body that it makes. A token ``*`` stands for any one."""

NOTHING_MADE_UP: Final[MadeUp] = MappingProxyType({})

_POINTER = re.compile(r"(/([^~]|~[01])*)?")


def read_made_up(value: Any) -> MadeUp:
    """The places, by operation. ``value`` has no breach (see :func:`made_up_breach`); None has no places."""
    return MappingProxyType({name: tuple(places) for name, places in (value or {}).items()})


def made_up_breach(value: Any) -> str | None:
    """Say why ``value`` is no ``made_up``; None if it is one."""
    if not isinstance(value, Mapping):
        return f'`made_up` is {value!r:.60}; make it an object such as {{"response": ["/id", "/choices/*/index"]}}'
    for name, places in value.items():
        wrong = _operation_breach(name) or _places_breach(name, places)
        if wrong is not None:
            return wrong
    return None


def _operation_breach(name: Any) -> str | None:
    if name in OPERATIONS:
        return None
    close = difflib.get_close_matches(str(name), OPERATIONS, n=1)
    advice = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(OPERATIONS)}"
    return f"`made_up` has the operation {name!r:.40}; {advice}"


def _places_breach(name: str, places: Any) -> str | None:
    if not isinstance(places, (list, tuple)):
        return f"`made_up` of {name} is {places!r:.60}; make it a list of JSON Pointers"
    for place in places:
        if not isinstance(place, str) or not _POINTER.fullmatch(place):
            return f"`made_up` of {name} has {place!r:.60}; write a JSON Pointer such as /usage or /choices/*/index"
    return None
