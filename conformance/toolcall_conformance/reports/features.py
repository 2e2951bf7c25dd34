"""Features: words that tell apart findings of one signature that different repairs mend.

- A text that should be JSON is empty, cut, several values in a row, or garbled.
- An id was derived from the tool's name, from a part of the right id, or otherwise.
- A lost call or result has a type, as a function call and a custom tool's call.
- What a schema lost: a union, or what is in addition to one or to a reference; the keyword that forbade a value.
- Whether one tool is forced.
- Whether a reply whose reason is wrong has calls.
- A stream that is cut in another way is read differently: the way of cutting.
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
# With an index, else it may be a file's name: `choices.0.delta`, `messages[1].content`, `/messages/1/content`.
_INDEXED_PLACE = re.compile(r"[\w$./]*(?:[./]\d+\b|\[\d+\])[\w$./\[\]]*")
_WORD = re.compile("[a-z_]{1,40}")
_NUMBER = re.compile(r"\d+")
# Rules on how ids are derived. Others are on the place of an id.
_ID_RULES = ("translation/ids-injective", "translation/ids-injective-across-turns")
# Elements of which a format has several types.
_TYPED_ELEMENTS = ("call", "result")
_TYPE_PREFIX = "type="
_CHOICE_RULE = "translation/tool-choice"
_FINISH_RULE = "translation/finish-reason"
_HAS_CALLS = " and has calls,"
_SCHEMA_RULES = "translation/schema-"
#: What the judge says of a schema in addition, by the feature that tells its repair from others.
_SCHEMA_NOTES = (
    ("union-added", re.compile(r"; its place in the output has `\S+`, its place in the source has none$")),
    ("forbidden-by", re.compile(r"; `(\S+)` forbids it in the source")),
    ("union-lost", re.compile(r"; its place in the source has `\S+`, its place in the output has none$")),
    ("with", re.compile(r"; in the source it is with `(\S+)`$")),
    ("const", re.compile("^the one valid value, const in the source, was lost$")),
    ("no-longer-closed", re.compile(r"members that no property names are valid now$")),
)
_CUTS_RULE = "translation/stream-cuts"
_WAY_OF_CUTTING = re.compile(r"\((.*?)\)")
_DECODER = json.JSONDecoder()


def feature(finding: Mapping[str, Any]) -> str:
    """Return a word without blanks for the kind of fault; empty if the finding shows none."""
    want, got = finding_value(finding, "want"), finding_value(finding, "got")
    if isinstance(want, Form) and "application/json" in _schema_values(want.schema, "contentMediaType"):
        return _json_fault(got)
    if finding["rule"] in _ID_RULES and isinstance(got, str):
        return _id_origin(want, got, str(finding["subject"]))
    by_rule = _feature_of_rule(finding, want)
    if by_rule is not None:
        return by_rule
    if finding["element"] in _TYPED_ELEMENTS and got is MISSING:
        word = _wire_type(want.schema.get("properties") if isinstance(want, Form) else want)
        return f"{_TYPE_PREFIX}{word}" if word else ""
    if finding["element"] == "body" and not finding["pointer"] and got in (MISSING, NOT_KNOWN):
        return _named_place(str(finding["message"]))
    return ""


def _feature_of_rule(finding: Mapping[str, Any], want: Any) -> str | None:
    """Return the feature of a finding of a rule that has some of its own; None for other rules."""
    rule, message = finding["rule"], str(finding["message"])
    if rule.startswith(_SCHEMA_RULES):
        return _schema_note(message)
    if rule == _CHOICE_RULE:
        return "one-tool" if _is_one_tool(want) else ""
    if rule == _FINISH_RULE:
        return "calls" if _HAS_CALLS in message else ""
    if rule == _CUTS_RULE:
        way = _WAY_OF_CUTTING.search(message)
        return way[1].replace(" ", "_") if way is not None else ""
    return None


def _is_one_tool(want: Any) -> bool:
    """Whether a tool choice allows one tool only, in whatever notation: ``{"name": "a"}``, ``{"names": ["a"]}``."""
    if not isinstance(want, Mapping):
        return False
    inner = [value for value in want.values() if isinstance(value, Mapping)]
    lists = [value for value in want.values() if isinstance(value, list)]
    return "name" in want or any(map(_is_one_tool, inner)) or any(len(entries) == 1 for entries in lists)


def _schema_note(message: str) -> str:
    """Return the feature that the judge's note on a schema is for; empty if there is none."""
    for word, pattern in _SCHEMA_NOTES:
        match = pattern.search(message)
        if match is not None:
            return "-".join([word, *match.groups()])
    return ""


def format_independent(word: str) -> str:
    """Return a feature if it is the same in all formats, else an empty text: types are each format's own."""
    return "" if word.startswith(_TYPE_PREFIX) else word


def _schema_values(schema: Any, key: str) -> set[Any]:
    """Return the values of a key in a schema and its branches."""
    if not isinstance(schema, Mapping):
        return set()
    branches = [branch for name in ("anyOf", "oneOf", "allOf") for branch in schema.get(name, ())]
    return {schema.get(key)}.union(*(_schema_values(branch, key) for branch in branches))


def _json_fault(got: Any) -> str:
    """Return why a text is no JSON: empty, cut, garbled or joined. The end of a long text is unknown."""
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
    """Return what a wrong id was derived from: part, name, or empty. ``subject`` is ``call 2, read_file; …``."""
    if not isinstance(want, str):  # also words are a text
        return ""
    right, wrong = (re.sub(r"\W", "_", text) for text in (want, got))
    if wrong and wrong in right:
        return "part"
    name = re.sub(r"\W", "_", subject.partition("; ")[0].partition(", ")[2])
    is_shared = not isinstance(want, Words) and name in right
    return "name" if name and name in wrong and not is_shared else ""


def _wire_type(want: Any) -> str:
    """Return the expected value's ``type``, as ``tool_use``, or that of its first entry; empty if it has none."""
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
    """Return a value, or what a schema in its place describes: its constant, or a list with its items' properties."""
    if not isinstance(value, Mapping):
        return value
    if "const" in value:
        return value["const"]
    return [value["items"].get("properties")] if isinstance(value.get("items"), Mapping) else value


def _named_place(message: str) -> str:
    match = _INDEXED_PLACE.search(_QUOTED_TEXT.sub("", _URL.sub("", message)))
    return _NUMBER.sub("*", match[0]).strip(".") if match is not None else ""
