"""Rewrite texts within texts: undo percent encoding, base64, hex digits, gzip or escapes, rewrite, and redo it."""

from __future__ import annotations

import base64
import binascii
import gzip
import re
import zlib
from collections.abc import Callable
from urllib.parse import quote, unquote

_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}|[A-Za-z0-9_.~+-]){3,}")
_BASE64 = re.compile(r"(?!REDACTED-)[A-Za-z0-9+/_-]{11,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}")
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[^\\\s\"'])+")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))")
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ :-]?[0-9A-Fa-f]{2}){11,}(?![0-9A-Za-z])")
_GZIP = b"\x1f\x8b\x08"
_MAX_UNPACKED = 2**24

Rewrite = Callable[[str], str]


def rewrite_percent(text: str, rewrite: Rewrite) -> str:
    """Rewrite what is percent-encoded in ``text``; what ``rewrite`` leaves stays byte for byte."""

    def one(match: re.Match[str]) -> str:
        run = match[0]
        plain = unquote(run)
        rewritten_text = rewrite(plain)
        return run if rewritten_text == plain else quote(rewritten_text, safe="")

    return _PERCENT.sub(one, text) if "%" in text else text


def rewrite_escapes(text: str, rewrite: Rewrite) -> str:
    r"""The same for ``\u0073`` and ``\x73``."""

    def one(match: re.Match[str]) -> str:
        if "\\" not in match[0]:
            return match[0]
        plain = _ESCAPE.sub(lambda escape: chr(int(escape[1] or escape[2], 16)), match[0])
        rewritten_text = rewrite(plain)
        return match[0] if rewritten_text == plain else rewritten_text

    return _ESCAPES.sub(one, text) if "\\u" in text or "\\x" in text else text


def rewrite_hex(text: str, rewrite: Rewrite) -> str:
    """The same for a text's bytes in hexadecimal digits, also with a sign between them."""

    def one(match: re.Match[str]) -> str:
        data = bytes.fromhex(re.sub("[^0-9A-Fa-f]", "", match[0]))
        if not data.isascii():  # a digest
            return match[0]
        plain = data.decode()
        rewritten_text = rewrite(plain)
        return match[0] if rewritten_text == plain else rewritten_text.encode("utf-8", "replace").hex()

    return _HEX.sub(one, text)


def rewrite_base64(text: str, rewrite: Rewrite, rewrite_bytes: Rewrite) -> str:
    """The same for base64 in either alphabet, with or without padding, line breaks and characters directly before it.

    ``rewrite`` takes texts; ``rewrite_bytes`` takes other data, each byte as the character with its number.
    """

    def one(match: re.Match[str]) -> str:
        run = match[0]
        plain = re.sub(r"[\r\n=]", "", run)
        for start in range(4):  # characters before it shift the groups of four
            rewritten = _rewrite_run(plain[start:], rewrite, rewrite_bytes)
            if rewritten is not None:
                return plain[:start] + rewritten
        return run

    return _BASE64.sub(one, text)


def _rewrite_run(run: str, rewrite: Rewrite, rewrite_bytes: Rewrite) -> str | None:
    """Decode ``run``, rewrite it and encode it again; None if it does not change."""
    run = run[: len(run) - 1] if len(run) % 4 == 1 else run
    standard = run.translate(_TO_STANDARD)
    try:
        data = base64.b64decode(standard + "=" * (-len(standard) % 4))
    except binascii.Error:
        return None
    rewritten_data = rewrite_data(data, rewrite, rewrite_bytes)
    if rewritten_data == data:
        return None
    coded = base64.b64encode(rewritten_data).decode()
    return coded.translate(_TO_URL) if re.search("[-_]", run) else coded


def rewrite_data(data: bytes, rewrite: Rewrite, rewrite_bytes: Rewrite) -> bytes:
    """The same for the bytes of a text, for those of gzip with a text in it, and for any others."""
    if data.startswith(_GZIP):
        inner = _unpack(data)
        rewritten_data = rewrite_data(inner, rewrite, rewrite_bytes) if inner and not inner.startswith(_GZIP) else inner
        return data if rewritten_data == inner else gzip.compress(rewritten_data, mtime=0)
    try:
        text, how, codec = data.decode("utf-8"), rewrite, "utf-8"
    except UnicodeDecodeError:
        text, how, codec = data.decode("latin-1"), rewrite_bytes, "latin-1"
    said_text = how(text)
    return data if said_text == text else said_text.encode(codec, "replace")


def _unpack(data: bytes) -> bytes:
    """What gzip holds, up to a limit; of a damaged one what comes before the damage."""
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        return unpacking.decompress(data, _MAX_UNPACKED)
    except zlib.error:
        return b""


_TO_STANDARD = str.maketrans("-_", "+/")
_TO_URL = str.maketrans("+/", "-_")
