"""The secrets of an environment, by the names of its variables and by how their values look.

Those of this process are kept out of everything that it shows and writes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.known_secrets.search import KnownSecrets

_PATH_OR_URL = re.compile(r"(?:[A-Za-z]:|[~.]{0,2})[/\\]|[a-z]+://[^@]*$|file:")
_SEPARATORS = re.compile("[^A-Za-z0-9]+")


def find_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """The secret values in an environment, each with the name of its first variable."""
    names: dict[str, str] = {}
    for name, value in environment.items():
        if holds_secret(name, value):
            names.setdefault(value.strip(), name)
    return names


def holds_secret(name: str, value: str) -> bool:
    """Whether the value of a variable of this name is a secret, and not a path, a URL or a word of prose."""
    words = _name_words()
    upper_name, value = name.upper(), value.strip()
    password = any(part in upper_name for part in words["contains"])
    if not password and not upper_name.endswith(tuple(words["ends"])):
        return False
    if len(value) < words["shortest"] or _is_path_or_url(value):
        return False
    return password or not all(part.isalpha() or not part for part in _SEPARATORS.split(value)) or _is_mixed(value)


def _is_path_or_url(value: str) -> bool:
    """Whether a value names an existing file or a page; base64 may begin with a slash as paths do."""
    if _PATH_OR_URL.match(value) is None:
        return False
    try:
        return "://" in value or Path(value).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _is_mixed(value: str) -> bool:
    """Whether letters change from small to capital too often for a word."""
    return len(re.findall("[a-z][A-Z]", value)) > len(value) / 8


@cache
def _name_words() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("names.json").read_text(encoding="utf-8")
    words: dict[str, Any] = json.loads(text)
    return words


def redact_secrets(text: str) -> str:
    """The text with ``REDACTED-NAME`` in place of the value of each variable that holds a secret, in any spelling.

    The environment is read once. Without such a variable this costs nothing.
    """
    secrets, names = _environment_secrets()
    if not secrets:
        return text
    text = secrets.replace(text, lambda secret: f"REDACTED-{names[secret]}")
    return secrets.replace_base64(text, lambda secret: f"REDACTED-{names[secret]}")


def redact_bytes(data: bytes) -> bytes:
    """The bytes of a file, redacted as ``redact_secrets`` does it, whatever they are."""
    if not _environment_secrets()[0]:
        return data
    return redact_secrets(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def forget_environment() -> None:
    """Drop the cached environment, which has changed; it is read again the next time."""
    _environment_secrets.cache_clear()


@cache
def _environment_secrets() -> tuple[KnownSecrets, dict[str, str]]:
    names = find_secrets(os.environ)
    return KnownSecrets(names), names
