"""Reads a session's ``losses``: the elements that it dropped in its last call."""

from __future__ import annotations

from itertools import islice
from typing import Any

from toolcall_conformance.drivers.python.foreign import is_a, text_of

MAX_LOSSES = 1_000


def read_losses(session: Any) -> tuple[str, ...]:
    """Return the names in a session's ``losses``, each once: strings, or the ``element`` of objects.

    Ignores anything else that a translator calls ``losses``. Raises what reading it raises.
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
