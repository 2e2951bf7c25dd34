"""Find known secrets in texts."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable

from toolcall_conformance.basics.known_secrets import spellings

MIN_SECRET_LENGTH = 8
"""Shorter values are not secret (local servers take any key), and occur everywhere by chance."""


class KnownSecrets:
    """Secret values to search for in all their spellings, longer ones first."""

    def __init__(self, values: Iterable[str]) -> None:
        self.values = tuple(
            sorted({value for value in values if len(value) >= MIN_SECRET_LENGTH}, key=lambda text: (-len(text), text))
        )
        pattern = "|".join(
            f"(?P<s{number}>{spellings.secret_pattern(value)})" for number, value in enumerate(self.values)
        )
        self._regex = re.compile(pattern, re.IGNORECASE) if pattern else None
        coded = "|".join(f"(?P<s{number}>{_base64_pattern(value)})" for number, value in enumerate(self.values))
        self._coded = re.compile(coded) if coded else None

    def __bool__(self) -> bool:
        return self._regex is not None

    def occur_in(self, text: str) -> bool:
        """Whether a text has one of them."""
        return self._regex is not None and any(
            self._regex.search(form) for form in (text, spellings.strip_marks(text)[0])
        )

    def replace(self, text: str, make: Callable[[str], str]) -> str:
        """The text with each secret, in whatever spelling, replaced by ``make(secret)``."""
        if self._regex is None:
            return text
        text = _replace(self._regex, text, self.values, make)
        plain, place = spellings.strip_marks(text)
        pieces, end = [], 0
        for match in self._regex.finditer(plain) if plain != text else ():
            start = place(match.start())
            pieces += [text[end:start], make(_matched_secret(match, self.values))]
            end = place(match.end() - 1) + 1
        return "".join([*pieces, text[end:]])

    def replace_base64(self, text: str, make: Callable[[str], str]) -> str:
        """The text with each secret's base64 replaced, also inside longer base64, which is then base64 no more."""
        return _replace(self._coded, text, self.values, make)


def _replace(regex: re.Pattern[str] | None, text: str, values: tuple[str, ...], make: Callable[[str], str]) -> str:
    if regex is None:
        return text
    return regex.sub(lambda match: make(_matched_secret(match, values)), text)


def _matched_secret(match: re.Match[str], values: tuple[str, ...]) -> str:
    return values[int((match.lastgroup or "s0")[1:])]


def _base64_pattern(secret: str) -> str:
    """A pattern for the base64 characters that depend on a secret alone, at each offset and in both alphabets."""
    data = secret.encode("utf-8", "surrogatepass")
    cores = []
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        cores.append(text[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return "|".join(re.escape(core).replace(r"\+", "[+-]").replace("/", "[/_]") for core in cores)
