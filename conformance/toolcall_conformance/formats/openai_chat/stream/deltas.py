"""How two deltas become one value, for keys that have no meaning of their own here.

As the official accumulator does it: texts are put together, objects key by key, lists entry by entry where entries have
an ``index`` and one behind the other where they have none.
https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/_deltas.py
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import append_text, deep_copy

#: Keys whose text names something. The official accumulator knows the first two; vendors repeat the others as well.
_NAMING_KEYS = frozenset({"index", "type", "format", "id", "role"})


def merge_delta(so_far: Any, delta: Any) -> Any:
    """``delta`` added to ``so_far``, which is changed; what cannot be added changes nothing."""
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
    """A value that nothing stands before. One list can hold several fragments of one entry."""
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
