"""Reads what a session declares: ``made_up`` and ``losses``.

``made_up`` are the places of its bodies that the adapter fills in, and not its library. ``losses`` are the elements
that it dropped in its last call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from toolcall_conformance.basics.close_names import close_name_advice
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.drivers.python.foreign import is_a, text_of

MadeUp = Mapping[str, tuple[str, ...]]
"""By operation, JSON Pointers (RFC 6901) into its output. The token ``*`` matches any other token."""

NOTHING_MADE_UP: Final[MadeUp] = MappingProxyType({})

_POINTER = re.compile(r"(/([^~]|~[01])*)?")


def read_made_up(value: Any) -> MadeUp:
    """Read a ``made_up`` without breach (see :func:`made_up_breach`), or None, which has no places."""
    return MappingProxyType({name: tuple(places) for name, places in (value or {}).items()})


def made_up_breach(value: Any) -> str | None:
    """Say why ``value`` is not a valid ``made_up``; None if it is valid."""
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
    advice = close_name_advice(name, OPERATIONS, f"there are {', '.join(OPERATIONS)}")
    return f"`made_up` has the operation {name!r:.40}; {advice}"


def _places_breach(name: str, places: Any) -> str | None:
    if not isinstance(places, (list, tuple)):
        return f"`made_up` of {name} is {places!r:.60}; make it a list of JSON Pointers"
    for place in places:
        if not isinstance(place, str) or not _POINTER.fullmatch(place):
            return f"`made_up` of {name} has {place!r:.60}; write a JSON Pointer such as /usage or /choices/*/index"
    return None


MAX_LOSSES = 1_000


def read_losses(session: Any) -> tuple[str, ...]:
    """Return the names in a session's ``losses``, each once: strings, or the ``element`` of objects.

    Ignores other values of ``losses``. Raises what reading it raises.
    """
    losses = getattr(session, "losses", ())
    if losses is None or (type(losses) in (tuple, list) and not losses):  # most calls lose nothing
        return ()
    if is_a(losses, str, bytes) or not hasattr(type(losses), "__iter__"):
        return ()
    names = dict.fromkeys(_element_name(entry) for entry in islice(losses, MAX_LOSSES))
    return tuple(name for name in names if name is not None)


def _element_name(entry: Any) -> str | None:
    name = dict.get(entry, "element") if is_a(entry, dict) else getattr(entry, "element", entry)
    return text_of(name) if is_a(name, str) else None
