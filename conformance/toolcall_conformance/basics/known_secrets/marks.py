"""What may stand amid a secret unseen, or joins its parts: colours, emphasis, tags, strings that are joined."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

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


def without(text: str) -> tuple[str, Callable[[int], int]]:
    """A text without such marks, and where in the text a character of it stood."""
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
