"""Merges deltas into one value, for keys that have no meaning of their own here.

As in the official accumulator texts are joined, objects are merged key by key, and lists entry by entry if the entries
have an ``index``; other entries are appended.
https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/_deltas.py
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import append_text, deep_copy

#: Keys whose texts are names, and are not joined. The official accumulator has the first two; vendors repeat the rest.
_NAMING_KEYS = frozenset({"index", "type", "format", "id", "role"})


def merge_delta(so_far: Any, delta: Any) -> Any:
    """Return ``so_far``, changed in place, with ``delta`` merged into it; what cannot be merged is ignored."""
    if so_far is None:
        return _copy_first(delta)
    if isinstance(so_far, str) and isinstance(delta, str):
        return append_text(so_far, delta)
    if isinstance(so_far, dict) and isinstance(delta, dict):
        for key, value in delta.items():
            if key not in so_far or (key in _NAMING_KEYS and value is not None):
                so_far[key] = _copy_first(value)
            else:
                so_far[key] = merge_delta(so_far[key], value)
    elif isinstance(so_far, list) and isinstance(delta, list):
        for entry in delta:
            _add_entry(so_far, entry)
    elif _is_number(so_far) and _is_number(delta):
        return delta
    return so_far


def _copy_first(delta: Any) -> Any:
    """Return a copy of a first delta; a list may hold several fragments of one entry, which are merged."""
    if isinstance(delta, list):
        entries: list[Any] = []
        for entry in delta:
            _add_entry(entries, entry)
        return entries
    return deep_copy(delta)


def _add_entry(entries: list[Any], entry: Any) -> None:
    index = entry.get("index") if isinstance(entry, dict) else None
    if _is_number(index):
        for item in entries:
            if isinstance(item, dict) and item.get("index") == index:
                merge_delta(item, entry)
                return
    entries.append(deep_copy(entry))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
