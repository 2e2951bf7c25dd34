"""What tells findings of one signature apart that different repairs mend, as far as the findings themselves show it.

- A text that should be JSON is empty, cut, several values in a row, or garbled.
- An id was made of the tool's name, of a part of the right id, or of something else.
- Of what was lost, the format has several types: a call of a function, and one of a custom tool.
- A validator that refuses a whole body names a place in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Form, Words
from toolcall_conformance.reports.item_record import finding_value

_URL = re.compile(r"https?://\S+")
_QUOTED_TEXT = re.compile(r"""(?<!\w)'[^']*'|"[^"]*"|`[^`]*`""")
# With an index, so that it is no name of a file: `choices.0.delta`, `messages[1].content`, `/messages/1/content`.
_INDEXED_PLACE = re.compile(r"[\w$./]*(?:[./]\d+\b|\[\d+\])[\w$./\[\]]*")
_WORD = re.compile("[a-z_]{1,40}")
_NUMBER = re.compile(r"\d+")
# Rules on how ids are made. Others are on where an id stands, whatever it was made of.
_ID_RULES = ("translation/ids-injective", "translation/ids-injective-across-turns")
# Elements of which a format has several types.
_TYPED_ELEMENTS = ("call", "result")
_TYPE_PREFIX = "type="
_DECODER = json.JSONDecoder()


def feature(finding: Mapping[str, Any]) -> str:
    """A word for the kind of fault, without blanks; empty where the finding does not show one."""
    want, got = finding_value(finding, "want"), finding_value(finding, "got")
    if isinstance(want, Form) and "application/json" in _schema_values(want.schema, "contentMediaType"):
        return _json_fault(got)
    if finding["rule"] in _ID_RULES and isinstance(got, str):
        return _id_origin(want, got, str(finding["subject"]))
    if finding["element"] in _TYPED_ELEMENTS and got is MISSING:
        word = _wire_type(want.schema.get("properties") if isinstance(want, Form) else want)
        return f"{_TYPE_PREFIX}{word}" if word else ""
    if finding["element"] == "body" and not finding["pointer"] and got in (MISSING, NOT_KNOWN):
        return _named_place(str(finding["message"]))
    return ""


def format_independent(word: str) -> str:
    """A feature as far as all formats have it: each has types of its own, or none."""
    return "" if word.startswith(_TYPE_PREFIX) else word


def _schema_values(schema: Any, key: str) -> set[Any]:
    """The values of a key in a schema, at its top or in its branches."""
    if not isinstance(schema, Mapping):
        return set()
    branches = [branch for name in ("anyOf", "oneOf", "allOf") for branch in schema.get(name, ())]
    return {schema.get(key)}.union(*(_schema_values(branch, key) for branch in branches))


def _json_fault(got: Any) -> str:
    """Why a text is no JSON. Of a long text only the beginning is known, so its end says nothing."""
    whole = isinstance(got, str)
    text = got if whole else got.get("$shown") if isinstance(got, Mapping) else None
    if not isinstance(text, str):
        return ""
    if not text.strip():
        return "empty"
    try:
        _, end = _DECODER.raw_decode(text.strip())
    except json.JSONDecodeError as error:
        at_end = error.pos >= len(text.strip()) or error.msg.startswith("Unterminated string")
        return "" if not whole else "cut" if at_end else "garbled"
    except (ValueError, RecursionError):
        return ""
    return "joined" if text.strip()[end:].strip() else ""


def _id_origin(want: Any, got: str, subject: str) -> str:
    """What an id was made of. ``subject`` is ``call 2, read_file; opened by …``."""
    if not isinstance(want, str):  # also words are a text
        return ""
    right, wrong = (re.sub(r"\W", "_", text) for text in (want, got))
    if wrong and wrong in right:
        return "part"
    name = re.sub(r"\W", "_", subject.partition("; ")[0].partition(", ")[2])
    own = not isinstance(want, Words) and name in right
    return "name" if name and name in wrong and not own else ""


def _wire_type(want: Any) -> str:
    """The word of the format for what should stand there, or for the first part of it: ``tool_use``."""
    if not isinstance(want, Mapping):
        return ""
    word = _described_value(want.get("type"))
    if isinstance(word, str) and _WORD.fullmatch(word):
        return word
    lists = (value for value in map(_described_value, want.values()) if isinstance(value, list) and value)
    return next(
        filter(
            None,
            (
                _wire_type(_described_value(value[0]))
                for value in lists
                if isinstance(value[0], Mapping) and "type" in value[0]
            ),
        ),
        "",
    )


def _described_value(value: Any) -> Any:
    """A value, or one that a schema describes: a constant, or the list of what it says of its items."""
    if not isinstance(value, Mapping):
        return value
    if "const" in value:
        return value["const"]
    return [value["items"].get("properties")] if isinstance(value.get("items"), Mapping) else value


def _named_place(message: str) -> str:
    match = _INDEXED_PLACE.search(_QUOTED_TEXT.sub("", _URL.sub("", message)))
    return _NUMBER.sub("*", match[0]).strip(".") if match is not None else ""
