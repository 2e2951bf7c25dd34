"""Paths with fields: ``requests/{client}/{name}.{upstream}.snap``, and after ``#`` the entry of a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[a-z_][a-z0-9_]*")


class PatternError(Exception):
    """A path whose fields cannot be read."""


@dataclass(frozen=True, slots=True)
class Template:
    """A path with fields. A field holds no slash, but one whose name ends in ``_path`` may.

    ``entry`` is the pattern of an entry's name; None for a file that holds one body.
    """

    text: str
    path: str
    entry: str | None

    @classmethod
    def of(cls, text: str) -> Template:
        """Read a template. Raises PatternError."""
        for name in _FIELD.findall(text):
            if not _NAME.fullmatch(name):
                raise PatternError(f"{{{name}}} in {text!r} is no name of a field; use a to z, 0 to 9 and _")
        if "{" in _FIELD.sub("", text) or "}" in _FIELD.sub("", text):
            raise PatternError(f"an opening or closing brace has no partner in {text!r}")
        if text.startswith("/") or ".." in text.split("/"):
            raise PatternError(f"{text!r} leaves the folder of this file; put the file above all that it names")
        path, sign, entry = text.partition("#")
        return cls(text, path, entry if sign else None)

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_FIELD.findall(self.text)))

    def files(self, folder: Path) -> Iterator[Path]:
        """The files below a folder that the path fits, in order."""
        glob = "/".join("**" if "_path}" in part else _FIELD.sub("*", part) for part in self.path.split("/"))
        if glob.endswith("**"):
            glob += "/*"
        yield from sorted(path for path in set(folder.glob(glob)) if path.is_file())

    def match(self, path: str, entry: str | None, words: Mapping[str, frozenset[str]]) -> dict[str, str] | None:
        """The fields' values in a path and an entry's name; None where they do not fit.

        ``words`` are the values that a field has first of all: ``completions-messages`` is cut where both are known.
        """
        text = path if self.entry is None else f"{path}#{entry}"
        for vocabulary in (words, {}):
            if match := re.fullmatch(_expression(self.text, vocabulary), text):
                return match.groupdict()
        return None

    def fill(self, fields: Mapping[str, str]) -> tuple[str, str | None]:
        """The path, and the entry, for some values of its fields."""
        path, sign, entry = _FIELD.sub(lambda match: fields[match[1]], self.text).partition("#")
        return path, entry if sign else None


def _expression(text: str, words: Mapping[str, frozenset[str]]) -> str:
    parts, names, at = [], set[str](), 0
    for field in _FIELD.finditer(text):
        name = field[1]
        parts.append(re.escape(text[at : field.start()]))
        if name in names:
            parts.append(f"(?P={name})")
        elif name in words:
            longest_first = sorted(words[name], key=lambda word: (-len(word), word))
            parts.append(f"(?P<{name}>{'|'.join(map(re.escape, longest_first))})")
        else:
            parts.append(f"(?P<{name}>{'.+?' if name.endswith('_path') else '[^/]+?'})")
        names.add(name)
        at = field.end()
    return "".join([*parts, re.escape(text[at:])])
