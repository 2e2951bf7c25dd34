"""Parses and writes streams of events. What an event means is decided in the formats."""

from __future__ import annotations

from toolcall_conformance.streaming.sse import dump, parse

__all__ = ["dump", "parse"]
