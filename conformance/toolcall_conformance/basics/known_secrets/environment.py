"""Which variables of an environment hold secrets, by their names and by how their values look."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"(?:[A-Za-z]:|[~.]{0,2})[/\\]|[a-z]+://[^@]*$|file:")
_SPLIT = re.compile("[^A-Za-z0-9]+")


def secrets_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The values that are secrets, each with the name of its first variable."""
    names: dict[str, str] = {}
    for name, value in environment.items():
        if holds_secret(name, value):
            names.setdefault(value.strip(), name)
    return names


def holds_secret(name: str, value: str) -> bool:
    """Whether a variable of this name holds a secret in this value: no place of a file, no word of prose."""
    words = _names()
    upper_name, value = name.upper(), value.strip()
    password = any(part in upper_name for part in words["contains"])
    if not password and not upper_name.endswith(tuple(words["ends"])):
        return False
    if len(value) < words["shortest"] or _is_place(value):
        return False
    return password or not all(part.isalpha() or not part for part in _SPLIT.split(value)) or _is_mixed(value)


def _is_place(value: str) -> bool:
    """Whether it names a file or a page. A secret in base64 may begin with a slash: then there is no such file."""
    if _PLACE.match(value) is None:
        return False
    try:
        return "://" in value or Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _is_mixed(value: str) -> bool:
    """Letters alone, as no word has them: capitals behind small ones, again and again."""
    return len(re.findall("[a-z][A-Z]", value)) > len(value) / 8


@cache
def _names() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("names.json").read_text(encoding="utf-8")
    words: dict[str, Any] = json.loads(text)
    return words
