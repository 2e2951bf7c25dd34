"""Known failures: a file of expected findings, each with its reason.

One entry per line; ``#`` begins the mandatory reason; blank lines and lines that begin with ``#`` are skipped::

    grep/*::request::*-to-gemini   gemini/result-names-call   # https://example.com/our/issue/12

The first word is a pattern (``*``, ``?``) for node ids, with or without ``toolcall::``; the second is a rule. A retired
id means the rules that replaced it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

_PREFIX = "toolcall::"


class KnownFailuresError(Exception):
    """An unreadable file of known failures; the message names the line and what to do."""


@dataclass(frozen=True)
class KnownFailure:
    """One line: findings of ``rule`` in items that match ``pattern`` are known; ``ids`` are its current ids."""

    line: int
    pattern: str
    rule: str
    reason: str
    ids: frozenset[str]

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        # `[` is no wildcard here: node ids have none, and a typing mistake must not become a character class.
        return re.compile(translate(self.pattern.removeprefix(_PREFIX).replace("[", "[[]")))

    def matches(self, nodeid: str) -> bool:
        """Whether the pattern matches an item."""
        return self._expression.match(nodeid.removeprefix(_PREFIX)) is not None

    def __str__(self) -> str:
        return f"line {self.line}: {self.pattern}  {self.rule}"


@dataclass(frozen=True)
class Stale:
    """A stale entry, with the sentence to report."""

    entry: KnownFailure
    sentence: str


@dataclass(frozen=True)
class KnownFailures:
    """The entries of one file."""

    path: Path | None = None
    entries: tuple[KnownFailure, ...] = ()

    def reason(self, nodeid: str, rule: str) -> str | None:
        """The reason of a known finding, or None."""
        for entry in self.entries:
            if rule in entry.ids and entry.matches(nodeid):
                return entry.reason
        return None

    def stale(self, planned: Collection[str], judged: Mapping[str, Collection[str]]) -> list[Stale]:
        """The entries that match no item or no longer fail.

        ``planned`` are all items of this translator, selected or not; ``judged`` maps the judged ones to the rules that
        they violate. An entry with an item that was not judged stays undecided.
        """
        found = []
        for entry in self.entries:
            items = [nodeid for nodeid in planned if entry.matches(nodeid)]
            if not items:
                found.append(Stale(entry, f"{entry} matches no item; fix the pattern or delete the line"))
            elif all(nodeid in judged and entry.ids.isdisjoint(judged[nodeid]) for nodeid in items):
                found.append(Stale(entry, f"{entry} no longer fails; delete the line"))
        return found


def load(
    path: Path, rules: Collection[str], retired: Mapping[str, Collection[str]] = MappingProxyType({})
) -> KnownFailures:
    """Read a file of known failures; ``rules`` are the current ids, ``retired`` the former ones.

    Raises KnownFailuresError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise KnownFailuresError(
            f"{path}: cannot be read ({error.strerror}); check --toolcall-known-failures"
        ) from None
    except UnicodeDecodeError:
        raise KnownFailuresError(f"{path}: not UTF-8 text; check --toolcall-known-failures") from None
    return KnownFailures(path, tuple(_entries(path, text.splitlines(), rules, retired)))


def _entries(
    path: Path, lines: Iterable[str], rules: Collection[str], retired: Mapping[str, Collection[str]]
) -> Iterable[KnownFailure]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry, _, reason = line.partition("#")
        words = entry.split()
        if len(words) != 2:
            raise KnownFailuresError(f"{path}:{number}: write ITEM-PATTERN RULE # reason, found {line.strip()!r}")
        pattern, rule = words
        if not reason.strip():
            raise KnownFailuresError(f"{path}:{number}: a reason is missing; write it after the rule: {rule} # why")
        if rule not in rules and rule not in retired:
            close = difflib.get_close_matches(rule, rules, n=3)
            advice = (
                f"; did you mean {' or '.join(close)}?" if close else "; `toolcall-conformance list rules` lists all"
            )
            raise KnownFailuresError(f"{path}:{number}: there is no rule {rule!r}{advice}")
        yield KnownFailure(number, pattern, rule, reason.strip(), frozenset(retired.get(rule, (rule,))))
