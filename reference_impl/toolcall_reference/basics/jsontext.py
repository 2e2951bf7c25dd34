"""JSON text: parsing, writing, copying, and shape checks of untrusted values."""

from __future__ import annotations

import copy
import hashlib
import json
import marshal
import math
import re
from collections.abc import Callable, Iterable
from json.encoder import c_make_encoder, encode_basestring, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any

from toolcall_reference.basics.errors import Refused

RAW_ARGUMENTS_KEY = "_raw_arguments"
"""The key for unparsed argument text, where a format takes only an object and the text is not one."""


def _parse_number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is beyond a double")
    return value


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


# Created once: json.loads would create a decoder for every event of a stream.
_DECODER = json.JSONDecoder(parse_float=_parse_number, parse_constant=_refuse_constant)
_SCAN: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# JSONEncoder would create one for every value. CPython always has it.
_WRITE: Callable[[Any, int], Iterable[str]] = (
    c_make_encoder(None, _ENCODER.default, encode_basestring, None, ":", ",", False, False, True)
    if c_make_encoder
    else lambda value, _: _ENCODER.iterencode(value)
)
_CANONICAL_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
_WRITE_CANONICAL: Callable[[Any, int], Iterable[str]] = (
    c_make_encoder(None, _CANONICAL_ENCODER.default, encode_basestring_ascii, None, ":", ",", True, False, True)
    if c_make_encoder
    else lambda value, _: _CANONICAL_ENCODER.iterencode(value)
)


def parse(text: str) -> Any:
    """Parse JSON; ValueError for what is not JSON (NaN and overflowing numbers included). Integers stay exact."""
    try:
        value, end = _SCAN(text, 0)
    except (ValueError, StopIteration):  # perhaps leading white space
        end = -1
    except RecursionError:
        raise ValueError("nested too deeply") from None
    try:
        return value if end == len(text) else _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_object(text: str) -> dict[str, Any] | None:
    """The object that ``text`` holds; None if it is anything else.

    Blank text, ``null``, ``[]`` and ``""`` are ``{}``: some writers express "no arguments" so.
    """
    if not text.strip():
        return {}
    try:
        value = parse(text)
    except ValueError:
        return None
    if isinstance(value, dict):
        return value
    return {} if value in (None, [], "") else None


def is_cut(text: str) -> bool:
    """Whether the text is not blank and not JSON, as when its end is missing."""
    if not text.strip():
        return False
    try:
        parse(text)
    except ValueError:
        return True
    return False


def dump(value: Any) -> str:
    """Compact JSON text, with non-ASCII characters unescaped."""
    return "".join(_WRITE(value, 0))


def is_json(value: Any) -> bool:
    """Whether ``value`` is a JSON value: finite numbers, strings, booleans, null, lists, and dicts with string keys."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(inner) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return all(is_json(inner) for inner in value)
    return isinstance(value, (str, int, type(None))) or (isinstance(value, float) and math.isfinite(value))


_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def join_pieces(pieces: Iterable[str]) -> str:
    """Join pieces of a text; the two halves of a split surrogate pair become their character."""
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(pieces))


_MARSHAL_VERSION = 2
"""The version of marshal's format without references, so that a value used twice is copied twice."""


_SCALAR_TYPES = frozenset({str, int, float, bool, type(None)})
"""The types of scalar values."""


def copy_json(value: Any) -> Any:
    """A deep copy of a JSON value; many times faster than copy.deepcopy, which must expect anything."""
    if type(value) is dict:
        for inner in value.values():
            if type(inner) not in _SCALAR_TYPES:
                break
        else:
            return value.copy()
    try:
        return marshal.loads(marshal.dumps(value, _MARSHAL_VERSION))  # noqa: S302 - bytes of our own
    except ValueError:  # a subclass of dict, or something else that is not plain
        return copy.deepcopy(value)


class Snapshot:
    """A frozen copy of a JSON value; each access of :attr:`value` returns a new copy."""

    def __init__(self, value: Any) -> None:
        self._bytes: bytes | None = None
        self._value: Any = None
        try:
            self._bytes = marshal.dumps(value, _MARSHAL_VERSION)
        except ValueError:  # not plain, see :func:`copy_json`
            self._value = copy.deepcopy(value)

    @property
    def value(self) -> Any:
        """A new copy of the value."""
        if self._bytes is None:
            return copy.deepcopy(self._value)
        return marshal.loads(self._bytes)  # noqa: S302 - bytes of our own


def digest(*values: Any, length: int = 24) -> str:
    """A hexadecimal digest of ``values``, up to 64 characters; equal values give equal digests."""
    return hashlib.sha256("".join(_WRITE_CANONICAL(values, 0)).encode()).hexdigest()[:length]


def as_object(value: Any, noun: str) -> dict[str, Any]:
    """``value`` if it is an object, ``{}`` for null. Raises Refused otherwise, naming ``noun``."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    raise Refused(f"{noun} must be an object, not {type(value).__name__}")


def as_list(value: Any, noun: str) -> list[Any]:
    """``value`` if it is an array, ``[]`` for null. Raises Refused otherwise, naming ``noun``."""
    if isinstance(value, list):
        return value
    if value is None:
        return []
    raise Refused(f"{noun} must be an array, not {type(value).__name__}")


def as_text(value: Any, noun: str) -> str:
    """``value`` if it is a string, ``""`` for null. Raises Refused otherwise, naming ``noun``."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise Refused(f"{noun} must be a string, not {type(value).__name__}")
