"""Find known secrets in texts."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable

from toolcall_conformance.basics.known_secrets import marks, spellings

SHORTEST = 8
"""Shorter values are not secret (local servers take any key), and occur everywhere by chance."""


class KnownSecrets:
    """Secret values, searched for in all their spellings. Longer ones are searched for first."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(
            sorted({value for value in values if len(value) >= SHORTEST}, key=lambda text: (-len(text), text))
        )
        pattern = "|".join(f"(?P<s{number}>{spellings.pattern(value)})" for number, value in enumerate(self.values))
        self._regex = re.compile(pattern, re.IGNORECASE) if pattern else None
        coded = "|".join(f"(?P<s{number}>{_in_base64(value)})" for number, value in enumerate(self.values))
        self._coded = re.compile(coded) if coded else None

    def __bool__(self) -> bool:
        return self._regex is not None

    def occur(self, text: str) -> bool:
        """Whether one of them is in a text."""
        return self._regex is not None and any(self._regex.search(form) for form in (text, marks.without(text)[0]))

    def replaced(self, text: str, make: Callable[[str], str]) -> str:
        """The text with what ``make`` returns for a secret in its place, whatever its spelling was."""
        if self._regex is None:
            return text
        text = _replaced(self._regex, text, self.values, make)
        plain, place = marks.without(text)
        pieces, end = [], 0
        for match in self._regex.finditer(plain) if plain != text else ():
            start = place(match.start())
            pieces += [text[end:start], make(_value(match, self.values))]
            end = place(match.end() - 1) + 1
        return "".join([*pieces, text[end:]])

    def replaced_in_base64(self, text: str, make: Callable[[str], str]) -> str:
        """The same for their base64, at any place of a longer one, which is not base64 any more then."""
        return _replaced(self._coded, text, self.values, make)


def _replaced(regex: re.Pattern[str] | None, text: str, values: tuple[str, ...], make: Callable[[str], str]) -> str:
    if regex is None:
        return text
    return regex.sub(lambda match: make(_value(match, values)), text)


def _value(match: re.Match[str], values: tuple[str, ...]) -> str:
    return values[int((match.lastgroup or "s0")[1:])]


def _in_base64(secret: str) -> str:
    """The characters that depend on a secret alone, by how many bytes precede it, in both alphabets."""
    data = secret.encode("utf-8", "surrogatepass")
    cores = []
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        cores.append(text[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return "|".join(re.escape(core).replace(r"\+", "[+-]").replace("/", "[/_]") for core in cores)
