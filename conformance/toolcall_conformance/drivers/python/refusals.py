"""Whether an exception says that the translator does not take its input, or is a slip of its code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.drivers.python.foreign import is_a, read_attribute

_MAX_CAUSES = 20
_STATEMENT_CLASSES = (Exception, RuntimeError, NotImplementedError)
_MODULE = type.__dict__["__module__"].__get__


def is_refusal(error: BaseException) -> bool:
    """Whether an exception says that the input is not taken: one with a 4xx status, or of a library's own class.

    ``litellm.BadRequestError`` and pydantic's ``ValidationError`` do, a ``KeyError`` does not; nor does an exception of
    a library that was raised for a ``KeyError``, or one whose status is that of an internal error.
    """
    if not is_a(error, Exception) or any(_is_slip(cause) for cause in _causes(error)):
        return False
    status = _http_status(error)
    if status is not None:
        return 400 <= status < 500
    module = _package_name(type(error))
    return module != "builtins" and module not in sys.stdlib_module_names


def _is_slip(error: BaseException) -> bool:
    """Whether it is of a class that Python raises where code is wrong.

    A ValueError may be about the input, such as text that is no JSON, and the others are raised by statements.
    """
    kind = type(error)
    return _package_name(kind) == "builtins" and kind not in _STATEMENT_CLASSES and not is_a(error, ValueError)


def _package_name(kind: type) -> str:
    """The outermost package that a class is of."""
    name: Any = _MODULE(kind)
    return str.__str__(name).partition(".")[0] if is_a(name, str) else ""


def _http_status(error: BaseException) -> int | None:
    """The HTTP status that an exception stands for; None if it names none."""
    response = read_attribute(error, "response")
    for holder, name in ((error, "status_code"), (error, "status"), (response, "status_code"), (response, "status")):
        status: Any = read_attribute(holder, name)
        if is_a(status, int) and not is_a(status, bool):
            return int.__int__(status)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and those for which it was raised, as a traceback shows them."""
    ids: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in ids and len(ids) < _MAX_CAUSES:
        yield current
        ids.add(id(current))
        hidden = BaseException.__dict__["__suppress_context__"].__get__(current)
        cause = BaseException.__dict__["__cause__"].__get__(current)
        current = cause or (None if hidden else BaseException.__dict__["__context__"].__get__(current))
