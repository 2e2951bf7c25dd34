"""Rewrite the strings of JSON, and numbers under some names: everything else stays byte for byte."""

from __future__ import annotations

import json
import re
from typing import Protocol

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COLON = re.compile(r"[ \t\r\n]*:")
_NUMBER = re.compile(r"[ \t\r\n]*:[ \t\r\n]*(-?[0-9][0-9.eE+-]*)")


class Rewriter(Protocol):
    """What takes the place of a name, of a text under a name, of a number under one; the same for what stays.

    A text has the name of its member, also in a list, and of the member that its object is in; "" where there is none.
    """

    def name(self, name: str) -> str: ...
    def value(self, outer: str, name: str, value: str) -> str: ...
    def number(self, name: str, number: str) -> str: ...


def rewrite_json(text: str, rewriter: Rewriter) -> str:
    """A text that is JSON, with its strings rewritten one by one."""
    pieces: list[str] = []
    end, name = 0, ""
    outer: list[str] = []
    for match in _STRING.finditer(text):
        between = text[end : match.start()]
        name = _next_name(between, name, outer)
        inner = json.loads(match[0], strict=False)
        pieces.append(between)
        end = match.end()
        if _COLON.match(text, end) is None:
            pieces.append(_requote(match[0], inner, rewriter.value(outer[-1] if outer else "", name, inner)))
            continue
        pieces.append(_requote(match[0], inner, rewriter.name(inner)))
        name = inner
        number = _NUMBER.match(text, end)
        if number is not None:
            pieces.append(text[end : number.start(1)] + rewriter.number(name, number[1]))
            end = number.end()
    return "".join([*pieces, text[end:]])


def is_json(text: str) -> bool:
    """Whether a text is a whole JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _next_name(between: str, name: str, outer: list[str]) -> str:
    """The name of the next value, after the text between two strings; ``outer`` gets or loses the objects' names."""
    for mark in between:
        if mark == "{":
            outer.append(name)
            name = ""
        elif mark == "}":
            name = ""
            if outer:
                outer.pop()
        elif mark == "]" or (mark == "," and name and not _in_list(between)):
            name = ""
    return name


def _in_list(between: str) -> bool:
    """Whether only a comma parts two strings: then they are entries of one list, for members have colons."""
    return between.strip(" \t\r\n") == ","


def _requote(token: str, before: str, after: str) -> str:
    if before == after:
        return token
    # A lone surrogate must be escaped.
    return json.dumps(after, ensure_ascii=bool(re.search("[\ud800-\udfff]", after)))
