"""The last check before a cassette is written: it must hold no known secret in any spelling."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, unquote

from toolcall_conformance.cassettes.redaction import is_json
from toolcall_conformance.cassettes.split_secrets import joined_texts


def leaked(cassette: Any, secrets: Iterable[str]) -> bool:
    """Whether a cassette, as JSON, still holds one of the secrets.

    It searches all texts and names, also with escapes and percent encoding decoded, and the texts that clients assemble
    from streams. It searches for the secret itself, in base64 at any place of a longer text, in hex and in HTML.
    """
    texts = [text.lower() for text in _readings(cassette)]
    return any(form.lower() in text for secret in secrets for form in forms(secret) for text in texts)


def forms(secret: str) -> set[str]:
    """The spellings of a secret that cannot be decoded without knowing its place."""
    data = secret.encode()
    coded = set()
    for shift in range(3):
        # Only the base64 characters that depend on the secret alone: its surroundings are unknown.
        text = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        first = -(-shift * 8 // 6)
        last = (shift + len(data)) * 8 // 6
        coded.add(text[first:last])
    return {secret, html.escape(secret), data.hex(), quote(secret, safe=""), json.dumps(secret)[1:-1]} | {
        form for text in coded for form in (text, text.replace("+", "-").replace("/", "_"))
    }


def _readings(cassette: Any) -> Iterator[str]:
    for text in _texts(cassette):
        flat = re.sub(r"[\r\n]", "", text)
        meant = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
        yield from {text, flat, meant, unquote(text), unquote(meant)}


def _texts(value: Any) -> Iterator[str]:
    """All texts and names, also those in JSON within a text and in a stream's events."""
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        yield value
        if is_json(value):
            yield from _texts(json.loads(value, strict=False))
        elif "data:" in value:
            for text in (*re.findall(r"(?m)^data: ?(.*)$", value), *joined_texts(value)):
                yield from _texts(text)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(str(key))
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)
