"""Streams of events: from bytes to events and back. What events mean is each format's own business."""

from __future__ import annotations

from toolcall_conformance.streaming.sse import dump, parse

__all__ = ["dump", "parse"]
