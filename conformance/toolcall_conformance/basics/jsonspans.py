"""Replace texts inside a JSON document, while every other character stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from toolcall_conformance.basics.jsonvalue import unescaped, written

_BLANK = re.compile(r"[ \t\n\r]*")
_ANY = json.JSONDecoder(strict=False)


def with_texts(document: str, texts: Mapping[str, str]) -> str:
    """Replace the string values at JSON Pointers in ``document``; pointers to anything else change nothing.

    The document must be JSON. Elsewhere numbers, escapes and blanks keep their spelling; parsing and writing would
    change them.
    """
    replacements = [(span, text) for pointer, text in texts.items() if (span := _span(document, pointer)) is not None]
    for (start, end), text in sorted(replacements, reverse=True):
        document = document[:start] + written(text) + document[end:]
    return document


def _span(document: str, pointer: str) -> tuple[int, int] | None:
    """Where the string at ``pointer`` starts and ends, quotation marks included."""
    start = _after_blank(document, 0)
    for token in pointer.split("/")[1:]:
        key = unescaped(token)
        entries = _entries(document, start)
        if key not in entries:
            return None
        start = entries[key]
    return (start, _ANY.raw_decode(document, start)[1]) if document[start] == '"' else None


def _entries(document: str, start: int) -> dict[str, int]:
    """Where the value of each member of an object or entry of a list starts, by its key or place."""
    starts: dict[str, int] = {}
    if document[start] not in "{[":
        return starts
    keyed = document[start] == "{"
    at = _after_blank(document, start + 1)
    while document[at] not in "}]":
        key = str(len(starts))
        if keyed:
            key, at = _ANY.raw_decode(document, at)
            at = _after_blank(document, at) + 1  # after the colon
        starts[key] = at = _after_blank(document, at)
        at = _after_blank(document, _ANY.raw_decode(document, at)[1])
        if document[at] == ",":
            at = _after_blank(document, at + 1)
    return starts


def _after_blank(document: str, at: int) -> int:
    blank = _BLANK.match(document, at)
    return blank.end() if blank else at
