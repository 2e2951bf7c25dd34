"""Texts of the page: every character is visible, and none affects its neighbours."""

from __future__ import annotations

import json
import re
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Form, OneOf, Words
from toolcall_conformance.basics.schema_words import describe_schema

_FORM_WIDTH = 400
# Controls (but for line ends and tabs), what changes the direction of text (Unicode Bidirectional Algorithm,
# https://www.unicode.org/reports/tr9/), what has no width, line ends that are no line ends in JSON, half surrogate
# pairs, and tags. `page.js` has the same.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return the text with invisible characters written out: ``⟨U+202E⟩``."""
    return _INVISIBLE.sub(lambda match: f"⟨U+{ord(match[0]):04X}⟩", text)


def value_text(value: Any) -> str:
    """Return an expected or actual value as text: JSON, a choice, a form in words, or that it is absent."""
    if value is MISSING:
        return repr(value)
    if isinstance(value, OneOf):
        return f"one of {', '.join(map(_json, value.values))}"
    if isinstance(value, Form):
        return describe_schema(value.schema, _FORM_WIDTH)
    if isinstance(value, Words):
        return str(value)
    if isinstance(value, dict) and value.keys() == {"$shown", "$length"}:
        return f"{value['$shown']} … ({value['$length']} characters)"
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def script_json(value: Any) -> str:
    """Return JSON for a ``<script>`` element: plain ASCII without ``<``, so that it cannot end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
