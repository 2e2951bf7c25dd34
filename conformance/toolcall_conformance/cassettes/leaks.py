"""The last check before a cassette is written: it must hold no known secret in any spelling that it can undo.

It shares no code with the search that redacts: it takes the texts apart, where that one puts all spellings together.
"""

from __future__ import annotations

import base64
import html
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from toolcall_conformance.cassettes.json_strings import is_json
from toolcall_conformance.cassettes.split_secrets import joined_texts

_ESCAPE = re.compile(r"\\{1,8}(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([^\w\s]))")
_SOFT_BREAK = re.compile(r"=\r?\n")
_QUOTED = re.compile("=([0-9A-Fa-f]{2})")
_BREAK = re.compile(r"(?:\\{1,8}r)?(?:\\{1,8}n|\n)[ \t]*|\r\n[ \t]*")
_APART = re.compile(r"0x|\\x|[\s:.,_-]")
_PACKED = re.compile(r"H4sI[A-Za-z0-9+/_-]{20,}")
_MOST_UNPACKED = 2**24
_CUT = 0.75


def leaked(cassette: Any, secrets: Iterable[str]) -> bool:
    """Whether a cassette, as JSON, still holds one of the secrets, or its first three quarters.

    It searches all texts and names, as they are and with escapes undone, without ends of lines, unpacked, and joined
    as clients assemble them from streams. It searches for the secret itself, in base64 at any place of a longer text,
    and in hexadecimal digits.
    """
    secrets = tuple(secrets)
    wanted = {form for secret in secrets for form in forms(secret)}
    digits = [_hex(secret) for secret in secrets]
    for text in _texts(cassette):
        apart = _APART.sub("", text.lower())
        if any(form in apart for form in digits):
            return True
        if any(form in reading for reading in _readings(text) for form in wanted):
            return True
    return False


def forms(secret: str) -> set[str]:
    """The spellings of a secret that cannot be undone without knowing its place, in lower case."""
    cut = _cut(secret)
    coded = _coded(cut.encode("utf-8", "surrogatepass"))
    coded |= {twice for once in coded for twice in _coded(once.encode())}
    both = {form for text in coded for form in (text, text.replace("+", "-").replace("/", "_"))}
    return {form.lower() for form in (cut, _BREAK.sub("", cut), *both)}


def _cut(secret: str) -> str:
    return secret[: max(8, math.ceil(len(secret) * _CUT))]


def _hex(secret: str) -> str:
    return _cut(secret).encode("utf-8", "surrogatepass").hex()


def _coded(data: bytes) -> set[str]:
    """Base64, by how many bytes go before: the characters alone that depend on no others, for those are unknown."""
    found = set()
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        found.add(text[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return found


def _readings(text: str) -> tuple[str, ...]:
    """A text in lower case, in all steps of undoing its escapes, and without the ends of its lines."""
    found = []
    # Whatever stands for itself in one spelling stands for something else in another: each step is a reading.
    for _ in range(4):
        found += [text, _BREAK.sub("", text), _BREAK.sub("", _SOFT_BREAK.sub("", text))]
        meant = html.unescape(unquote(_ESCAPE.sub(_meant, text)))
        if meant == text:
            break
        text = meant
    found.append(_QUOTED.sub(lambda one: chr(int(one[1], 16)), _SOFT_BREAK.sub("", found[0])))
    return tuple(dict.fromkeys(one.lower() for one in found))


def _meant(found: re.Match[str]) -> str:
    if found[4]:
        return found[4]
    return chr(int(found[1] or found[2], 16)) if found[3] is None else chr(int(found[3], 8))


def _texts(value: Any) -> Iterator[str]:
    """All texts and names, also those in JSON within a text, in a stream's events, and in packed data."""
    if isinstance(value, bytes):
        yield from _unpacked(value)
        value = value.decode("latin-1")
    if isinstance(value, str):
        yield value
        for found in _PACKED.finditer(value):
            coded = found[0].replace("-", "+").replace("_", "/")
            yield from _unpacked(base64.b64decode(coded[: len(coded) // 4 * 4]))
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


def _unpacked(data: bytes) -> Iterator[str]:
    try:
        yield zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, _MOST_UNPACKED).decode("utf-8", "replace")
    except zlib.error:
        return
