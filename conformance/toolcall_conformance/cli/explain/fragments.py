"""The one place in which two bodies differ, in a few lines of each: the rest of them is left out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, join
from toolcall_conformance.cli.explain.model import printable

_TEXT = 48
_LINES = 6
_BESIDE = 36


@dataclass(frozen=True, slots=True)
class Contrast:
    """Where two bodies differ: ``pointer``, and the value there on the ``left`` and ``right``, MISSING for none."""

    pointer: str
    left: Any
    right: Any


def contrast(left: Any, right: Any) -> Contrast:
    """The smallest object or array that holds all differences of two JSON values, or the values themselves."""
    pair = Contrast("", left, right)
    while len(steps := _steps(pair)) == 1 and (below := _inner(pair, steps[0])) is not None:
        pair = below
    return pair


def _steps(pair: Contrast) -> list[Any]:
    """The keys or indexes under which two containers of one kind differ."""
    left, right = pair.left, pair.right
    if isinstance(left, dict) and isinstance(right, dict):
        return [key for key in {**left, **right} if not equal(left.get(key, MISSING), right.get(key, MISSING))]
    if isinstance(left, list) and isinstance(right, list):
        both = zip_longest(left, right, fillvalue=MISSING)
        return [number for number, pair in enumerate(both) if not equal(*pair)]
    return []


def _inner(pair: Contrast, step: Any) -> Contrast | None:
    """The values under a step on both sides, where those are two objects or two arrays; else None."""
    try:
        left, right = pair.left[step], pair.right[step]
    except LookupError:
        return None
    alike = any(isinstance(left, kind) and isinstance(right, kind) for kind in (dict, list))
    return Contrast(join(pair.pointer, step), left, right) if alike else None


def side_by_side(pair: Contrast, width: int) -> tuple[Contrast, tuple[str, ...], tuple[str, ...]]:
    """Both sides in a few lines each: what differs in full, as far as it goes, and of the rest a hint.

    Where that takes too many lines it is about the first difference alone.
    """
    below: Contrast | None = pair
    while below is not None:
        both = _fitting(below, width, [*_PASSES, *([_BAREST] if _is_one_sided(below) else [])])
        if both is not None:
            return below, *both
        below = next((inner for step in _steps(below) if (inner := _inner(below, step)) is not None), None)
    return pair, in_a_line(pair.left, width), in_a_line(pair.right, width)


def _is_one_sided(pair: Contrast) -> bool:
    """Whether one side lacks a key or an entry of the other."""
    left, right = pair.left, pair.right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() != right.keys()
    return not (isinstance(left, list) and isinstance(right, list) and len(left) == len(right))


def _fitting(
    pair: Contrast, width: int, passes: Sequence[tuple[int, Sequence[_View]]]
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Both sides in the first view that fits and tells them apart."""
    for most, views in passes:
        for view in views:
            left, right = (
                _value_lines(pair.left, pair.right, view, width),
                _value_lines(pair.right, pair.left, view, width),
            )
            if left != right and _fits(left, width, most) and _fits(right, width, most):
                return left, right
    return None


def in_a_line(value: Any, width: int) -> tuple[str]:
    """A value in one line, cut where the line ends."""
    line = "(nothing)" if value is MISSING else _inline(_outline(value, None, _VIEWS[-1]))
    return (line if len(line) <= width else f"{line[: width - 2]} …",)


def _value_lines(value: Any, other: Any, view: _View, width: int) -> tuple[str, ...]:
    return ("(nothing)",) if value is MISSING else tuple(_layout(_outline(value, other, view), width))


def _fits(lines: tuple[str, ...], width: int, limit: int) -> bool:
    return len(lines) <= limit and all(len(line) <= width for line in lines)


@dataclass(frozen=True, slots=True)
class _View:
    """How much of a value is shown: how deep, how many entries of an array that differ, and whether members that do
    not differ stand beside those that do.
    """

    depth: int
    entries: int
    with_equal_members: bool

    @property
    def inner(self) -> _View:
        return replace(self, depth=self.depth - 1)


# From the fullest view to the barest.
_VIEWS = (
    *(_View(12, entries, beside) for beside in (True, False) for entries in (4, 2)),
    *(_View(4, 2, beside) for beside in (True, False)),
    *(_View(depth, 1, beside) for depth in (12, 4, 3) for beside in (True, False)),
    *(_View(depth, entries, beside) for depth in (2, 1) for entries, beside in ((4, True), (1, False))),
)

_FULL = _VIEWS[:-4]
# Better a few lines more than a view that shows hardly more than where something differs.
_PASSES = ((_LINES, _FULL), (_LINES + 2, _FULL), (_LINES + 4, _FULL))
_BAREST = (_LINES, _VIEWS[-4:])

# An outline is a text, or the brackets of a container with its members: a key with an outline each.
_Outline = str | tuple[str, str, list[tuple[str, "_Outline"]]]


def _outline(value: Any, other: Any, view: _View) -> _Outline:
    if view.depth == 0 or not isinstance(value, (dict, list)):
        return _hint(value, other)
    if isinstance(value, dict):
        return "{", "}", list(_members(value, other if isinstance(other, dict) else None, view))
    return "[", "]", list(_entries(value, other if isinstance(other, list) else None, view))


def _members(value: dict[str, Any], other: dict[str, Any] | None, view: _View) -> Iterator[tuple[str, _Outline]]:
    """The members that differ; the others in brief, or one ellipsis for all of them."""
    has_omissions = False
    for key, member in value.items():
        same = other is not None and key in other and equal(other[key], member)
        if not same:
            against = other.get(key, MISSING) if other is not None else None
            yield f"{_text(key)}: ", _outline(member, against, view.inner)
        elif view.with_equal_members:
            yield f"{_text(key)}: ", _brief(member)
        else:
            has_omissions = True
    if has_omissions:
        yield "", "…"


def _entries(value: list[Any], other: list[Any] | None, view: _View) -> Iterator[tuple[str, _Outline]]:
    """The first entries that differ from the one in their place; an ellipsis stands for each run of others."""
    before, after = _same_ends(value, other) if other is not None else (0, 0)
    against = other[before : len(other) - after] if other is not None else []
    has_omissions, count = before > 0, 0
    for number, entry in enumerate(value[before : len(value) - after]):
        opposite = against[number] if number < len(against) else None
        if count == view.entries or (other is not None and equal(opposite, entry)):
            has_omissions = True
            continue
        if has_omissions:
            yield "", "…"
        has_omissions, count = False, count + 1
        yield "", _outline(entry, opposite, view.inner)
    if after or has_omissions:
        yield "", "…"


def _same_ends(value: list[Any], other: list[Any]) -> tuple[int, int]:
    """How many entries two lists have in common at their beginning, and how many of the rest at their end."""
    most = min(len(value), len(other))
    before = next((number for number in range(most) if not equal(value[number], other[number])), most)
    rest = most - before
    after = next((number for number in range(rest) if not equal(value[-1 - number], other[-1 - number])), rest)
    return before, after


def _hint(value: Any, other: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return f"[… {len(value)}]" if value else "[]"
    if isinstance(value, str) and isinstance(other, str):
        return _text(_window(value, other))
    return _text(value)


def _brief(value: Any) -> str:
    hint = _hint(value, None)
    return hint if len(hint) <= _BESIDE else f'{hint[: _BESIDE - 2]}…"' if isinstance(value, str) else "…"


def _window(value: str, other: str) -> str:
    """The part of a long text around the place where it begins to differ from another."""
    if len(value) <= _TEXT:
        return value
    first = next((at for at, pair in enumerate(zip(value, other, strict=False)) if pair[0] != pair[1]), len(other))
    start = max(0, min(first, len(value)) - _TEXT // 2)
    end = start + _TEXT
    return f"{'…' if start else ''}{value[start:end]}{'…' if end < len(value) else ''}"


def _text(value: Any) -> str:
    text = printable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _TEXT + 4 else f'{text[:_TEXT]}…"' if isinstance(value, str) else f"{text[:_TEXT]}…"


def _layout(outline: _Outline, width: int, key: str = "", indent: str = "", comma: str = "") -> Iterator[str]:
    """The lines of an outline: one where it fits, else its members between lines with the brackets."""
    line = f"{indent}{key}{_inline(outline)}{comma}"
    if isinstance(outline, str) or len(line) <= width or not outline[2]:
        yield line
        return
    left, right, members = outline
    yield f"{indent}{key}{left}"
    yield from _packed_lines(members, width, f"{indent}  ")
    yield f"{indent}{right}{comma}"


def _packed_lines(members: list[tuple[str, _Outline]], width: int, indent: str) -> Iterator[str]:
    """As many short members in a line as fit; one that is too long for a line has lines of its own."""
    line = indent
    for number, (name, member) in enumerate(members):
        comma = "," if number < len(members) - 1 else ""
        text = f"{name}{_inline(member)}{comma}"
        if line != indent and len(line) + 1 + len(text) > width:
            yield line
            line = indent
        if len(indent) + len(text) > width:
            yield from _layout(member, width, name, indent, comma)
        else:
            line += text if line == indent else f" {text}"
    if line != indent:
        yield line


def _inline(outline: _Outline) -> str:
    if isinstance(outline, str):
        return outline
    left, right, members = outline
    return f"{left}{', '.join(f'{name}{_inline(member)}' for name, member in members)}{right}"
