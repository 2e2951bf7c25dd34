"""Changes the texts in a JSON document that comes in fragments; keys, literals and escapes stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_HEX_DIGITS: Final = 4


class JSONValues:
    """One document. ``change`` gets its fragments in their order; ``other`` maps each character to another one."""

    def __init__(self, other: Callable[[str], str]) -> None:
        self._other = other
        self._open: list[str] = []  # the brackets around
        self._key_next = self._is_key = self._in_text = self._behind_slash = False
        self._hex_digits = 0  # so many are still to come

    def change(self, fragment: str) -> str:
        """The fragment with the characters of its texts changed."""
        return "".join(
            self._change_in_text(character) if self._in_text else self._read_between_texts(character)
            for character in fragment
        )

    def _read_between_texts(self, character: str) -> str:
        """A character outside of texts."""
        if character == '"':
            self._in_text, self._is_key = True, self._key_next
        elif character in "{[":
            self._open.append(character)
        elif character in "}]" and self._open:
            self._open.pop()
        if character in "{[,:":
            self._key_next = character != ":" and self._open[-1:] == ["{"]
        return character

    def _change_in_text(self, character: str) -> str:
        """A character of a text."""
        if self._behind_slash:
            self._behind_slash = False
            self._hex_digits = _HEX_DIGITS if character == "u" else 0
        elif self._hex_digits:
            self._hex_digits -= 1
        elif character == '"':
            self._in_text = False
        elif character == "\\":
            self._behind_slash = True
        elif not self._is_key:
            return self._other(character)
        return character
