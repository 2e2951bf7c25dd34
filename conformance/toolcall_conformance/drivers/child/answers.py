"""Checks a child's answers by hand as ``protocol/messages.schema.json`` does, with a sentence for each breach.

A test compares the two. Bodies are not checked here: a body that is not an object is bad output of the translator.
"""

from __future__ import annotations

import difflib
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from toolcall_conformance.basics.close_names import close_name_advice
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS
from toolcall_conformance.drivers.outcomes import Crashed, RefusedOutcome, TranslatorError, UnsupportedOutcome
from toolcall_conformance.drivers.python.declarations import made_up_breach

PROTOCOL_VERSION = 1
OPERATIONS = ("request", "response", "stream", "error", "exchange", *FORMAT_OPERATIONS)

# By operation: the required and the optional keys of an answer. All have seq.
_ANSWER_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "hello": (("protocol",), ("name", "version")),
    "open": ((), ("operations", "history", "made_up")),
    "request": (("body",), ("losses",)),
    "response": (("body",), ("losses",)),
    "error": (("status", "body"), ("headers",)),
    "exchange": (("body",), ("status", "headers", "losses")),
    "stream-open": (("chunks",), ()),
    "stream-chunk": (("chunks",), ()),
    "stream-end": (("chunks",), ("losses",)),
    **dict.fromkeys(FORMAT_OPERATIONS, (("value",), ("losses",))),
    "close": ((), ()),
}
# One of these replaces the result. Only `failed` has a `traceback`; in a stream all may have earlier `chunks`.
FAILURE_KEYS = ("refused", "unsupported", "failed")


def find_breach(operation: str, answer: dict[str, Any]) -> str | None:
    """Say why ``answer`` is not valid for ``operation``; None if it is. ``seq`` is checked elsewhere."""
    failures = [key for key in FAILURE_KEYS if key in answer]
    if len(failures) > 1:
        return f"the answer has {' and '.join(failures)} at once; give only one"
    if failures:
        needed: tuple[str, ...] = (failures[0],)
        allowed: tuple[str, ...] = ("traceback",) if failures == ["failed"] else ()
        if operation.startswith("stream-"):
            allowed += ("chunks",)
    else:
        needed, allowed = _ANSWER_KEYS[operation]
    for key in answer:
        if key != "seq" and key not in needed and key not in allowed:
            return _unknown_key(key, (*needed, *allowed), operation)
    for key in needed:
        if key not in answer:
            return (
                f"the answer has no {key!r}, which an answer to {operation} needs (or one of {', '.join(FAILURE_KEYS)})"
            )
    for key, value in answer.items():
        wrong = None if key in ("seq", "body", "value") else _value_breach(key, value)
        if wrong is not None:
            return wrong
    if "headers" in answer and "status" not in answer:
        return "the answer has headers and no status; headers belong to an error"
    return None


class AnswerLosses:
    """Wraps an answer so that :func:`read_losses` reads it like a Python session."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.losses = answer.get("losses", ())


def read_failure(
    answer: dict[str, Any], last_output: Callable[[], str]
) -> RefusedOutcome | UnsupportedOutcome | Crashed | None:
    """The outcome of an answer without a result; None if it has one.

    ``last_output`` returns what the child printed last.
    """
    if "refused" in answer:
        return RefusedOutcome(answer["refused"])
    if "unsupported" in answer:
        return UnsupportedOutcome(answer["unsupported"])
    if "failed" in answer:
        text = answer["failed"].strip()
        return Crashed(TranslatorError(f"raised {text}" if text else ""), answer.get("traceback") or last_output())
    return None


def _unknown_key(key: str, names: tuple[str, ...], operation: str) -> str:
    close = difflib.get_close_matches(key, (*names, *FAILURE_KEYS), n=1)
    if close:
        return f"the answer has the unknown key {key!r:.60}; did you mean {close[0]!r}?"
    allowed_keys = ", ".join(("seq", *names))
    return (
        f"the answer has the key {key!r:.60}, which has no place there; an answer to {operation} like this has "
        f"{allowed_keys}"
    )


def _value_breach(key: str, value: Any) -> str | None:
    if key in _BREACHES:
        return _BREACHES[key](value)
    return None if isinstance(value, str) else f"`{key}` is {value!r:.40}; make it a text, or leave it out"


def _protocol_breach(value: Any) -> str | None:
    if not isinstance(value, bool) and value == PROTOCOL_VERSION:
        return None
    return f"it speaks version {value!r:.40} of the protocol; this toolcall-conformance speaks {PROTOCOL_VERSION}"


def _status_breach(value: Any) -> str | None:
    if not isinstance(value, bool) and (isinstance(value, int) or _is_whole(value)):
        return None
    return f"`status` is {value!r:.40}; make it the HTTP status, a whole number such as 429"


def _operations_breach(value: Any) -> str | None:
    if not isinstance(value, list) or any(not isinstance(name, str) for name in value):
        return f"`operations` is {value!r:.60}; make it a list of names"
    for name in value:
        if name not in OPERATIONS:
            advice = close_name_advice(name, OPERATIONS, f"there are {', '.join(OPERATIONS)}")
            return f"`operations` has {name!r:.40}; {advice}"
    return None


def _history_breach(value: Any) -> str | None:
    return None if value == "own" else f'`history` is {value!r:.40}; make it "own", or leave it out'


def _losses_breach(value: Any) -> str | None:
    if isinstance(value, list) and all(_is_loss(entry) for entry in value):
        return None
    return '`losses` is a list of names of elements, or of objects such as {"element": "error-mark"}'


def _headers_breach(value: Any) -> str | None:
    if isinstance(value, dict) and all(_is_header(text) for text in value.values()):
        return None
    return "`headers` is an object of texts"


def _chunks_breach(value: Any) -> str | None:
    if not isinstance(value, list):
        return f"`chunks` is {value!r:.60}; make it a list of pieces in base64, an empty one if there is no output yet"
    for place, piece in enumerate(value):
        if not isinstance(piece, str):
            return f"piece {place} of `chunks` is {piece!r:.40}; make it the bytes in base64"
        try:
            b64decode(piece, validate=True)
        except ValueError:
            return (
                f"piece {place} of `chunks`, {piece!r:.40}, is not base64; use the standard alphabet, with padding and "
                "without line breaks"
            )
    return None


_BREACHES: dict[str, Callable[[Any], str | None]] = {
    "protocol": _protocol_breach,
    "status": _status_breach,
    "operations": _operations_breach,
    "history": _history_breach,
    "made_up": made_up_breach,
    "chunks": _chunks_breach,
    "losses": _losses_breach,
    "headers": _headers_breach,
}


def _is_whole(value: Any) -> bool:
    """Whether JSON Schema reads this float as an integer."""
    return isinstance(value, float) and value.is_integer()


def _is_loss(entry: Any) -> bool:
    return isinstance(entry, str) or (isinstance(entry, dict) and isinstance(entry.get("element"), str))


def _is_header(text: Any) -> bool:
    return isinstance(text, (str, int, float)) and not isinstance(text, bool)
