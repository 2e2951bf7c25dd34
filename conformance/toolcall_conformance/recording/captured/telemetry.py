"""Knows OpenTelemetry's GenAI events, which hold messages of their own shape, and no bodies of an API.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/
"""

from __future__ import annotations

from typing import Any

_PREFIX = "gen_ai."
_DEPTH = 6


def is_telemetry(value: Any, depth: int = 0) -> bool:
    """Whether a value is a record of OpenTelemetry's about a GenAI call, or a list of such."""
    if depth > _DEPTH:
        return False
    if isinstance(value, dict):
        names = [key for key in value if isinstance(key, str)]
        values = [value.get(key) for key in ("key", "name", "event_name", "eventName", "event.name")]
        if any(name.startswith(_PREFIX) for name in [*names, *(text for text in values if isinstance(text, str))]):
            return True
        inner = (
            "attributes",
            "resourceLogs",
            "scopeLogs",
            "logRecords",
            "resourceSpans",
            "scopeSpans",
            "spans",
            "events",
        )
        return any(is_telemetry(value[key], depth + 1) for key in inner if key in value)
    return isinstance(value, list) and any(is_telemetry(entry, depth + 1) for entry in value[:50])
