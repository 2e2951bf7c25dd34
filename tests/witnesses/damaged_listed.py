"""Differences that have a reason, each with the line of the SDK that shows it: ``damaged.json``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from witnesses.damaged_compared import Compared
from witnesses.damaged_streams import Damaged

FILE = Path(__file__).with_name("damaged.json")


@dataclass(frozen=True)
class Entry:
    """A class of differences. ``source`` is the file of the SDK, ``shows`` what to look for in it.

    ``patterns`` are those of :attr:`Damaged.pattern`, with ``*`` for anything; no ``operators`` are all of them.
    ``example`` is a fault that is in it.
    """

    format: str
    kinds: tuple[str, ...]
    operators: tuple[str, ...]
    patterns: tuple[str, ...]
    reason: str
    source: str
    shows: str
    example: str

    def explains(self, one: Damaged, found: Compared) -> bool:
        """Whether a difference is of this class."""
        return (
            one.source.format == self.format
            and found.kind in self.kinds
            and (not self.operators or one.operator in self.operators)
            and any(fnmatchcase(one.pattern, _literal(pattern)) for pattern in self.patterns)
        )


def _literal(pattern: str) -> str:
    """A pattern in which brackets stand for themselves."""
    return re.sub(r"\[", "[[]", pattern)


def entries() -> list[Entry]:
    """The entries of the list."""
    raw: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return [
        Entry(**{**one, **{key: tuple(one.get(key, ())) for key in ("kinds", "operators", "patterns")}}) for one in raw
    ]
