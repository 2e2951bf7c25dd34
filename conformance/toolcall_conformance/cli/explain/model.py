"""An explanation in parts, and how it is written: as text for a terminal, or as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_NAME = 9
_INDENT = 2 + _NAME + 1
_MIN_WIDTH = 60
_MAX_WIDTH = 100
_WRAPPING: Mapping[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


@dataclass(frozen=True, slots=True)
class Part:
    """A labelled part of an explanation.

    ``name`` is its label on a terminal; parts that continue each other have the same name. ``lines`` follow the text
    unwrapped, for what a user copies or compares. JSON has ``value`` in place of the text, where that says more.
    """

    name: str
    text: str
    lines: tuple[str, ...] = ()
    copied: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What ``name`` means. ``kind`` is its sort of word; ``head`` follows it in the first line."""

    name: str
    kind: str
    head: str
    parts: Sequence[Part]

    def to_json(self) -> dict[str, Any]:
        """Plain data: each part by its name, a list of texts or objects."""
        parts: dict[str, list[Any]] = {}
        for part in self.parts:
            parts.setdefault(part.name, []).append(part.value if part.value is not None else _full_text(part))
        return {"name": self.name, "kind": self.kind, "title": self.head, "parts": parts}

    def text(self, columns: int) -> str:
        """The explanation on a terminal that is ``columns`` wide."""
        width = _width(columns)
        lines = [printable(f"{self.name}  {self.head}".rstrip())]
        before = ""
        for part in self.parts:
            lines += _lines(part, width, named=part.name != before)
            before = part.name
        return "\n".join(lines)


def text_width(columns: int) -> int:
    """How long the lines of a part can be on a terminal that is ``columns`` wide."""
    return _width(columns) - _INDENT


def _width(columns: int) -> int:
    return max(_MIN_WIDTH, min(columns, _MAX_WIDTH))


def evidence_parts(evidence: Sequence[Mapping[str, Any]], limit: int | None = None) -> Iterator[Part]:
    """A part for each piece of evidence, under its kind; after ``limit`` of them only their number."""
    pieces = evidence[:limit]
    for piece in pieces:
        text = "  ".join(str(piece[key]) for key in ("url", "note") if key in piece)
        yield Part(piece["kind"], text, value=dict(piece))
    if len(pieces) < len(evidence):
        yield Part("", f"and {len(evidence) - len(pieces)} more, with --all")


def printable(text: str) -> str:
    """A text in one line, without what a terminal takes for a command: titles of private cases may hold anything."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


def _full_text(part: Part) -> str:
    return "\n".join([*([part.text] if part.text else []), *part.lines])


def _lines(part: Part, width: int, *, named: bool) -> Iterator[str]:
    text = printable(part.text)
    lines = [text] if part.copied else textwrap.wrap(text, width - _INDENT, **_WRAPPING)
    lines += map(printable, part.lines)
    for number, line in enumerate(lines or [""]):
        name = part.name if named and number == 0 else ""
        yield f"  {name:<{_NAME}} {line}".rstrip()


def known_failure(rule: str, items: str) -> Part:
    """The entry for all findings of a rule in items that fit a pattern; see docs/known-failures.md."""
    lines = [
        "[[known]]  # for --toolcall-known-failures",
        f"rule = {_toml(rule)}",
        'reason = "…"',
        f"items = [{_toml(items)}]",
    ]
    if "*" in items.partition("/")[0]:
        lines.append("wide = true")
    return Part("known", "", tuple(lines), value="\n".join(lines))


def _toml(text: str) -> str:
    """A basic string of TOML; what JSON escapes is escaped alike."""
    return json.dumps(text, ensure_ascii=False)
