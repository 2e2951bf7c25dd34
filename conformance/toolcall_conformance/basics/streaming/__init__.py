"""Parses and writes streams of events. What an event means is decided in the formats."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.memoize import memoize
from toolcall_conformance.basics.streaming.sse import dump, parse

__all__ = ["dump", "parse", "read"]


@memoize(128)
def read(stream: bytes) -> dict[str, Any]:
    """Parse a stream as ``parse`` does. Equal streams share one result: never change it."""
    return parse(stream)
