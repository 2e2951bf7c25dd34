"""Reads the snapshot files of Jest and Vitest: JavaScript values as pretty-format prints them, by name.

A value that a matcher stands for (``Any<String>``), or that JSON has no word for (``[Function]``), is read as a text in
square brackets. https://jestjs.io/docs/snapshot-testing
"""

from __future__ import annotations

import json
import re
from typing import Any

from toolcall_conformance.recording.pairs.description import UnreadableGoldenError

_ENTRY = re.compile(r"^exports\[`((?:[^`\\]|\\.)*)`\] = `((?:[^`\\]|\\.)*)`;", re.MULTILINE | re.DOTALL)
_ESCAPED = re.compile(r"\\([`\\$])")
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*"(?=\s*[,:\]}]|\s*\Z)|".*?"(?=,?\r?\n|\Z))|(?P<open>(?:[A-Za-z_$][\w$]*\s*)?[\[{])"""
    r"""|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)|(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?(?![\w]))"""
    r"""|(?P<word>[A-Za-z_$][^,\n:{}\[\]]*))""",
    re.DOTALL,
)
_TAG = re.compile(r"\s*(\[[A-Za-z][^\]\n]*\])(?=,?\s*(?:\n|\Z))")
"""As ``[Function]``; a list breaks the line after its bracket."""
_WORDS = {"true": True, "false": False, "null": None}
_UNDEFINED = "undefined"
_MAX_DEPTH = 200


def is_snapshot(text: str) -> bool:
    """Whether a file was written by Jest or Vitest."""
    return bool(re.match(r"\s*// (?:Jest|Vitest|Bun) Snapshot", text))


def entries(text: str) -> dict[str, str]:
    """The snapshots of a file by their names, each as it was printed."""
    return {_ESCAPED.sub(r"\1", name): _ESCAPED.sub(r"\1", value).strip("\n") for name, value in _ENTRY.findall(text)}


def is_escaped(text: str) -> bool:
    """Whether quotation marks in texts are escaped: until Jest 29, which no longer writes Object and Array either."""
    return bool(re.search(r"(?:Object \{|Array \[)", text))


def value_of(printed: str, *, escaped: bool) -> Any:
    """The value of a snapshot; of a text, the text itself. Raises UnreadableGoldenError."""
    inner = printed.strip()
    if len(inner) > 1 and inner[0] == inner[-1] == '"':
        return _text(inner, escaped=escaped)
    reader = _Reader(inner, escaped=escaped)
    value = reader.value(0)
    reader.end()
    return value


def _text(printed: str, *, escaped: bool) -> str:
    inner = printed[1:-1]
    return re.sub(r'\\(["\\])', r"\1", inner) if escaped else inner


class _Reader:
    def __init__(self, text: str, *, escaped: bool) -> None:
        self._text = text
        self._escaped = escaped
        self._at = 0

    def value(self, depth: int) -> Any:
        """The next value."""
        if depth > _MAX_DEPTH:
            raise UnreadableGoldenError(f"a snapshot that is nested more than {_MAX_DEPTH} levels deep")
        if tag := _TAG.match(self._text, self._at):
            self._at = tag.end()
            return tag[1]
        kind, word = self._next()
        if kind == "text":
            return _text(word, escaped=self._escaped)
        if kind == "open":
            return self._list(depth) if word.endswith("[") else self._object(depth)
        if kind == "number":
            return json.loads(word.rstrip("n"))
        if kind == "word":
            plain = word.strip()
            return _WORDS.get(plain, f"[{plain}]")
        raise self._broken()

    def end(self) -> None:
        """Nothing may follow."""
        if self._text[self._at :].strip():
            raise self._broken()

    def _list(self, depth: int) -> list[Any]:
        values: list[Any] = []
        while not self._take("]"):
            values.append(self.value(depth + 1))
            self._comma("]")
        return values

    def _object(self, depth: int) -> dict[str, Any]:
        members = {}
        while not self._take("}"):
            kind, key = self._next()
            if kind not in ("text", "word", "number"):
                raise self._broken()
            if self._next()[0] != "colon":
                raise self._broken()
            value = self.value(depth + 1)
            if value != f"[{_UNDEFINED}]":
                members[_text(key, escaped=self._escaped) if kind == "text" else key.strip()] = value
            self._comma("}")
        return members

    def _take(self, sign: str) -> bool:
        match = re.compile(rf"\s*{re.escape(sign)}").match(self._text, self._at)
        if match:
            self._at = match.end()
        return bool(match)

    def _comma(self, closing: str) -> None:
        match = re.compile(rf"\s*(?:,|(?={re.escape(closing)}))").match(self._text, self._at)
        if not match:
            raise self._broken()
        self._at = match.end()

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.lastgroup is None:
            raise self._broken()
        self._at = match.end()
        return match.lastgroup, match[match.lastgroup]

    def _broken(self) -> UnreadableGoldenError:
        line = self._text.count("\n", 0, self._at) + 1
        return UnreadableGoldenError(f"line {line} of the snapshot cannot be read as a value that pretty-format prints")
