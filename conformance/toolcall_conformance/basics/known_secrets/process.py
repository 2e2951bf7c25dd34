"""The secrets of this process: what the variables of its environment hold, kept out of all that it shows and writes."""

from __future__ import annotations

import os
from functools import cache

from toolcall_conformance.basics.known_secrets.environment import secrets_of
from toolcall_conformance.basics.known_secrets.search import KnownSecrets


def without_secrets(text: str) -> str:
    """A text with ``REDACTED-NAME`` in place of the value of each variable that holds a secret, in any spelling.

    The environment is read once. Without such a variable this costs nothing.
    """
    secrets, names = _known()
    if not secrets:
        return text
    text = secrets.replaced(text, lambda secret: f"REDACTED-{names[secret]}")
    return secrets.replaced_in_base64(text, lambda secret: f"REDACTED-{names[secret]}")


def bytes_without_secrets(data: bytes) -> bytes:
    """The same for a file's bytes, whatever they are."""
    if not _known()[0]:
        return data
    return without_secrets(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def forget() -> None:
    """Read the environment anew the next time: it has changed."""
    _known.cache_clear()


@cache
def _known() -> tuple[KnownSecrets, dict[str, str]]:
    names = secrets_of(os.environ)
    return KnownSecrets(names), names
