"""An entry of known failures, and the patterns by which it names items."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

_PREFIX = "toolcall::"
_SIGN = re.compile("[*?]")


def plain_id(nodeid: str) -> str:
    """The id of an item without ``toolcall::``."""
    return nodeid.removeprefix(_PREFIX)


class KnownFailuresError(Exception):
    """A file of known failures that cannot be read or written; the message says where, and what to do."""


def _expression(pattern: str) -> str:
    """The regular expression of a pattern. What stands between two ``*`` is tried at one place alone, the first.

    So a pattern with many of them takes no longer; more places could help the last part only.
    """
    first, *others = (
        "".join("." if sign == "?" else re.escape(sign) for sign in part) for part in re.split(r"\*+", pattern)
    )
    return "".join([first, *(f"(?>.*?{part})" for part in others[:-1]), *(f".*{part}" for part in others[-1:])])


@dataclass(frozen=True)
class Pattern:
    """A pattern for the ids of items, and the line on which it stands.

    ``*`` stands for any text, ``?`` for one character; all else stands for itself. A family, a case, or a case and a
    check stand for all their items, as on the command line. ``toolcall::`` at the beginning may be left out.
    """

    text: str
    line: int

    @cached_property
    def plain(self) -> str:
        """The text without ``toolcall::``."""
        return plain_id(self.text)

    @property
    def family(self) -> str:
        """The family, or what stands for it."""
        return self.plain.partition("/")[0].partition("::")[0]

    @cached_property
    def is_one_item(self) -> bool:
        """Whether it is the whole id of one item."""
        return "*" not in self.plain and "?" not in self.plain and self.plain.count("::") == 2

    @cached_property
    def is_wide(self) -> bool:
        """Whether it may match items of several families."""
        return any(sign in self.family for sign in "*?")

    @cached_property
    def beginning(self) -> str:
        """The text before the first ``*`` or ``?``: all items that it matches begin so."""
        return _SIGN.split(self.plain, maxsplit=1)[0]

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        below = "" if self.plain.count("::") >= 2 else "(?:::.*)?" if "/" in self.plain else "(?:/.*)?"
        return re.compile(_expression(self.plain) + below, re.DOTALL)

    def matches(self, nodeid: str) -> bool:
        """Whether it matches an item."""
        plain = plain_id(nodeid)
        return plain == self.plain if self.is_one_item else self._expression.fullmatch(plain) is not None


@dataclass(frozen=True)
class Entry:
    """Findings of one rule in items that match one of ``patterns``; ``ids`` are the rule's current ids.

    ``signature`` is what follows the rule in the text of a ``Cause``; None stands for any. ``lines`` are the first and
    the last line of the entry.
    """

    lines: tuple[int, int]
    patterns: tuple[Pattern, ...]
    rule: str
    ids: frozenset[str]
    reason: str
    signature: str | None = None
    ticket: str = ""
    expires: dt.date | None = None

    def matches(self, nodeid: str) -> bool:
        """Whether one of its patterns matches an item."""
        return any(pattern.matches(nodeid) for pattern in self.patterns)

    def has_failure(self, rule: str, signature: str) -> bool:
        """Whether it records findings of this rule with this signature."""
        return rule in self.ids and self.signature in (None, signature)

    def has_expired(self, today: dt.date) -> bool:
        """Whether its last day is over."""
        return self.expires is not None and self.expires < today

    @property
    def told(self) -> str:
        """Its reason, and its ticket if it has one."""
        return f"{self.reason} ({self.ticket})" if self.ticket else self.reason

    def __str__(self) -> str:
        return f"{self.rule} ({self.signature})" if self.signature else self.rule


# For each item that was judged, the rules and signatures of its failures.
Judged = Mapping[str, Sequence[tuple[str, str]]]
