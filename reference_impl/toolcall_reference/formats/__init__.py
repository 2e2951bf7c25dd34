"""The wire formats: one package each, found by being here.

A package exports one record, ``FORMAT`` (see :mod:`toolcall_reference.formats.format`). All that is special about a
format is in its package; no other module names one. The packages have one layout: ``api`` (its name, addresses and
headers, and the ids and names it takes), ``decode``, ``encode``, ``settings``, ``failures``, ``stream_decode``,
``stream_encode``, ``next_request`` (what an agent sends after a reply), ``observer`` (for traces), and ``provider``
(for the corpus). In all of them ``decode_…`` reads the wire and ``encode_…`` writes it.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from toolcall_reference.formats.format import Format


@cache
def names() -> tuple[str, ...]:
    """The names of all formats, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


@cache
def get(format_name: str) -> Format:
    """The format of that name. Raises LookupError if there is none."""
    if format_name not in names():
        raise LookupError(f"no such format: {format_name!r} (known: {', '.join(names())})")
    wire_format = importlib.import_module(f"{__name__}.{format_name}").FORMAT
    if not isinstance(wire_format, Format) or wire_format.name != format_name:
        raise TypeError(f"FORMAT of the package {format_name} is no record of a format with that name")
    return wire_format


__all__ = ["Format", "get", "names"]
