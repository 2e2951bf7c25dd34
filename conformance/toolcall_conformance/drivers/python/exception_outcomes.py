"""Turns an exception of the translator into an outcome: by the name of its class, or as a refusal or a crash."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.drivers.outcomes import Crashed, RefusedOutcome, UnsupportedOutcome
from toolcall_conformance.drivers.python.foreign import class_names, is_a, read_attribute, text_of
from toolcall_conformance.drivers.python.tracebacks import format_own_frames

_MAX_CAUSES = 20
_DELIBERATE_CLASSES = (Exception, RuntimeError, NotImplementedError)
_MODULE = type.__dict__["__module__"].__get__


def exception_outcome(error: BaseException) -> UnsupportedOutcome | RefusedOutcome | Crashed:
    """The outcome of a call that raised. Reads the exception within the time limit of the call."""
    names = class_names(error)
    if "Unsupported" in names:
        return UnsupportedOutcome(text_of(error))
    if "Refused" in names:
        return RefusedOutcome(text_of(error))
    return Crashed(error, format_own_frames(error), exception_text=text_of(error), refuses=is_refusal(error))


def is_refusal(error: BaseException) -> bool:
    """Whether an exception refuses the input: it has a 4xx status, or is of a library's own class.

    ``litellm.BadRequestError`` and pydantic's ``ValidationError`` are refusals. A ``KeyError`` is not, nor is an
    exception of a library that was raised because of one, or that has the status of an internal error.
    """
    if not is_a(error, Exception) or any(_is_bug(cause) for cause in _causes(error)):
        return False
    status = _http_status(error)
    if status is not None:
        return 400 <= status < 500
    module = _package_name(type(error))
    return module != "builtins" and module not in sys.stdlib_module_names


def _is_bug(error: BaseException) -> bool:
    """Whether Python raises the class of an exception where code is wrong.

    A ValueError may be about the input, such as text that is not JSON. The deliberate classes are raised on purpose.
    """
    kind = type(error)
    return _package_name(kind) == "builtins" and kind not in _DELIBERATE_CLASSES and not is_a(error, ValueError)


def _package_name(kind: type) -> str:
    """The top-level package of a class."""
    name: Any = _MODULE(kind)
    return str.__str__(name).partition(".")[0] if is_a(name, str) else ""


def _http_status(error: BaseException) -> int | None:
    """The HTTP status of an exception; None if it has none."""
    response = read_attribute(error, "response")
    for holder, name in ((error, "status_code"), (error, "status"), (response, "status_code"), (response, "status")):
        status: Any = read_attribute(holder, name)
        if is_a(status, int) and not is_a(status, bool):
            return int.__int__(status)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and its causes, as a traceback shows them."""
    ids: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in ids and len(ids) < _MAX_CAUSES:
        yield current
        ids.add(id(current))
        hidden = BaseException.__dict__["__suppress_context__"].__get__(current)
        cause = BaseException.__dict__["__cause__"].__get__(current)
        current = cause or (None if hidden else BaseException.__dict__["__context__"].__get__(current))
