"""Equivalences as data: the differences that a judge accepts, with the words, patterns and bounds that decide it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class CorpusPattern:
    """A regular expression of the corpus. It is written in what Python, ECMAScript and RE2 have in common."""

    compiled: re.Pattern[str]
    whole_words: bool

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> CorpusPattern:
        """A pattern as ``equivalence.json`` has it."""
        return cls(
            re.compile(raw["regex"], re.IGNORECASE if raw.get("ignore_case") else 0), raw.get("whole_words", False)
        )

    def matches(self, text: str, end: int | None = None) -> Iterator[re.Match[str]]:
        """The matches in ``text`` up to ``end``, in order."""
        matches = self.compiled.finditer(text, 0, len(text) if end is None else end)
        if not self.whole_words:
            return matches
        return (match for match in matches if is_whole(text, match.start(), match.end()))


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter, digit or underscore is right before or right after a stretch of text."""
    return not (start and _in_word(text[start - 1])) and not (end < len(text) and _in_word(text[end]))


def _in_word(char: str) -> bool:
    return char == "_" or char.isalnum()


@dataclass(frozen=True)
class Criteria:
    """What a judge decides by.

    ``words`` are lists of lower-case words, ``patterns`` regular expressions, ``parameters`` bounds and keys, each by
    the name that its file gives it.
    """

    raw: Mapping[str, Any] = field(repr=False, hash=False, compare=False)

    @cached_property
    def words(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(entry["words"]) for name, entry in self.raw.get("words", {}).items()}

    @cached_property
    def patterns(self) -> Mapping[str, CorpusPattern]:
        return {name: CorpusPattern.of(entry) for name, entry in self.raw.get("patterns", {}).items()}

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        return {name: entry["value"] for name, entry in self.raw.get("parameters", {}).items()}


@dataclass(frozen=True)
class Equivalence(Criteria):
    """One kind of difference that is no fault, with the criteria by which a judge knows it."""

    name: str
    explanation: str
    evidence: tuple[Mapping[str, Any], ...]
    since: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Equivalence:
        """An equivalence as ``equivalence.json`` has it."""
        return cls(raw, raw["name"], raw["explanation"], tuple(raw["evidence"]), raw["since"])
