r"""The spellings of a known secret as one regular expression: every character may be written in several ways.

A character stands for itself, in either case, or for what JSON, shells, HTML, URLs and mail write instead of it:
``\/``, ``\u0073`` and ``\x73`` behind up to eight backslashes, ``\163``, ``&#115;``, ``&amp;``, ``%73``, ``%u0073``,
``=73``. Lines may be broken between characters, with indentation. Its bytes may be hexadecimal digits, which may stand
apart, or a list of numbers. A secret that is cut off is found if its first or last three quarters are there, or eight
characters before the mark of a cut. ``strip_marks`` takes out what a reader does not see or what joins its parts:
colours, emphasis, tags, joined strings.
"""

from __future__ import annotations

import html.entities
import math
import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

_MIN_PARTS = 8
_NEEDED_SHARE = 0.75
_MAX_STEPS = 48
"""The most places where a secret may be cut off: more would be too deep for the expression's compiler."""
_LINE_BREAK = r"(?:=?(?:\r?\n|\r|(?:\\{1,8}+r)?\\{1,8}+n)[ \t]{0,64})?"
"""A line's end within a secret, soft as in quoted-printable or escaped as in JSON, and the next line's indentation."""
_HEX_SEPARATOR = r"(?:[ \t:._-]|\r?\n[ \t]{0,64}|,? ?(?:0|\\{1,8})x)?"
_LIST_SEPARATOR = r"(?:[ \t\r\n]|\\{1,8}[nr]){0,8}[,; ](?:[ \t\r\n]|\\{1,8}[nr]){0,64}"
"""The separator between the bytes of a list of numbers."""
_AMPERSAND = r"(?:&|\\{1,8}u0026)(?:amp;){0,4}"
_CUT_MARK = r"(?=[ \t]?(?:…|\.\.\.|\\{1,8}u2026|&hellip;))"
"""The mark where a text was cut."""


def secret_pattern(secret: str) -> str:
    """All spellings of a secret but those in base64, without groups that capture. For ``re.IGNORECASE``."""
    plain = [_character_pattern(letter) for letter in secret]
    data = secret.encode("utf-8", "surrogatepass")
    coded = [f"{byte:02x}" for byte in data]
    ways = [
        _cut_pattern(plain, _LINE_BREAK),
        _cut_pattern(coded, _HEX_SEPARATOR),
        f"{_cut_pattern(plain, '', _MIN_PARTS)}{_CUT_MARK}",
    ]
    if (
        secret.isalpha() or not secret[-_needed_count(plain) :].isalpha()
    ):  # the end of `2password` is a word, and no secret
        ways += [_tail_pattern(plain, _LINE_BREAK), _tail_pattern(coded, _HEX_SEPARATOR)]
    ways += [f"(?<![0-9.]){_cut_pattern([str(byte) for byte in data], _LIST_SEPARATOR)}"]
    return f"(?:{'|'.join(ways)})"


def _character_pattern(letter: str) -> str:
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
    ways += [f"{_AMPERSAND}#0{{0,4}}{number};?", f"{_AMPERSAND}#x0{{0,4}}{number:x};?"]
    ways += [f"{_AMPERSAND}{name}" for name in _HTML_ENTITIES.get(letter, ())]
    if not letter.isalnum():
        ways.append(rf"\\{{1,8}}{re.escape(letter)}")
    return f"(?:{'|'.join(ways)})"


def _needed_count(parts: list[str]) -> int:
    """The number of parts that give the secret away."""
    return max(min(_MIN_PARTS, len(parts)), math.ceil(len(parts) * _NEEDED_SHARE))


def _tail_pattern(parts: list[str], between: str) -> str:
    """A pattern for the last three quarters of the parts."""
    return between.join(parts[-_needed_count(parts) :])


def _cut_pattern(parts: list[str], between: str, needed: int | None = None) -> str:
    """A pattern for the parts in a row, which may end after any part from the ``needed``-th on (three quarters)."""
    if needed is None:
        needed = _needed_count(parts)
    head, tail = parts[:needed], parts[needed:]
    step = max(1, math.ceil(len(tail) / _MAX_STEPS))
    end = ""
    for start in reversed(range(0, len(tail), step)):
        end = f"(?:{between}{between.join(tail[start : start + step])}{end})?"
    return between.join(head) + end


def _html_entities() -> dict[str, list[str]]:
    entities: dict[str, list[str]] = {}
    for name, text in html.entities.html5.items():
        if len(text) == 1 and ord(text) < 0x80 and name.endswith(";"):
            entities.setdefault(text, []).append(re.escape(name))
    return entities


_HTML_ENTITIES = _html_entities()


_GAP = r"(?:[ \t\r\n]|\\{1,8}[nrt]){0,64}"
_JOINED = rf"""["'`]{_GAP}[+.&|]{{1,2}}{_GAP}\\{{0,8}}["'`]"""
_COLOUR = r"\[[0-9;]{0,16}[mK]"
_MARKS = re.compile(
    "|".join(
        (
            # A colour of a terminal; a soft hyphen, what has no width, and the zeros of UTF-16.
            rf"\x1b{_COLOUR}",
            "[\0\u00ad\u200b-\u200d\u2060\ufeff]",
            r"&(?:shy|zwj|zwnj|ZeroWidthSpace|NoBreak|#(?:173|820[345]|8288|x0*(?:ad|200[bcd]|2060)));",
            # Tags, and emphasis in Markdown.
            r"(?:<|&lt;)/?[a-z][^<>\r\n]{0,64}?(?:>|&gt;)",
            r"\*{1,3}|~~|`{1,3}(?=[A-Za-z0-9])",
            # Two strings that source code joins.
            rf"""{_JOINED}|"{_GAP}"|'{_GAP}'""",
            # The same, escaped.
            (
                rf"(?<!\\)\\{{1,8}}(?:(?:u001b|x1b|033|e){_COLOUR}|u(?:0000|00ad|200[bcd]|2060|feff)"
                rf"|u003c/?[a-z][^<>\r\n\\]{{0,64}}\\{{1,8}}u003e|{_JOINED})"
            ),
        )
    ),
    re.IGNORECASE,
)


def strip_marks(text: str) -> tuple[str, Callable[[int], int]]:
    """The text without such marks, and a function from a place in it to the place in the original."""
    spans = [match.span() for match in _MARKS.finditer(text)]
    if not spans:
        return text, lambda place: place
    ends = [0, *(end for _, end in spans)]
    pieces = [text[end:start] for end, (start, _) in zip(ends, spans, strict=False)] + [text[ends[-1] :]]
    starts = list(accumulate(map(len, pieces), initial=0))[:-1]

    def place(at: int) -> int:
        piece = bisect_right(starts, at) - 1
        return ends[piece] + at - starts[piece]

    return "".join(pieces), place
