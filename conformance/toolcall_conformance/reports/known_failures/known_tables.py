"""The tables ``[[known]]`` of a TOML file of known failures: their lines and their entries."""

from __future__ import annotations

import datetime as dt
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.close_names import close_name_advice
from toolcall_conformance.reports.known_failures import causes_table
from toolcall_conformance.reports.known_failures.entries import ItemPattern, KnownEntry, KnownFailuresError

KEY = "known"
_HEADER = re.compile(rf"\s*\[\[\s*{KEY}\s*\]\]\s*(#.*)?")
_KEYS = ("rule", "signature", "items", "reason", "ticket", "added", "expires", "wide")


@dataclass(frozen=True)
class TableLines:
    """The lines of one table. ``before`` are separate lines above it, ``text`` its own with its comments.

    ``lines`` are the numbers of the first and last line of ``text``.
    """

    before: str
    text: str
    lines: tuple[int, int]


def parse_entries(path: Path, text: str, current: Callable[[str], frozenset[str]]) -> Iterator[KnownEntry]:
    """Yield the entries of a file. ``current`` returns a rule's current ids. Raises KnownFailuresError."""
    try:
        document = foreign_files.parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise KnownFailuresError(f"{path}: not TOML: {error}") from None
    for key in document:
        if key not in (KEY, causes_table.KEY):
            raise KnownFailuresError(f"{path}: there is no key {key!r}; start each entry with [[{KEY}]]")
    tables = document.get(KEY, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise KnownFailuresError(f"{path}: `{KEY}` is no list of tables; start each entry with [[{KEY}]]")
    section = causes_table.parse_causes_table(path, text)
    blocks, _ = split_tables(path, section.other_text)
    for block, table in zip(blocks, tables, strict=True):
        try:
            yield _parse_entry(block, table, current)
        except ValueError as error:
            raise KnownFailuresError(f"{path}:{_header_line(block)}: {error}") from None
    yield from causes_table.parse_entries(path, section, current)


def split_tables(path: Path, text: str) -> tuple[list[TableLines], str]:
    """Return the tables of a TOML file without other tables, and the text after the last one.

    Raises KnownFailuresError.
    """
    lines = _split_lines(text)
    starts = [number for number, line in enumerate(lines) if _HEADER.fullmatch(line.rstrip())]
    blocks, end = [], 0
    for start, following in itertools.pairwise([*starts, len(lines)]):
        first = start
        while first > end and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        last = _last_line(lines, start, following)
        blocks.append(TableLines("".join(lines[end:first]), "".join(lines[first:last]), (first + 1, last)))
        end = last
    tables = tomllib.loads(text).get(KEY, [])
    try:
        alone = [tomllib.loads(block.text).get(KEY) for block in blocks]
    except tomllib.TOMLDecodeError:
        alone = []
    if alone != [[table] for table in tables]:
        raise KnownFailuresError(
            f"{path}: write each entry under its own line [[{KEY}]], and no such line inside a text"
        )
    return blocks, "".join(lines[end:])


def _last_line(lines: list[str], start: int, following: int) -> int:
    """Return the index after the last line of the table at ``start``; comments after a blank line are not its own."""
    last = following
    for number in range(following - 1, start, -1):
        line = lines[number].strip()
        if not line:
            last = number
        elif not line.startswith("#"):
            break
    return last


def _parse_entry(block: TableLines, table: dict[str, Any], current: Callable[[str], frozenset[str]]) -> KnownEntry:
    for key in table:
        if key not in _KEYS:
            advice = close_name_advice(key, _KEYS, f"an entry has {', '.join(_KEYS)}")
            raise ValueError(f"there is no key {key!r}; {advice}")
    rule = _text_member(table, "rule", "the id of a rule")
    signature = _text_member(table, "signature", "what follows the rule in a signature", default="")
    reason = _text_member(table, "reason", "why this failure is known")
    patterns = _parse_patterns(block, table)
    if any(pattern.is_wide for pattern in patterns) and table.get("wide") is not True:
        wide = next(pattern for pattern in patterns if pattern.is_wide)
        raise ValueError(f"{wide.text!r} may match several families; name one, or write wide = true")
    _date_member(table, "added")
    return KnownEntry(
        lines=(_header_line(block), block.lines[1]),
        patterns=patterns,
        rule=rule,
        ids=current(rule),
        reason=reason,
        signature=signature.removeprefix(f"{rule} ") or None,
        ticket=_text_member(table, "ticket", "the address of a ticket", default=""),
        expires=_date_member(table, "expires"),
    )


def _text_member(table: dict[str, Any], key: str, advice: str, default: str | None = None) -> str:
    text = table.get(key, default)
    if not isinstance(text, str) or (default is None and not text.strip()):
        problem = "is missing" if key not in table else "is no text" if not isinstance(text, str) else "is empty"
        raise ValueError(f"`{key}` {problem}; write {advice} there")
    return text.strip()


def _date_member(table: dict[str, Any], key: str) -> dt.date | None:
    date = table.get(key)
    if date is None:
        return None
    try:
        return dt.date.fromisoformat(str(date)[:10])
    except ValueError:
        raise ValueError(f"`{key}` is no date; write {key} = 2027-01-31") from None


def _parse_patterns(block: TableLines, table: dict[str, Any]) -> tuple[ItemPattern, ...]:
    items = table.get("items")
    texts = [items] if isinstance(items, str) else items
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError('`items` is no list of patterns; write items = ["shell/seed::request::anthropic-to-gemini"]')
    lines = _split_lines(block.text)
    offset = block.lines[0]
    patterns = []
    next_line = 0
    for text in texts:
        quoted = (f'"{text}"', f"'{text}'")
        at = next(
            (
                number
                for number in range(next_line, len(lines))
                if any(quotation in lines[number] for quotation in quoted)
            ),
            None,
        )
        next_line = at if at is not None else next_line
        patterns.append(ItemPattern(text.strip(), offset + at if at is not None else _header_line(block)))
    return tuple(patterns)


def _header_line(block: TableLines) -> int:
    above = next(number for number, line in enumerate(_split_lines(block.text)) if _HEADER.fullmatch(line.rstrip()))
    return block.lines[0] + above


def _split_lines(text: str) -> list[str]:
    """Return the lines with their ends. Only a newline ends a line: texts may have other separators of Python's."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)
