"""Differences that have a reason, each with the line of the SDK that shows it."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol, TypeVar

from witnesses.damage_generator import DamagedBody

STREAMS = Path(__file__).with_name("damaged.json")
BODIES = Path(__file__).with_name("damaged_bodies.json")


class ComparisonKind(Protocol):
    """What came of comparing a fault."""

    @property
    def kind(self) -> str: ...


class Difference(Protocol):
    """A fault, and what came of comparing it."""

    @property
    def fault(self) -> DamagedBody: ...

    @property
    def found(self) -> ComparisonKind: ...


Found = TypeVar("Found", bound=Difference)


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

    def explains(self, fault: DamagedBody, comparison: ComparisonKind) -> bool:
        """Whether a difference is of this class."""
        return (
            fault.source.format == self.format
            and comparison.kind in self.kinds
            and (not self.operators or fault.operator in self.operators)
            and any(fnmatchcase(fault.pattern, _literal(pattern)) for pattern in self.patterns)
        )


def _literal(pattern: str) -> str:
    """A pattern with literal brackets."""
    return re.sub(r"\[", "[[]", pattern)


def source_text(entry: Entry) -> str | None:
    """The file of the SDK that an entry names, as it is installed; None without the SDK."""
    path = entry.source.partition("/blob/main/")[2].removeprefix("src/")
    package = {"google": "google.genai"}.get(path.partition("/")[0], path.partition("/")[0])
    try:
        root = Path(str(importlib.import_module(package).__file__)).parents[package.count(".") + 1]
    except ImportError:
        return None
    return (root / path).read_text(encoding="utf-8")


def entries(file: Path) -> list[Entry]:
    """The entries of a list."""
    raw: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return [
        Entry(**{**entry, **{key: tuple(entry.get(key, ())) for key in ("kinds", "operators", "patterns")}})
        for entry in raw
    ]


def unexplained_differences(listed: Iterable[Entry], differences: Iterable[Found], counts: Counter[str]) -> list[Found]:
    """The differences that no entry explains; ``counts`` gets how many each reason explains."""
    left = []
    entry_list = list(listed)
    for difference in differences:
        entry = next((entry for entry in entry_list if entry.explains(difference.fault, difference.found)), None)
        if entry is None:
            left.append(difference)
        else:
            counts[entry.reason] += 1
    return left
