"""Renames the keys of an object while its JSON text comes in pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping


class KeyRenamer:
    """Takes pieces of an object's JSON text and gives them on with its own keys renamed; those deeper in it stay.

    Only a key that is not whole yet is held back.

    >>> renamer = KeyRenamer({"path": "absolute_path"})
    >>> [renamer.feed(piece) for piece in ('{"pa', 'th": {"path"', ': 1}}')]
    ['{', '"absolute_path": {"path"', ': 1}}']
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._depth = 0
        self._at_key = False
        self._key = ""
        self._quoted = False
        self._escaped = False

    def feed(self, piece: str) -> str:
        """What can be said after ``piece``."""
        return "".join(map(self._take, piece))

    def _take(self, character: str) -> str:
        if self._quoted:
            return self._within_text(character)
        if character == '"':
            self._quoted = True
            if self._at_key:
                self._key = character
                return ""
        elif character in "{[":
            self._depth += 1
        elif character in "}]":
            self._depth -= 1
        if character in "{,":
            self._at_key = self._depth == 1
        return character

    def _within_text(self, character: str) -> str:
        ends = character == '"' and not self._escaped
        self._escaped = character == "\\" and not self._escaped
        self._quoted = not ends
        if not self._at_key:
            return character
        self._key += character
        if not ends:
            return ""
        self._at_key = False
        return self._renamed(self._key)

    def _renamed(self, key: str) -> str:
        try:
            name = self._names.get(json.loads(key))
        except ValueError:  # no text of JSON: it stays what it is
            return key
        return key if name is None else json.dumps(name, ensure_ascii=False)
