"""The table ``[causes]``: a row for each cause without a reason, so that a first file is short.

    "RULE SIGNATURE" = ["PATTERN", "PATTERN"]

A long row continues on the next line. A cause with a reason, a ticket or a date is a table ``[[known]]``
(``known_tables``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance.reports.known_failures.entries import ItemPattern, KnownEntry, KnownFailuresError

KEY = "causes"
WIDTH = 260
_HEADER = re.compile(rf"\s*\[\s*{KEY}\s*\]\s*(#.*)?")
_LINE_PATTERN = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class CauseRow:
    """A cause with its patterns: ``text`` are its lines, ``text_before`` those above, ``first_line`` its number."""

    cause: str
    patterns: tuple[str, ...]
    text_before: str
    text: str
    first_line: int

    @property
    def last_line(self) -> int:
        """The number of its last line."""
        return self.first_line + self.text.rstrip("\n").count("\n")

    @property
    def key(self) -> tuple[str, str]:
        """The rule, and the signature without the rule."""
        rule, _, signature = self.cause.partition(" ")
        return rule, signature


@dataclass(frozen=True)
class CausesTable:
    """The table of a file. ``other_text`` is the file with empty lines in its place, so that lines keep their numbers.

    ``header`` is its first line, ``text_after`` the text after its last row.
    """

    other_text: str
    header: str = ""
    rows: tuple[CauseRow, ...] = ()
    text_after: str = ""


def parse_causes_table(path: Path, text: str) -> CausesTable:
    """Return the table of a TOML file. Raises KnownFailuresError."""
    lines = _LINE_PATTERN.findall(text)
    header_index = next((number for number, line in enumerate(lines) if _HEADER.fullmatch(line.rstrip("\n"))), None)
    table: Any = tomllib.loads(text).get(KEY, {})
    if header_index is None:
        if table:
            raise KnownFailuresError(f"{path}: write the causes below a line [{KEY}]")
        return CausesTable(text)
    end = next((n for n in range(header_index + 1, len(lines)) if lines[n].lstrip().startswith("[")), len(lines))
    # Comments right above the next table belong to that.
    while end < len(lines) and end - 1 > header_index and lines[end - 1].lstrip().startswith("#"):
        end -= 1
    try:
        rows, text_after = _parse_rows(lines, header_index + 1, end)
    except ValueError as error:
        raise KnownFailuresError(f"{path}:{error}") from None
    if not isinstance(table, dict) or [row.cause for row in rows] != [*table]:
        raise KnownFailuresError(f"{path}:{header_index + 1}: write each cause on a line of its own below [{KEY}]")
    other_text = "".join([*lines[:header_index], "\n" * (end - header_index), *lines[end:]])
    return CausesTable(other_text, lines[header_index], tuple(rows), text_after)


def _parse_rows(lines: list[str], start: int, end: int) -> tuple[list[CauseRow], str]:
    """Return the rows between two lines, and the text after the last row. Raises ValueError."""
    rows: list[CauseRow] = []
    text_before, number = "", start
    while number < end:
        if not lines[number].strip() or lines[number].lstrip().startswith("#"):
            text_before += lines[number]
            number += 1
            continue
        for stop in range(number + 1, end + 1):
            text = "".join(lines[number:stop])
            try:
                table = tomllib.loads(text)
            except tomllib.TOMLDecodeError:
                continue
            break
        else:
            raise ValueError(f"{number + 1}: this cause does not end")
        for cause, pattern_texts in table.items():
            rows.append(CauseRow(cause, _parse_patterns(number + 1, pattern_texts), text_before, text, number + 1))
        text_before, number = "", stop
    return rows, text_before


def _parse_patterns(line_number: int, pattern_texts: Any) -> tuple[str, ...]:
    texts = [pattern_texts] if isinstance(pattern_texts, str) else pattern_texts
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError(
            f'{line_number}: no list of patterns; write "RULE SIGNATURE" = ["shell/seed::request::anthropic-to-gemini"]'
        )
    return tuple(text.strip() for text in texts)


def parse_entries(
    path: Path, causes_table: CausesTable, current: Callable[[str], frozenset[str]]
) -> Iterator[KnownEntry]:
    """Yield the entries of the table. ``current`` returns a rule's current ids. Raises KnownFailuresError."""
    for row in causes_table.rows:
        try:
            yield _parse_entry(row, current)
        except ValueError as error:
            raise KnownFailuresError(f"{path}:{row.first_line}: {error}") from None


def _parse_entry(row: CauseRow, current: Callable[[str], frozenset[str]]) -> KnownEntry:
    rule, signature = row.key
    patterns = tuple(ItemPattern(text, row.first_line) for text in row.patterns)
    if wide := next((pattern for pattern in patterns if pattern.is_wide), None):
        raise ValueError(f"{wide.text!r:.200} may match several families; name them, as {{shell,grep}}/seed")
    if not signature:
        raise ValueError(f"{rule!r:.200} has no signature; write it as reports do, behind the rule")
    return KnownEntry(
        lines=(row.first_line, row.last_line),
        patterns=patterns,
        rule=rule,
        ids=current(rule),
        reason="",
        signature=signature,
    )


def format_row(cause: str, patterns: Collection[str]) -> str:
    """Return a row in as few lines as ``WIDTH`` permits."""
    import tomlkit

    def quote(text: str) -> str:
        return tomlkit.string(text).as_string()

    *first, last = map(quote, patterns)
    line, lines = f"{quote(cause)} = [", []
    for number, entry in enumerate([*(f"{pattern}, " for pattern in first), f"{last}]"]):
        if number and len(line) + len(entry.rstrip()) > WIDTH:
            lines.append(f"{line.rstrip()}\n")
            line = "  "
        line += entry
    return "".join([*lines, f"{line}\n"])
