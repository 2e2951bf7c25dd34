"""Suggests the name that a user may have meant, in words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def close_name_advice(wrong: object, names: Iterable[str], otherwise: str) -> str:
    """``did you mean 'x'?`` with the closest of ``names``; ``otherwise`` if none is close."""
    close = difflib.get_close_matches(str(wrong), list(names), n=1)
    return f"did you mean {close[0]!r}?" if close else otherwise


def close_name_hint(wrong: object, names: Iterable[str]) -> str:
    """The same behind a semicolon, to end a clause; an empty text if none is close."""
    advice = close_name_advice(wrong, names, "")
    return f"; {advice}" if advice else ""
