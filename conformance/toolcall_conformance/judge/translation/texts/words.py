"""Words and names in a text, and which of many names it mentions. What words mean, the corpus says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

WORD = re.compile(r"\w+")
_NAME = re.compile(r"[\w.-]+")


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case: runs of letters, digits and underscores."""
    return WORD.findall(text.lower())


def name_tokens(text: str) -> list[re.Match[str]]:
    """Return the runs of letters, digits, ``_``, ``.`` and ``-``: what ids, file names and labels are made of."""
    return list(_NAME.finditer(text))


def mentions_name(text: str, name: str) -> bool:
    """Whether a text mentions a name that is not part of a longer one; a full stop may follow."""
    return _whole_name_pattern(name).search(text) is not None


def replace_name(text: str, old: str, new: str) -> str:
    """Return a text with a name replaced wherever ``mentions_name`` finds it."""
    return _whole_name_pattern(old).sub(lambda _: new, text)


def _whole_name_pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")


_NAME_CONTINUES = re.compile(r"[\w-]")


class NameMentions:
    """Names of any form, to be looked up in texts. None and blank names are ignored."""

    def __init__(self, names: Iterable[str | None]) -> None:
        self._names = {name for name in names if name}
        self._pieces = _Pieces(self._names, r"(?<![\w.-])")

    def names_in(self, text: str) -> set[str]:
        """Return the names that a text mentions, as ``mentions_name`` decides."""
        pieces = self._pieces.candidates_in(text)
        return {
            piece for at, piece in pieces if piece in self._names and not _NAME_CONTINUES.match(text, at + len(piece))
        }


class NamesInAnyCase:
    """Names to be looked up in texts without regard to case."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, list[str]] = {}
        for name in names:
            self._names.setdefault(_fold_case(name), []).append(name)
        self._pieces = _Pieces(self._names, "")

    def candidates_in(self, text: str) -> list[str]:
        """Return all names that a case-insensitive pattern may match in a text, and few others."""
        pieces = {piece for _, piece in self._pieces.candidates_in(_fold_case(text)) if piece in self._names}
        return [name for piece in pieces for name in self._names[piece]]


class _Pieces:
    """Finds candidates for some words in texts: pieces that begin like one of them and are as long as one."""

    def __init__(self, words: Iterable[str], before: str) -> None:
        word_list = list(words)
        self._lengths = sorted({len(word) for word in word_list})
        firsts = "".join(sorted({word[0] for word in word_list}))
        self._start = re.compile(f"{before}[{re.escape(firsts)}]") if firsts else None

    def candidates_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield (place, piece) for each candidate in a text."""
        for start in self._start.finditer(text) if self._start else ():
            at = start.start()
            yield from ((at, text[at : at + length]) for length in self._lengths)


def _fold_case(text: str) -> str:
    """Return a text in which characters that a case-insensitive pattern takes for equal are equal."""
    return text.replace("İ", "I").lower().upper()
