"""The last check before a cassette is written: it must hold no known secret in any notation that can be undone.

It shares no code with the search that redacts: it takes the texts apart, where that one puts all spellings together.
It knows nothing of frames either: see ``scattered``.
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

from toolcall_conformance.recording.cassettes.redaction.scattered import is_scattered, is_spread, joined_values

_ESCAPE = re.compile(r"\\{1,8}(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([^\w\s]))|%u([0-9a-fA-F]{4})")
_SOFT_BREAK = re.compile(r"=\r?\n")
_QUOTED = re.compile("=([0-9A-Fa-f]{2})")
_BREAK = re.compile(r"(?:\\{1,8}r)?(?:\\{1,8}n|\n)[ \t]*|\r\n?[ \t]*")
_UNSEEN = re.compile("[\\0\u00ad\u200b-\u200d\u2060\ufeff]|\x1b\\[[0-9;]*[a-zA-Z]|</?[a-zA-Z][^<>]{0,64}>|[*]+|~~|`+")
_JOINED = re.compile(r"""["'`]\s*[+.&|]{0,2}\s*["'`]""")
_APART = re.compile(r"0x|\\x|[\s:.,_-]")
_NUMBERS = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:[,;\s]{1,8}[0-9]{1,3}){7,}(?![0-9.])")
_PACKED = re.compile(r"H4sI[A-Za-z0-9+/_-]{20,}")
_MAX_UNPACKED = 2**24
_CUT = 0.75
_LEAST = 8


def has_leak(cassette: Any, secrets: Iterable[str]) -> bool:
    """Whether a cassette, as JSON, still holds one of the secrets, or its first or last three quarters.

    It searches all texts and names, as they are and with escapes undone, without ends of lines, unpacked, and scattered
    over a stream. It searches for the secret itself, in base64 at any place of a longer text, in hexadecimal digits,
    and as a list of bytes.
    """
    secrets = tuple(secrets)
    secret_forms = {form for secret in secrets for form in notations(secret)}
    digits = {form for secret in secrets for form in _digits(secret)}
    bodies = tuple(_bodies(cassette))
    for text in _texts([cassette, *(row for body in bodies for row in joined_values(body))]):
        apart = _APART.sub("", text.lower())
        if any(form in apart for form in digits):
            return True
        readings = _readings(text)
        if any(form in reading for reading in readings for form in secret_forms):
            return True
        if any(is_scattered(secret, reading) for reading in readings for secret in secrets):
            return True
    return any(is_spread(secret, text) for text in bodies for secret in secrets)


def notations(secret: str) -> set[str]:
    """The notations of a secret that cannot be undone without its place, in lower case."""
    spellings: set[str] = set()
    for part in _parts(secret):
        spellings |= {part, _BREAK.sub("", part), *_in_base64(part)}
    return {form.lower() for form in spellings}


def _parts(secret: str) -> tuple[str, ...]:
    """What is as bad as the whole: most of it, from either end."""
    length = max(_LEAST, math.ceil(len(secret) * _CUT))
    head, tail = secret[:length], secret[-length:]
    # The end of `2password` is a word, and no secret.
    return (head,) if head == tail or (tail.isalpha() and not secret.isalpha()) else (head, tail)


def _digits(secret: str) -> set[str]:
    """A secret, and its base64, in hexadecimal digits."""
    parts = _parts(secret)
    texts = {text for part in parts for text in (part, *_base64_core(part.encode("utf-8", "surrogatepass")))}
    return {text.encode("utf-8", "surrogatepass").hex() for text in texts}


def _in_base64(part: str) -> set[str]:
    coded: set[str] = set()
    for codec in ("utf-8", "utf-16-le", "utf-16-be"):
        coded |= _base64_core(part.encode(codec, "surrogatepass"))
    coded |= {twice for once in coded for twice in _base64_core(once.encode())}
    return {form for text in coded for form in (text, text.replace("+", "-").replace("/", "_"))}


def _base64_core(data: bytes) -> set[str]:
    """Base64, by how many bytes go before: the characters alone that depend on no others, for those are unknown."""
    codes = set()
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode().rstrip("=")
        codes.add(text[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6])
    return codes


def _readings(text: str) -> tuple[str, ...]:
    """A text in lower case, in all steps of undoing its escapes, and without the ends of its lines."""
    versions = []
    # A text that is literal in one notation is an escape in another: each step is a reading.
    for _ in range(4):
        versions += [text, _BREAK.sub("", text), _BREAK.sub("", _SOFT_BREAK.sub("", text))]
        versions += [_UNSEEN.sub("", text), _JOINED.sub("", _BREAK.sub("", text))]
        plain = html.unescape(unquote(_ESCAPE.sub(_unescape, text)))
        if plain == text:
            break
        text = plain
    versions.append(_QUOTED.sub(lambda match: chr(int(match[1], 16)), _SOFT_BREAK.sub("", versions[0])))
    versions += map(_text_of_numbers, _NUMBERS.findall(versions[0]))
    return tuple(dict.fromkeys(version.lower() for version in versions))


def _unescape(match: re.Match[str]) -> str:
    if match[4]:
        return match[4]
    if match[3] is not None:
        return chr(int(match[3], 8))
    return chr(int(match[1] or match[2] or match[5], 16))


def _text_of_numbers(text: str) -> str:
    """A list of bytes as the text that they are."""
    return bytes(int(number) & 0xFF for number in re.findall("[0-9]+", text)).decode("utf-8", "replace")


def _texts(value: Any) -> Iterator[str]:
    """All texts, names and numbers, also those in JSON within a text, and in packed data."""
    if isinstance(value, bytes):
        yield from _unpack(value)
        value = value.decode("latin-1")
    if isinstance(value, str):
        yield value
        for match in _PACKED.finditer(value):
            coded = match[0].replace("-", "+").replace("_", "/")
            yield from _unpack(base64.b64decode(coded[: len(coded) // 4 * 4]))
        yield from _texts(_json(value))
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _texts(str(key))
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _json(text: str) -> Any:
    """The object or list that a text is, or nothing."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _bodies(value: Any) -> Iterator[str]:
    """The texts of a cassette, unchanged."""
    if isinstance(value, bytes):
        yield from _unpack(value)
        yield value.decode("utf-8", "replace")
    elif isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _bodies(entry)


def _unpack(data: bytes) -> Iterator[str]:
    try:
        yield zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data, _MAX_UNPACKED).decode("utf-8", "replace")
    except zlib.error:
        return
