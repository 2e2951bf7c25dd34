"""Search texts by the rules of a secret scanner: what looks like a credential of some issuer.

The patterns are run by RE2, as their authors run them: its time is in proportion to the text, whatever stands in it.
A rule is tried only where one of its keywords is in the text, and a match is a secret only if its characters are
spread as evenly as the rule demands (Shannon's entropy, in bits a character).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_PLACEHOLDER = "REDACTED-"
_MAX_MEMORY = 2**26


@dataclass(frozen=True, slots=True)
class SecretRule:
    """A rule. ``group``: which group of the pattern is the secret, 0 for the first that matched or the whole match.

    ``named``: the secret has no looks of its own, a name goes before it.
    """

    name: str
    regex: str
    keywords: tuple[str, ...]
    named: bool
    group: int
    entropy: float
    never: tuple[str, ...]

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> SecretRule:
        """The rule of an entry of ``rules`` in the files beside this module."""
        return cls(
            entry["name"],
            entry["regex"],
            tuple(entry["keywords"]),
            entry.get("named", False),
            entry.get("group", 0),
            entry.get("entropy", 0.0),
            tuple(entry.get("never", ())),
        )


class Scanner:
    """Searches by some rules."""

    def __init__(self, searched: Iterable[SecretRule]) -> None:
        self._rules = tuple(searched)
        self._keywords: Callable[[bytes], list[tuple[int, ...]]] | None = None
        self._named = frozenset(number for number, rule in enumerate(self._rules) if rule.named)

    def replace_secrets(self, text: str, make: Callable[[str, str], str], *, shapes_alone: bool = False) -> str:
        """The text with what ``make`` returns for a rule's name and a secret in the secret's place.

        ``shapes_alone`` leaves out the rules that need a name.
        """
        numbers = self._candidates(text)
        for number in sorted(numbers - self._named if shapes_alone else numbers):
            text = _replace_matches(self._rules[number], text, make)
        return text

    def _candidates(self, text: str) -> set[int]:
        """The rules of which a keyword is in the text, by their numbers."""
        if self._keywords is None:
            self._keywords = _keywords(self._rules)
        matches = self._keywords(text.encode("utf-8", "surrogatepass"))
        return {number for numbers in matches for number in numbers}

    def value(self, name: str, value: str, make: Callable[[str, str], str]) -> str:
        """The same for the value of a name, which are apart, as in JSON."""
        if not self._candidates(name) & self._named:
            return value
        before = f"{name}: "
        replacement = self.replace_secrets(before + value, make)
        return replacement.removeprefix(before) if replacement.startswith(before) else value


def _replace_matches(rule: SecretRule, text: str, make: Callable[[str, str], str]) -> str:
    # Half of a surrogate pair is no UTF-8; as these bytes it matches nothing.
    data = text.encode("utf-8", "surrogatepass")
    pieces, end = [], 0
    for match in _compile(rule.regex).finditer(data):
        group = rule.group or next((number for number in range(1, match.re.groups + 1) if match[number]), 0)
        start, stop = match.span(group)
        secret = data[start:stop].decode("utf-8", "surrogatepass")
        if start < end or not _is_secret(rule, secret):
            continue
        pieces += [data[end:start], make(rule.name, secret).encode("utf-8", "surrogatepass")]
        end = stop
    return b"".join([*pieces, data[end:]]).decode("utf-8", "surrogatepass") if pieces else text


def _is_secret(rule: SecretRule, secret: str) -> bool:
    if _PLACEHOLDER in secret or entropy(secret) <= rule.entropy:
        return False
    data = secret.encode("utf-8", "surrogatepass")
    config = _data("gitleaks.json")
    return not (
        any(word in secret.lower() for word in config["stopwords"])
        or any(_compile(pattern).search(data) for pattern in (*config["never"], *rule.never))
    )


def entropy(text: str) -> float:
    """Shannon's entropy, in bits a character."""
    if not text:
        return 0.0
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())


@cache
def _keywords(searched: tuple[SecretRule, ...]) -> Callable[[bytes], list[tuple[int, ...]]]:
    """A search for all keywords in one pass: it returns the numbers of the rules of each that is there."""
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = _MAX_MEMORY
    numbers: dict[str, tuple[int, ...]] = {}
    for number, rule in enumerate(searched):
        for word in rule.keywords:
            numbers[word] = (*numbers.get(word, ()), number)
    words = re2.Set.SearchSet(options)
    for word in numbers:
        words.Add(re2.escape(word))
    words.Compile()
    places = list(numbers.values())
    return lambda data: [places[number] for number in words.Match(data) or ()]


@cache
def rules() -> tuple[SecretRule, ...]:
    """All rules."""
    return tuple(SecretRule.of(entry) for entry in (*_data("gitleaks.json")["rules"], *_data("own.json")["rules"]))


@cache
def _data(name: str) -> dict[str, Any]:
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


@cache
def _compile(regex: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    return re2.compile(regex.encode(), options)
