"""Reads files of known failures: TOML, or one entry per line."""

from __future__ import annotations

import datetime as dt
import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.reports.known_failures.baseline import KnownFailures
from toolcall_conformance.reports.known_failures.entries import ItemPattern, KnownEntry, KnownFailuresError
from toolcall_conformance.reports.known_failures.known_tables import parse_entries as toml_entries

_HEADER = re.compile(r"^[^\S\n]*\[(?:\[|\s*causes\s*\])", re.MULTILINE)


@dataclass(frozen=True)
class RuleNames:
    """The ids of rules: the current ones, and the retired ones with those that replaced them.

    ``breach`` returns what is wrong if a rule is broken: the reason of an entry without one.
    """

    rules: Collection[str]
    retired: Mapping[str, Collection[str]] = field(default_factory=dict)
    breach: Callable[[str], str] = lambda _rule: "no reason is given yet"

    def current_ids(self, rule: str) -> frozenset[str]:
        """Return the current ids of a rule. Raises ValueError with advice."""
        if rule in self.rules or rule in self.retired:
            return frozenset(self.retired.get(rule, (rule,)))
        close = difflib.get_close_matches(rule, self.rules, n=3)
        advice = f"did you mean {' or '.join(close)}?" if close else "`toolcall-conformance list rules` lists all"
        raise ValueError(f"there is no rule {rule!r}; {advice}")


def load(
    path: Path, names: RuleNames, today: dt.date | None = None, *, may_lack: bool = False, name: str = ""
) -> KnownFailures:
    """Read a file of known failures on the day ``today``; ``name`` is its name in messages.

    ``may_lack``: the file need not exist. Raises KnownFailuresError.
    """
    today = today or dt.datetime.now().astimezone().date()
    if may_lack and not path.exists():
        return KnownFailures(path, (), today, name)
    text = read_text(path)
    known_entries = (
        toml_entries(path, text, names.current_ids) if is_toml(path, text) else _line_entries(path, text, names)
    )
    entries = tuple(
        entry if entry.reason else replace(entry, reason=names.breach(min(entry.ids))) for entry in known_entries
    )
    return KnownFailures(path, entries, today, name, text)


def read_text(path: Path) -> str:
    """Return the text of the file. Raises KnownFailuresError."""
    try:
        return foreign_files.read_text(path)
    except OSError as error:
        raise KnownFailuresError(
            f"{path}: cannot be read ({error.strerror}); check --toolcall-known-failures, "
            "or write the file with --toolcall-known-failures-update"
        ) from None
    except UnicodeDecodeError:
        raise KnownFailuresError(f"{path}: not UTF-8 text; check --toolcall-known-failures") from None


def is_toml(path: Path, text: str) -> bool:
    """Whether a file is TOML, by its name or its text."""
    return path.suffix == ".toml" or _HEADER.search(text) is not None


def _line_entries(path: Path, text: str, names: RuleNames) -> Iterator[KnownEntry]:
    """Yield the entries of lines ``ITEM-PATTERN RULE # reason``. Raises KnownFailuresError."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        entry, _, reason = line.partition("#")
        words = entry.split()
        if len(words) != 2:
            raise KnownFailuresError(f"{path}:{number}: write ITEM-PATTERN RULE # reason, found {line.strip()!r:.200}")
        pattern, rule = words
        if not reason.strip():
            raise KnownFailuresError(f"{path}:{number}: a reason is missing; write it after the rule: {rule:.99} # why")
        try:
            ids = names.current_ids(rule)
        except ValueError as error:
            raise KnownFailuresError(f"{path}:{number}: {error}") from None
        yield KnownEntry((number, number), (ItemPattern(pattern, number),), rule, ids, reason.strip())
