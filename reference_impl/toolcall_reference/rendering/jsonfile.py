"""The JSON style of the corpus: values that fit are on one line, others are indented.

The judge has the same style in a module of its own; a test compares the two.
"""

from __future__ import annotations

import json
import re
from typing import Any

_WIDTH = 120
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_text(value: Any) -> str:
    """A value's text in the corpus's style."""
    return _value_text(value, "", 0) + "\n"


def _value_text(value: Any, indent: str, position: int) -> str:
    """A value's text; ``position`` counts what else is on its first line: indent, key, and the comma after it."""
    flat = _one_line(value)
    if not value or not isinstance(value, (dict, list)) or position + len(flat) <= _WIDTH:
        return flat
    deeper = indent + "  "
    if isinstance(value, dict):
        items = [(_one_line(key) + ": ", entry) for key, entry in value.items()]
    else:
        items = [("", entry) for entry in value]
    lines = []
    for number, (key, entry) in enumerate(items, 1):
        comma = "," if number < len(items) else ""
        lines.append(deeper + key + _value_text(entry, deeper, len(deeper + key + comma)) + comma)
    first, last = "{}" if isinstance(value, dict) else "[]"
    return "\n".join([first, *lines, indent + last])


def _one_line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)  # UTF-8 has no half of a pair
