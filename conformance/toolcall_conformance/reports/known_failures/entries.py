"""An entry of known failures, the patterns by which it names items, and the items that patterns match."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

_PREFIX = "toolcall::"
_WILDCARD = re.compile("[*?]")
_COUNT_PREFIX = re.compile(r"(\d+) × ")
# A person's pattern has few; a file with more is an attack.
_MAX_PARTS = 100_000
_MAX_BRACES = 5_000
_MAX_DEPTH = 8


def plain_id(nodeid: str) -> str:
    """Return the id of an item without ``toolcall::``."""
    return nodeid.removeprefix(_PREFIX)


class KnownFailuresError(Exception):
    """A file of known failures that cannot be read or written; the message says where, and what to do."""


def _expression(pattern: str) -> str:
    """Return the regular expression of a pattern. A text between two ``*`` is tried at its first place only.

    So a pattern with many ``*`` takes no longer; only the last part needs other places.
    """
    first, *others = (
        "".join("." if sign == "?" else re.escape(sign) for sign in part) for part in re.split(r"\*+", pattern)
    )
    return "".join([first, *(f"(?>.*?{part})" for part in others[:-1]), *(f".*{part}" for part in others[-1:])])


def expand_braces(text: str, depth: int = 0) -> list[str]:
    """Expand braces: ``a{b,c}`` to ``ab`` and ``ac``. Raises ValueError."""
    if depth > _MAX_DEPTH or text.count("{") > _MAX_BRACES:
        raise ValueError(f"{text!r:.200} has too many braces; write several patterns")
    texts = [""]
    rest = text
    while rest:
        before, brace, rest = rest.partition("{")
        texts = [f"{start}{before}" for start in texts]
        if brace:
            inner, rest = _split_braces(rest, text)
            others = [other for each in inner for other in expand_braces(each, depth + 1)]
            if len(texts) * len(others) > _MAX_PARTS:
                raise ValueError(f"{text!r:.200} stands for more than {_MAX_PARTS:,} items; write several patterns")
            texts = [f"{start}{other}" for start in texts for other in others]
    return texts


def _split_braces(text: str, pattern_text: str) -> tuple[list[str], str]:
    """Return the alternatives up to the closing brace, and the text after it. Raises ValueError."""
    depth, start = 0, 0
    nodeids: list[str] = []
    for place, sign in enumerate(text):
        if sign in ",}" and depth == 0:
            nodeids.append(text[start:place])
            start = place + 1
            if sign == "}":
                return nodeids, text[start:]
        depth += {"{": 1, "}": -1}.get(sign, 0)
    raise ValueError(f"a brace of {pattern_text!r:.200} is not closed; write {{a,b}}")


@dataclass(frozen=True)
class ItemPattern:
    """A pattern for the ids of items, and the number of its line.

    ``*`` matches any text, ``?`` one character, ``{a,b}`` either text. A family, a case, or a case and a check match
    all their items, as on the command line. ``toolcall::`` at the beginning may be left out. A prefix ``12 × `` is the
    number of matching items: all of them fail.
    """

    text: str
    line: int

    @cached_property
    def count(self) -> int | None:
        """The number of items in its prefix, or None."""
        match = _COUNT_PREFIX.match(self.text)
        return int(match[1]) if match else None

    @cached_property
    def plain_text(self) -> str:
        """The text without number and ``toolcall::``."""
        return plain_id(_COUNT_PREFIX.sub("", self.text, count=1) if self.count is not None else self.text)

    @cached_property
    def parts(self) -> tuple[ItemPattern, ...]:
        """The patterns without braces that it expands to. Raises ValueError."""
        return (
            tuple(ItemPattern(each, self.line) for each in expand_braces(self.plain_text))
            if "{" in self.plain_text
            else (self,)
        )

    @property
    def is_exact(self) -> bool:
        """Whether each of its items has to fail: it names them one by one, or says how many they are."""
        return self.count is not None or all(part.is_one_item for part in self.parts)

    @property
    def family(self) -> str:
        """The text in the place of the family."""
        return self.plain_text.partition("/")[0].partition("::")[0]

    @cached_property
    def is_one_item(self) -> bool:
        """Whether it is the whole id of an item."""
        return not any(sign in self.plain_text for sign in "*?{") and self.plain_text.count("::") == 2

    @cached_property
    def is_wide(self) -> bool:
        """Whether it may match items of several families."""
        return any(sign in part.family for part in self.parts for sign in "*?")

    @cached_property
    def literal_prefix(self) -> str:
        """The text before the first ``*`` or ``?``, with which all matching items begin."""
        return _WILDCARD.split(self.plain_text, maxsplit=1)[0]

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        below = "" if self.plain_text.count("::") >= 2 else "(?:::.*)?" if "/" in self.plain_text else "(?:/.*)?"
        return re.compile(_expression(self.plain_text) + below, re.DOTALL)

    def matches(self, nodeid: str) -> bool:
        """Whether it matches an item."""
        plain = plain_id(nodeid)
        if len(self.parts) > 1:
            return any(part.matches(plain) for part in self.parts)
        if self.is_one_item:
            return plain == self.plain_text
        (pattern,) = self.parts
        return pattern._expression.fullmatch(plain) is not None  # noqa: SLF001 - its own


@dataclass(frozen=True)
class KnownEntry:
    """Findings of one rule in items that match one of ``patterns``; ``ids`` are the rule's current ids.

    ``signature`` is the text of a ``Cause`` after the rule; None matches any. ``lines`` are the first and the last line
    of the entry.
    """

    lines: tuple[int, int]
    patterns: tuple[ItemPattern, ...]
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
        """Whether its last day is before ``today``."""
        return self.expires is not None and self.expires < today

    @property
    def reason_text(self) -> str:
        """Its reason, with its ticket if it has one."""
        return f"{self.reason} ({self.ticket})" if self.ticket else self.reason

    def __str__(self) -> str:
        return f"{self.rule} ({self.signature})" if self.signature else self.rule


# By judged item, the rules and signatures of its failures.
FailuresByItem = Mapping[str, Sequence[tuple[str, str]]]


class ItemIndex:
    """The items of a run, to find those that a pattern matches: only ids with its literal prefix are compared."""

    def __init__(self, nodeids: Iterable[str]) -> None:
        self._ids = frozenset(map(plain_id, nodeids))
        self._sorted = sorted(self._ids)

    @property
    def ids(self) -> frozenset[str]:
        """All ids, without ``toolcall::``."""
        return self._ids

    def matching(self, pattern: ItemPattern) -> list[str]:
        """Return the items that a pattern matches, sorted."""
        if len(pattern.parts) > 1:
            return sorted({nodeid for part in pattern.parts for nodeid in self.matching(part)})
        if pattern.is_one_item:
            return [pattern.plain_text] if pattern.plain_text in self._ids else []
        first = bisect_left(self._sorted, pattern.literal_prefix)
        nodeids = map(self._sorted.__getitem__, range(first, len(self._sorted)))
        near = takewhile(lambda nodeid: nodeid.startswith(pattern.literal_prefix), nodeids)
        return [nodeid for nodeid in near if pattern.matches(nodeid)]
