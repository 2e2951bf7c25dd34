"""Edits the list of items in an entry, and keeps its comments."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.reports.known_failures.entries import plain_id
from toolcall_conformance.reports.known_failures.known_tables import KEY

_TOKEN = re.compile(r""""(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|\n|[,\[\]]""")


@dataclass
class _Row:
    """A value with the comments above it and after it on its line."""

    value: str
    above: list[str] = field(default_factory=list)
    trailing: str = ""


def edit_items(block: str, add: Collection[str], remove: Collection[str]) -> str:
    """Return an entry's text with items added and removed; sorted if any is added, all else unchanged."""
    if not add and not remove:
        return block
    import tomlkit

    document: Any = tomlkit.parse(block)
    table = document[KEY][0]
    items: Any = table["items"]
    written = items.as_string()
    text = written if written.startswith("[") else f"[{written}]"
    rows, tail = _parse_rows(text)
    rows = [row for row in rows if row.value not in remove]
    if add:
        rows = sorted([*rows, *(_Row(item) for item in add)], key=lambda row: plain_id(row.value))
    table["items"] = _to_array(rows, tail)
    return tomlkit.dumps(document)


def _to_array(rows: Collection[_Row], tail: Collection[str]) -> Any:
    import tomlkit

    return tomlkit.parse("items = " + "\n".join(["[", *_print_rows(rows, tail), "]"]))["items"]


def _parse_rows(text: str) -> tuple[list[_Row], list[str]]:
    """Return the values of an array with their comments, and the comments after the last one."""
    rows: list[_Row] = []
    above: list[str] = []
    fresh = True  # no value is on this line yet
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            fresh = True
        elif token.startswith("#"):
            if fresh or not rows:
                above.append(token)
            else:
                rows[-1].trailing = token
        elif token[0] in "\"'":
            rows.append(_Row(tomllib.loads(f"v = {token}")["v"], above))
            above, fresh = [], False
    return rows, above


def _print_rows(rows: Collection[_Row], tail: Collection[str]) -> Iterator[str]:
    import tomlkit

    for row in rows:
        yield from (f"  {comment}" for comment in row.above)
        yield f"  {tomlkit.string(row.value).as_string()}," + (f"  {row.trailing}" if row.trailing else "")
    yield from (f"  {comment}" for comment in tail)
