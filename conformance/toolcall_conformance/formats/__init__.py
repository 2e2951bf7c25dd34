"""The wire formats: one package each.

A package exports one record, ``FORMAT`` (see :mod:`toolcall_conformance.formats.format`). Everything that is special
about a format is in its package and in its folder of the corpus; no other code names a format.
"""

from __future__ import annotations

import importlib
from functools import cache, lru_cache
from typing import Any

from toolcall_conformance.basics import streaming
from toolcall_conformance.basics.format_names import format_names
from toolcall_conformance.basics.jsonvalue import pack, unpack
from toolcall_conformance.basics.memoize import memoize
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.formats.format import Format

MAX_KIND_LENGTH = 20
"""A text event of at most this length, as ``[DONE]``, is its own kind."""

MAX_CACHED_READINGS = 128
MAX_CACHED_BYTES = 100_000
"""How many readings are cached, and the largest body that is, in bytes."""


names = format_names


@cache
def get(format_name: str) -> Format:
    """Return the format of a name, whose package is imported at the first call. Raises LookupError."""
    if format_name not in names():
        raise LookupError(f"no such format: {format_name!r} (known: {', '.join(names())})")
    record = importlib.import_module(f"{__name__}.{format_name}").FORMAT
    if not isinstance(record, Format) or record.name != format_name:  # pragma: no cover - a new package may not
        raise TypeError(f"FORMAT of the package {format_name} is no record of a format with that name")
    return record


def assemble(format_name: str, stream: Any) -> Assembled:
    """Assemble the reply of a parsed stream. Raises LookupError for a format whose streams cannot be read."""
    machine = get(format_name).stream
    if machine is None:  # pragma: no cover - all four have a machine, a new format may not
        raise LookupError(f"the streams of {format_name} cannot be read")
    return machine.assemble(stream)


@memoize(256)
def assemble_bytes(format_name: str, data: bytes) -> Assembled:
    """Assemble the reply of a stream's bytes. Equal streams share one result: never change it."""
    return assemble(format_name, streaming.read(data))


def event_kind(format_name: str, event: Any) -> str:
    """Return the kind of an event of a stream: its ``type``, or in formats without types what it holds."""
    data = event.get("data") if isinstance(event, dict) else None
    if isinstance(data, str):
        return data if len(data) <= MAX_KIND_LENGTH else "text"
    return get(format_name).event_kind(data) if isinstance(data, dict) else "no object"


def read(format_name: str, direction: str, body: Any) -> Reading:
    """Read a body; ``direction`` is ``request``, ``response``, ``error`` (an error reply) or ``stream``.

    A stream's reading is that of its assembled reply. Equal bodies may share one reading: never change it.
    """
    try:
        data = pack(body)
    except ValueError:  # readers take anything
        return _read_body(format_name, direction, body)
    return (
        _read_body(format_name, direction, body)
        if len(data) > MAX_CACHED_BYTES
        else cached_reading(format_name, direction, data)
    )


def read_packed(format_name: str, direction: str, data: bytes) -> Reading:
    """Read a body that ``jsonvalue.pack`` has packed, as ``read`` does."""
    if len(data) > MAX_CACHED_BYTES:
        return _read_body(format_name, direction, unpack(data))
    return cached_reading(format_name, direction, data)


@lru_cache(maxsize=MAX_CACHED_READINGS)
def cached_reading(format_name: str, direction: str, data: bytes) -> Reading:
    """Read a packed body once: a run reads the same golden bodies for every route and variant."""
    return _read_body(format_name, direction, unpack(data))


def _read_body(format_name: str, direction: str, body: Any) -> Reading:
    reading = _read_with(get(format_name), direction, body)
    reading.body = body
    return reading


def _read_with(wire_format: Format, direction: str, body: Any) -> Reading:
    if direction == "error":
        return wire_format.read_error(body)
    if direction == "stream":
        return wire_format.read_response(
            wire_format.stream.assemble(body).body if wire_format.stream is not None else None
        )
    return wire_format.read_request(body) if direction == "request" else wire_format.read_response(body)
