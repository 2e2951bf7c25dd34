"""What is taken out of a recording: the filters that always run, and those of the user's own file.

The built-in ones are data, ``default_filters.json``. A file of the user's, TOML or JSON, has any of these keys:

``headers``: names of headers that are kept, too; all others are left out. ``keys``: names of members, form fields and
query parameters whose values are replaced. ``patterns``: regular expressions, each a text or ``{"name", "regex",
"replace"}``. ``environment``: variables whose values are secrets. ``off``: names of built-in headers, keys or patterns
that are not wanted.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

_KNOWN = ("headers", "keys", "patterns", "environment", "off")


class FilterError(Exception):
    """A file of filters that cannot be used; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression for secrets.

    What its first group matches is the secret, or all of it if there is no group. ``replace`` stands in its place, by
    default a placeholder. ``shape``: whatever looks so is a secret, also amid the bytes of a file.
    """

    name: str
    regex: re.Pattern[str]
    replace: str | None = None
    shape: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """All filters of a recording. Names of keys are as ``normal`` has them, those of headers in lower case."""

    headers: frozenset[str]
    keys: frozenset[str]
    query: frozenset[str]
    patterns: tuple[Pattern, ...]
    environment: tuple[str, ...] = field(default=())

    @classmethod
    def default(cls) -> Filters:
        """The built-in filters."""
        return _made({})

    @classmethod
    def load(cls, path: Path) -> Filters:
        """The built-in filters with what a file says. Raises FilterError."""
        return _made(_content(path), f"{path}: ")


def normal(name: str) -> str:
    """One spelling for ``apiKey``, ``API-KEY`` and ``api_key``."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _content(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FilterError(
            f"{path}: cannot be read ({error.strerror}); --filters takes a file in TOML or JSON"
        ) from None
    except UnicodeDecodeError:
        raise FilterError(f"{path}: is no text in UTF-8; --filters takes a file in TOML or JSON") from None
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FilterError(f"{path}: neither TOML nor JSON ({error}); mend the file") from None
    assert isinstance(found, dict)  # a text that begins with a brace, or TOML
    for key in found:
        if key not in _KNOWN:
            raise FilterError(f"{path}: there is no setting {key!r}{_near(key, _KNOWN)}; known are {', '.join(_KNOWN)}")
    for key in ("headers", "keys", "environment", "off"):
        entries = found.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(entry, str) and entry for entry in entries):
            raise FilterError(f'{path}: `{key}` must be a list of names, as in {key} = ["name"]')
    return found


def _made(said: dict[str, Any], where: str = "") -> Filters:
    default = _defaults()
    off = _switched_off(said.get("off", []), default, where)
    keys = [*default["keys"], *said.get("keys", [])]
    own = said.get("patterns", [])
    if not isinstance(own, list):
        raise FilterError(f"{where}`patterns` must be a list of regular expressions")
    return Filters(
        headers=frozenset(name.lower() for name in [*default["headers"], *said.get("headers", [])]) - off,
        keys=frozenset(map(normal, keys)) - {normal(name) for name in off},
        query=frozenset(map(normal, default["query"])) - {normal(name) for name in off},
        patterns=(
            # Theirs go first: they may say better what should stand in the place of something.
            *(_pattern(entry, number, where) for number, entry in enumerate(own, 1)),
            *(
                Pattern(entry["name"], re.compile(entry["regex"], re.DOTALL), None, entry["shape"])
                for entry in default["patterns"]
                if entry["name"] not in off
            ),
        ),
        environment=tuple(said.get("environment", [])),
    )


def _switched_off(names: list[str], default: dict[str, Any], where: str) -> frozenset[str]:
    known = [*default["headers"], *default["keys"], *default["query"], *(one["name"] for one in default["patterns"])]
    for name in names:
        if name not in known:
            raise FilterError(f"{where}`off` has {name!r}, which is no built-in filter{_near(name, known)}")
    return frozenset(names)


def _pattern(entry: Any, number: int, where: str) -> Pattern:
    said = {"regex": entry} if isinstance(entry, str) else entry
    place = f"{where}pattern {number}"
    if (
        not isinstance(said, dict)
        or not isinstance(said.get("regex"), str)
        or said.keys() - {"name", "regex", "replace"}
    ):
        raise FilterError(f'{place}: is neither a text nor {{ name = "…", regex = "…", replace = "…" }}')
    name, replace = said.get("name", f"pattern-{number}"), said.get("replace")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9-]+", name):
        raise FilterError(f"{place}: `name` may hold letters, digits and hyphens: it becomes part of the placeholder")
    if replace is not None and (not isinstance(replace, str) or not re.fullmatch(r"[A-Za-z0-9._-]*", replace)):
        raise FilterError(
            f"{place}: `replace` may hold letters, digits and ._- alone: it must stand in JSON and in URLs"
        )
    try:
        regex = re.compile(said["regex"], re.DOTALL)
    except re.error as error:
        raise FilterError(f"{place}: {said['regex']!r} is no regular expression ({error}); mend it") from None
    if regex.match(""):
        raise FilterError(f"{place}: {said['regex']!r} matches the empty text, and so everywhere; make it narrower")
    return Pattern(name, regex, replace)


def _near(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


@cache
def _defaults() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("default_filters.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
