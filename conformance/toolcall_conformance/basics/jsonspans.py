"""Replace texts inside a JSON document, while every other character stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from toolcall_conformance.basics.jsonvalue import to_json, unescape

_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(strict=False)


def replace_texts(document: str, texts: Mapping[str, str]) -> str:
    """Replace the string values at JSON Pointers in ``document``; pointers to anything else change nothing.

    The document must be JSON. Numbers, escapes and blanks elsewhere stay as written; parsing and dumping would change
    them.
    """
    replacements = [
        (span, text) for pointer, text in texts.items() if (span := _text_span(document, pointer)) is not None
    ]
    for (start, end), text in sorted(replacements, reverse=True):
        document = document[:start] + to_json(text) + document[end:]
    return document


def _text_span(document: str, pointer: str) -> tuple[int, int] | None:
    """Where the string at ``pointer`` starts and ends, with its quotation marks; None if no string is there."""
    start = _skip_blanks(document, 0)
    for token in pointer.split("/")[1:]:
        key = unescape(token)
        entries = _entry_starts(document, start)
        if key not in entries:
            return None
        start = entries[key]
    return (start, _DECODER.raw_decode(document, start)[1]) if document[start] == '"' else None


def _entry_starts(document: str, start: int) -> dict[str, int]:
    """Where each value of the object or list at ``start`` begins, by its key or index."""
    starts: dict[str, int] = {}
    if document[start] not in "{[":
        return starts
    keyed = document[start] == "{"
    at = _skip_blanks(document, start + 1)
    while document[at] not in "}]":
        key = str(len(starts))
        if keyed:
            key, at = _DECODER.raw_decode(document, at)
            at = _skip_blanks(document, at) + 1  # after the colon
        starts[key] = at = _skip_blanks(document, at)
        at = _skip_blanks(document, _DECODER.raw_decode(document, at)[1])
        if document[at] == ",":
            at = _skip_blanks(document, at + 1)
    return starts


def _skip_blanks(document: str, at: int) -> int:
    blank = _BLANKS.match(document, at)
    return blank.end() if blank else at
