"""The style of the corpus's JSON files, and a command that rewrites files in it.

An object or array is on one line if the whole line, with indent, key and comma, has at most 120 characters; else each
entry has its own line, indented by two blanks. Escapes are used only where JSON demands them, a newline ends the file,
and numbers and the order of keys stay as they are. ``python -m toolcall_conformance.basics.jsonstyle corpus`` rewrites.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.basics.visible_text import visible

#: Characters of a line that holds more than one value.
WIDTH = 120

_INDENT = "  "
_SURROGATE = re.compile("[\ud800-\udfff]")
# Some readers of lines end one here, too: Python's str.splitlines, Node's readline.
_LINE_END = re.compile("[\ud800-\udfff\x85\u2028\u2029]")


class StyleError(ValueError):
    """A file that is not JSON; the message names it and the reason."""


class _Number(str):
    """The raw text of a number: ``1e0`` and ``1.0`` are not rewritten as ``1``."""

    __slots__ = ()


def dump(value: Any) -> str:
    """The text of a JSON value in the style, as the content of a file."""
    return "".join(_lines(_Layout(value), "", "")) + "\n"


def dump_line(value: Any) -> str:
    """The text of a JSON value as a line of a JSON Lines file, without the line end."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LINE_END.sub(_escape, text)


def restyle(text: str) -> str:
    """Rewrite JSON text in the style; numbers stay as written. Raises StyleError for other text."""
    try:
        value = json.loads(
            text,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique_members,
        )
    except ValueError as error:
        raise StyleError(str(error)) from None
    return dump(value)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique_members(items: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(items)
    if len(members) < len(items):  # one of the two would be lost
        raise ValueError(f"a key occurs twice in the object with {', '.join(members)}")
    return members


class _Layout:
    """A value laid out: its text on one line (``flat``, None if too long), and its ``entries`` with their keys."""

    __slots__ = ("ends", "entries", "flat")

    def __init__(self, value: Any) -> None:
        self.ends = "{}" if isinstance(value, dict) else "[]" if isinstance(value, (list, tuple)) else ""
        self.entries: list[tuple[str, _Layout]] = []
        self.flat: str | None
        if not self.ends:
            self.flat = _scalar_text(value)
            return
        if isinstance(value, dict):
            self.entries = [(f"{_scalar_text(key)}: ", _Layout(entry)) for key, entry in value.items()]
        else:
            self.entries = [("", _Layout(entry)) for entry in value]
        parts = [None if entry.flat is None else key + entry.flat for key, entry in self.entries]
        flat = None if None in parts else ", ".join(filter(None, parts)).join(self.ends)
        self.flat = flat if flat is not None and len(flat) <= WIDTH else None


def _scalar_text(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    # UTF-8 has no lone surrogates; they must be escaped.
    return _SURROGATE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _lines(laid: _Layout, before: str, after: str) -> Iterator[str]:
    """The pieces of a value's text; ``before`` is the start of its line, ``after`` the comma that follows."""
    if laid.flat is not None and (not laid.entries or len(before + laid.flat + after) <= WIDTH):
        yield before + laid.flat + after
        return
    indent = before[: len(before) - len(before.lstrip(" "))]
    yield before + laid.ends[0]
    for number, (key, entry) in enumerate(laid.entries, 1):
        yield "\n"
        yield from _lines(entry, indent + _INDENT + key, "," if number < len(laid.entries) else "")
    yield f"\n{indent}{laid.ends[1]}{after}"


def find_unstyled(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """The JSON files in files and folders that are not in the style, each with its text in the style."""
    for path in paths:
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            text = file.read_bytes().decode("utf-8")
            try:
                styled_text = restyle(text)
            except StyleError as error:
                raise StyleError(f"{file}: {error}") from None
            if text != styled_text:
                yield file, styled_text


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m toolcall_conformance.basics.jsonstyle", description="Rewrite JSON files in the style."
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a file, or a folder with JSON files")
    parser.add_argument("--check", action="store_true", help="name the files that would change and write none")
    options = parser.parse_args(arguments)
    count = 0
    for path, text in find_unstyled(options.paths):
        count += 1
        print(visible(str(path)))
        if not options.check:
            atomic_files.write(path, text)
    return 1 if count and options.check else 0


if __name__ == "__main__":
    raise SystemExit(main())
