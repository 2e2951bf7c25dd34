"""Reads a session's ``losses``: the elements that it dropped in its last call."""

from __future__ import annotations

from itertools import islice
from typing import Any

from toolcall_conformance.drivers.foreign import is_a, text_of

MOST = 1_000


def read_losses(session: Any) -> tuple[str, ...]:
    """Return the names in a session's ``losses``, each once: strings, or the ``element`` of objects.

    Ignores anything else that a translator calls ``losses``. Raises what reading it raises.
    """
    found = getattr(session, "losses", ())
    if found is None or (type(found) in (tuple, list) and not found):  # most calls lose nothing
        return ()
    if is_a(found, str, bytes) or not hasattr(type(found), "__iter__"):
        return ()
    names = dict.fromkeys(_name(entry) for entry in islice(found, MOST))
    return tuple(name for name in names if name is not None)


def _name(entry: Any) -> str | None:
    name = dict.get(entry, "element") if is_a(entry, dict) else getattr(entry, "element", entry)
    return text_of(name) if is_a(name, str) else None
