"""What is redacted in a recording: the built-in filters and those of the user's file.

The built-in ones are data: ``default_filters.json``, ``secret_names.json`` and the rules of a scanner. A user's file,
TOML or JSON, has any of these keys:

``headers``: names of further headers to keep; all others are dropped. ``keys``: names of members, form fields and query
parameters whose values are replaced. ``patterns``: regular expressions, each a text or ``{"name", "regex",
"replace"}``. ``environment``: variables whose values are secrets. ``off``: names of built-in headers, keys or patterns
to switch off.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.close_names import close_name_hint
from toolcall_conformance.recording.cassettes.scanner import SecretRule, rules

_KEYS = ("headers", "keys", "patterns", "environment", "off")


class FilterError(Exception):
    """A filter file that cannot be used; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A regular expression for secrets.

    The secret is what its first group matches, or the whole match if there is no group. ``replace`` takes its place, by
    default a placeholder. ``shape``: every match is a secret, also within the bytes of a file.
    """

    name: str
    regex: re.Pattern[str]
    replace: str | None = None
    shape: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """All filters of a recording. Names of keys are as ``normal`` writes them; those of headers are in lower case.

    ``keys`` are names of credentials, ``accounts`` those that tell who asked, ``user_keys`` those of the user's file;
    ``off`` are names that are none.
    """

    headers: frozenset[str]
    keys: frozenset[str]
    accounts: frozenset[str]
    user_keys: frozenset[str]
    query: frozenset[str]
    patterns: tuple[SecretPattern, ...]
    rules: tuple[SecretRule, ...]
    environment: tuple[str, ...] = field(default=())
    off: frozenset[str] = field(default=frozenset())

    @classmethod
    def default(cls) -> Filters:
        """The built-in filters."""
        return _filters({})

    @classmethod
    def load(cls, path: Path) -> Filters:
        """The built-in filters and those of a file. Raises FilterError."""
        return _filters(_content(path), f"{path}: ")


def normal(name: str) -> str:
    """The same name for ``apiKey``, ``API-KEY`` and ``api_key``."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _content(path: Path) -> dict[str, Any]:
    try:
        text = foreign_files.read_text(path)
    except OSError as error:
        raise FilterError(
            f"{path}: cannot be read ({error.strerror}); --filters takes a file in TOML or JSON"
        ) from None
    except UnicodeDecodeError:
        raise FilterError(f"{path}: is not UTF-8 text; --filters takes a file in TOML or JSON") from None
    try:
        content = foreign_files.parse_json(text) if text.lstrip().startswith("{") else foreign_files.parse_toml(text)
    except ValueError as error:
        raise FilterError(f"{path}: neither TOML nor JSON ({error}); fix the file") from None
    assert isinstance(content, dict)  # a text that begins with a brace, or TOML
    for key in content:
        if key not in _KEYS:
            raise FilterError(
                f"{path}: there is no setting {key!r}{close_name_hint(key, _KEYS)}; known are {', '.join(_KEYS)}"
            )
    for key in ("headers", "keys", "environment", "off"):
        entries = content.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, str) and entry for entry in entries):
            raise FilterError(f'{path}: `{key}` must be a list of names, as in {key} = ["name"]')
    return content


def _filters(content: dict[str, Any], where: str = "") -> Filters:
    default = _defaults()
    off = _off_names(content.get("off", []), default, where)
    off_names = frozenset(map(normal, off))
    user_patterns = content.get("patterns", [])
    if not isinstance(user_patterns, list):
        raise FilterError(f"{where}`patterns` must be a list of regular expressions")
    return Filters(
        headers=frozenset(name.lower() for name in [*default["headers"], *content.get("headers", [])]) - off,
        keys=frozenset(map(normal, [*default["keys"], *content.get("keys", [])])) - off_names,
        accounts=frozenset(map(normal, default["accounts"])) - off_names,
        user_keys=frozenset(map(normal, content.get("keys", []))) - off_names,
        query=frozenset(map(normal, default["query"])) - off_names,
        patterns=(
            # The user's go first: their replacements take precedence.
            *(_pattern(entry, number, where) for number, entry in enumerate(user_patterns, 1)),
            *(
                SecretPattern(entry["name"], re.compile(entry["regex"], re.DOTALL), None, entry["shape"])
                for entry in default["patterns"]
                if entry["name"] not in off
            ),
        ),
        rules=tuple(rule for rule in rules() if rule.name not in off),
        environment=tuple(content.get("environment", [])),
        off=off_names,
    )


def _off_names(names: list[str], default: dict[str, Any], where: str) -> frozenset[str]:
    builtin_names = [
        *(name for part in ("headers", "keys", "accounts", "query") for name in default[part]),
        *(pattern["name"] for pattern in default["patterns"]),
        *(rule.name for rule in rules()),
    ]
    for name in names:
        if name not in builtin_names:
            raise FilterError(
                f"{where}`off` has {name!r}, which is not a built-in filter{close_name_hint(name, builtin_names)}"
            )
    return frozenset(names)


def _pattern(entry: Any, number: int, where: str) -> SecretPattern:
    table = {"regex": entry} if isinstance(entry, str) else entry
    place = f"{where}pattern {number}"
    if (
        not isinstance(table, dict)
        or not isinstance(table.get("regex"), str)
        or table.keys() - {"name", "regex", "replace"}
    ):
        raise FilterError(f'{place}: is neither a text nor {{ name = "…", regex = "…", replace = "…" }}')
    name, replace = table.get("name", f"pattern-{number}"), table.get("replace")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9-]+", name):
        raise FilterError(f"{place}: `name` may hold letters, digits and hyphens: it becomes part of the placeholder")
    if replace is not None and (not isinstance(replace, str) or not re.fullmatch(r"[A-Za-z0-9._-]*", replace)):
        raise FilterError(
            f"{place}: `replace` may hold only letters, digits and ._-: it must be valid in JSON and in URLs"
        )
    try:
        regex = re.compile(table["regex"], re.DOTALL)
    except (re.error, OverflowError, RecursionError) as error:  # too often repeated, or too deep
        raise FilterError(f"{place}: {table['regex']!r} is not a regular expression ({error}); fix it") from None
    if regex.match(""):
        raise FilterError(f"{place}: {table['regex']!r} matches the empty text; make it narrower")
    return SecretPattern(name, regex, replace)


@cache
def _defaults() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("default_filters.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
