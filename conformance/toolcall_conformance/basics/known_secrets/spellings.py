r"""The spellings of a known secret as one regular expression: every character may be written in several ways.

A character stands for itself, in either case, or for what JSON, shells, HTML, URLs and mail write instead of it:
``\/``, ``\u0073`` and ``\x73`` behind up to eight backslashes, ``\163``, ``&#115;``, ``&amp;``, ``%73``, ``%u0073``,
``=73``. Lines may be broken between characters, with indentation. Its bytes may be hexadecimal digits, which may stand
apart, or a list of numbers. A secret that is cut off is found if its first or last three quarters are there, or eight
characters before the mark of a cut.
"""

from __future__ import annotations

import html.entities
import math
import re

_SHORTEST = 8
_KEPT = 0.75
_MOST_STEPS = 48
"""So many places, at most, where a secret may be cut off: more would be too deep for the expression's compiler."""
_BREAK = r"(?:=?(?:\r?\n|\r|(?:\\{1,8}+r)?\\{1,8}+n)[ \t]{0,64})?"
"""A line's end within a secret, soft as in quoted-printable or escaped as in JSON, and the next line's indentation."""
_APART = r"(?:[ \t:._-]|\r?\n[ \t]{0,64}|,? ?(?:0|\\{1,8})x)?"
_LISTED = r"(?:[ \t\r\n]|\\{1,8}[nr]){0,8}[,; ](?:[ \t\r\n]|\\{1,8}[nr]){0,64}"
"""What stands between the bytes of a list of numbers."""
_AMP = r"(?:&|\\{1,8}u0026)(?:amp;){0,4}"
_MARK = r"(?=[ \t]?(?:…|\.\.\.|\\{1,8}u2026|&hellip;))"
"""What stands where a text was cut."""


def pattern(secret: str) -> str:
    """All spellings of a secret but those in base64, without groups that capture. For ``re.IGNORECASE``."""
    plain = [_character(letter) for letter in secret]
    data = secret.encode("utf-8", "surrogatepass")
    coded = [f"{byte:02x}" for byte in data]
    ways = [_cut(plain, _BREAK), _cut(coded, _APART), f"{_cut(plain, '', _SHORTEST)}{_MARK}"]
    if secret.isalpha() or not secret[-_needed(plain) :].isalpha():  # the end of `2password` is a word, and no secret
        ways += [_tail(plain, _BREAK), _tail(coded, _APART)]
    ways += [f"(?<![0-9.]){_cut([str(byte) for byte in data], _LISTED)}"]
    return f"(?:{'|'.join(ways)})"


def _character(letter: str) -> str:
    number = ord(letter)
    ways = [re.escape(letter)]
    if number < 0x10000:
        ways += [rf"\\{{1,8}}+u{number:04x}", f"%u{number:04x}"]
    if number < 0x100:
        ways += [
            rf"\\{{1,8}}+x{number:02x}",
            rf"\\{{1,8}}+0?{number:03o}",
            f"%(?:25){{0,4}}{number:02x}",
            f"={number:02x}",
        ]
    ways += [f"{_AMP}#0{{0,4}}{number};?", f"{_AMP}#x0{{0,4}}{number:x};?"]
    ways += [f"{_AMP}{name}" for name in _NAMES.get(letter, ())]
    if not letter.isalnum():
        ways.append(rf"\\{{1,8}}{re.escape(letter)}")
    return f"(?:{'|'.join(ways)})"


def _needed(parts: list[str]) -> int:
    """So many are as bad as all."""
    return max(min(_SHORTEST, len(parts)), math.ceil(len(parts) * _KEPT))


def _tail(parts: list[str], between: str) -> str:
    """The last three quarters."""
    return between.join(parts[-_needed(parts) :])


def _cut(parts: list[str], between: str, needed: int | None = None) -> str:
    """The parts in a row; behind the first ``needed``, by default three quarters, any may be where it ends."""
    if needed is None:
        needed = _needed(parts)
    head, tail = parts[:needed], parts[needed:]
    step = max(1, math.ceil(len(tail) / _MOST_STEPS))
    end = ""
    for start in reversed(range(0, len(tail), step)):
        end = f"(?:{between}{between.join(tail[start : start + step])}{end})?"
    return between.join(head) + end


def _entities() -> dict[str, list[str]]:
    entities: dict[str, list[str]] = {}
    for name, text in html.entities.html5.items():
        if len(text) == 1 and ord(text) < 0x80 and name.endswith(";"):
            entities.setdefault(text, []).append(re.escape(name))
    return entities


_NAMES = _entities()
