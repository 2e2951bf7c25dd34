"""Words in a text: runs of letters, digits and underscores. Which of them mean something, the corpus says."""

from __future__ import annotations

import re

WORD = re.compile(r"\w+")
_NAME = re.compile(r"[\w.-]+")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return WORD.findall(text.lower())


def names_in(text: str) -> list[re.Match[str]]:
    """The runs of letters, digits, ``_``, ``.`` and ``-``: what ids, file names and labels are made of."""
    return list(_NAME.finditer(text))


def says_name(text: str, name: str) -> bool:
    """Whether a text says a name that is no part of a longer one; a full stop may follow."""
    return _whole(name).search(text) is not None


def renamed(text: str, old: str, new: str) -> str:
    """A text that says another name, wherever ``says_name`` finds the old one."""
    return _whole(old).sub(lambda _: new, text)


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
