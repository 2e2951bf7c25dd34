"""Every place of a JSON body, in order, and which places of two bodies are alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toolcall_conformance.basics.jsonvalue import join, resolve, unescape

_KINDS = {str: "text", bool: "flag", int: "number", float: "number", list: "list", dict: "object", type(None): "null"}


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """A member of an object or an item of a list: its ``value``, and the JSON Pointer to it."""

    pointer: str
    value: Any
    place: str

    @property
    def kind(self) -> str:
        """Text, number, flag, list, object or null."""
        return kind_of(self.value)


def kind_of(value: Any) -> str:
    """The type of a JSON value in a word."""
    return _KINDS[type(value)]


def nodes(value: Any, pointer: str = "") -> Iterator[PlacedValue]:
    """All members and items below a value, each before what is in it."""
    if isinstance(value, dict):
        for key, entry in value.items():
            inner_pointer = join(pointer, key)
            yield PlacedValue(inner_pointer, entry, "member")
            yield from nodes(entry, inner_pointer)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            inner_pointer = join(pointer, index)
            yield PlacedValue(inner_pointer, entry, "item")
            yield from nodes(entry, inner_pointer)


def holder_of(body: Any, pointer: str) -> tuple[Any, Any]:
    """The object or list that holds a place, and the key or index in it. Raises LookupError."""
    above, _, token = pointer.rpartition("/")
    holder = resolve(body, above)
    return holder, int(token) if isinstance(holder, list) else unescape(token)


def pattern_of(pointer: str) -> str:
    """A pointer with ``*`` for every index: places of one pattern are alike."""
    return "/".join("*" if token.isdecimal() else token for token in pointer.split("/"))


def matches(pattern: str, pointer: str) -> bool:
    """Whether a pointer has a pattern: ``*`` is one token, ``**`` are any tokens, or none."""
    return _compile(pattern).fullmatch(pointer) is not None


@lru_cache(maxsize=2000)
def _compile(pattern: str) -> re.Pattern[str]:
    words = {"*": "/[^/]*", "**": "(?:/[^/]*)*"}
    return re.compile("".join(words.get(token, "/" + re.escape(token)) for token in pattern.split("/")[1:]))
