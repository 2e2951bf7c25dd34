"""Renaming of an object's keys in JSON text that arrives in pieces."""

from __future__ import annotations

import json
from collections.abc import Mapping


class KeyRenamer:
    """Renames the top-level keys in pieces of an object's JSON text; nested keys are not changed.

    Only an incomplete key is held back.

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
        """Add a piece. Returns the renamed text that is complete."""
        return "".join(map(self._feed_character, piece))

    def _feed_character(self, character: str) -> str:
        """Add a character outside of a string. Returns what can be written."""
        if self._quoted:
            return self._feed_text_character(character)
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

    def _feed_text_character(self, character: str) -> str:
        """Add a character within a string; a top-level key is held until it is complete."""
        ends = character == '"' and not self._escaped
        self._escaped = character == "\\" and not self._escaped
        self._quoted = not ends
        if not self._at_key:
            return character
        self._key += character
        if not ends:
            return ""
        self._at_key = False
        return self._rename_key(self._key)

    def _rename_key(self, key: str) -> str:
        try:
            name = self._names.get(json.loads(key))
        except ValueError:  # not a JSON string: leave it unchanged
            return key
        return key if name is None else json.dumps(name, ensure_ascii=False)
