"""Reads objects of the translator safely: whatever their code raises, the run goes on.

Only the user's Ctrl-C and the end of a call's time pass through. Texts can be encoded in every terminal, file and
channel between processes, and are shortened.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.visible_text import MAX_LINE, shorten
from toolcall_conformance.drivers.python.limits import TimeIsUp

# Descriptors of `type` itself: a metaclass may override both attributes.
_MRO = type.__dict__["__mro__"].__get__
_NAME = type.__dict__["__name__"].__get__

PASSED_EXCEPTIONS = (KeyboardInterrupt, TimeIsUp)
MAX_TEXT = MAX_LINE


def make_encodable(text: str) -> str:
    """``text`` with each half of a surrogate pair escaped, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_of(value: object, limit: int = MAX_TEXT) -> str:
    """``str(value)``, encodable and shortened; or a text that says that it cannot be read."""
    try:
        text = str.__str__(str(value))
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return f"(a {type_name(value)} whose text cannot be read)"
    return make_encodable(shorten(text, limit))


def type_name(value: object) -> str:
    """The name of a value's class."""
    return _class_name(type(value))


def class_names(value: object) -> frozenset[str]:
    """The names of a value's class and of those that it inherits from."""
    return frozenset(map(_class_name, _MRO(type(value))))


def _class_name(kind: type) -> str:
    return make_encodable(shorten(_NAME(kind), 200))


def is_a(value: object, *kinds: type) -> bool:
    """Whether a value is of one of ``kinds`` by its type. ``isinstance`` asks the value, and a mock may lie."""
    value_type = type(value)
    for kind in kinds:
        if kind is value_type:  # nearly always
            return True
    return any(kind in _MRO(value_type) for kind in kinds)


def has_attribute(value: object, name: str) -> bool:
    """Whether a value has an attribute that is not None, or one that raises when it is read."""
    try:
        return getattr(value, name, None) is not None
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return True


def has_method(value: object, name: str) -> bool:
    """Whether a value has a method, or an attribute that raises when it is read."""
    try:
        return callable(getattr(value, name, None))
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return True


def read_attribute(value: object, name: str) -> Any:
    """Read an attribute; None if it is missing or raises."""
    try:
        return getattr(value, name, None)
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return None


def attribute_text(value: object, name: str) -> str:
    """The text of an attribute, encodable; empty if it is not a text."""
    member = read_attribute(value, name)
    return text_of(member, 200) if is_a(member, str) else ""


def public_names(value: object) -> list[str]:
    """The public names of a value; empty if ``dir`` raises."""
    try:
        return [make_encodable(name) for name in dir(value) if not name.startswith("_")]
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return []
