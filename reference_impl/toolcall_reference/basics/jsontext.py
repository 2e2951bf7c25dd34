"""JSON as text: arguments in, arguments out, and a look at untrusted shapes."""

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
"""Where a format takes only an object, argument text that is no JSON object travels under this key, as it stood."""


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is beyond a double")
    return value


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


# Made once: the module's functions would make one for every event of a stream.
_DECODER = json.JSONDecoder(parse_float=_number, parse_constant=_constant)
_READ: Callable[[str, int], tuple[Any, int]] = _DECODER.scan_once  # type: ignore[attr-defined]
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# The class would make such a one for every value; it is there wherever CPython is.
_WRITE: Callable[[Any, int], Iterable[str]] = (
    c_make_encoder(None, _ENCODER.default, encode_basestring, None, ":", ",", False, False, True)
    if c_make_encoder
    else lambda value, _: _ENCODER.iterencode(value)
)
_NAMER = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
_NAME: Callable[[Any, int], Iterable[str]] = (
    c_make_encoder(None, _NAMER.default, encode_basestring_ascii, None, ":", ",", True, False, True)
    if c_make_encoder
    else lambda value, _: _NAMER.iterencode(value)
)


def parse(text: str) -> Any:
    """Parse JSON; ValueError for what is not JSON (NaN and overflowing numbers included). Integers stay exact."""
    try:
        value, end = _READ(text, 0)
    except (ValueError, StopIteration):  # white space before it, perhaps
        end = -1
    except RecursionError:
        raise ValueError("nested too deeply") from None
    try:
        return value if end == len(text) else _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_object(text: str) -> dict[str, Any] | None:
    """The object that ``text`` says; None where it is anything else.

    Blank text says ``{}``, and so do ``null``, ``[]`` and ``""``, with which some writers say that there is nothing.
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
    """Whether there is a text, and it is no JSON: its end is missing."""
    if not text.strip():
        return False
    try:
        parse(text)
    except ValueError:
        return True
    return False


def dump(value: Any) -> str:
    """JSON text without needless space, characters as themselves."""
    return "".join(_WRITE(value, 0))


def is_json(value: Any) -> bool:
    """Whether ``value`` is made of what JSON has: finite numbers, text, true, false, null, lists, and keys of text."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_json(inner) for key, inner in value.items())
    if isinstance(value, (list, tuple)):
        return all(is_json(inner) for inner in value)
    return isinstance(value, (str, int, type(None))) or (isinstance(value, float) and math.isfinite(value))


_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def joined(pieces: Iterable[str]) -> str:
    """Pieces of a text as one; two halves of a surrogate pair that stood apart are their character."""
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(pieces))


_TREE = 2
"""The version of marshal's format in which what stands at two places is two things."""


_FLAT = frozenset({str, int, float, bool, type(None)})
"""The types of values that hold no others."""


def copied(value: Any) -> Any:
    """A deep copy of a JSON value; many times faster than copy.deepcopy, which must expect anything."""
    if type(value) is dict:
        for inner in value.values():
            if type(inner) not in _FLAT:
                break
        else:
            return value.copy()
    try:
        return marshal.loads(marshal.dumps(value, _TREE))  # noqa: S302 - bytes of our own
    except ValueError:  # a subclass of dict, or something else that is not plain
        return copy.deepcopy(value)


class Snapshot:
    """A JSON value as it was when this was made; each :attr:`value` is a copy of its own, made when it is asked for."""

    def __init__(self, value: Any) -> None:
        self._bytes: bytes | None = None
        self._value: Any = None
        try:
            self._bytes = marshal.dumps(value, _TREE)
        except ValueError:  # not plain, see :func:`copied`
            self._value = copy.deepcopy(value)

    @property
    def value(self) -> Any:
        """The value."""
        if self._bytes is None:
            return copy.deepcopy(self._value)
        return marshal.loads(self._bytes)  # noqa: S302 - bytes of our own


def digest(*values: Any, length: int = 24) -> str:
    """A short name for ``values``: the same values, the same name; hexadecimal, up to 64 characters."""
    return hashlib.sha256("".join(_NAME(values, 0)).encode()).hexdigest()[:length]


def as_object(value: Any, what: str) -> dict[str, Any]:
    """``value`` if it is an object, ``{}`` for null; Refused otherwise, naming ``what``."""
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    raise Refused(f"{what} must be an object, not {type(value).__name__}")


def as_list(value: Any, what: str) -> list[Any]:
    """``value`` if it is an array, ``[]`` for null; Refused otherwise, naming ``what``."""
    if isinstance(value, list):
        return value
    if value is None:
        return []
    raise Refused(f"{what} must be an array, not {type(value).__name__}")


def as_text(value: Any, what: str) -> str:
    """``value`` if it is a string, the empty string for null; Refused otherwise, naming ``what``."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise Refused(f"{what} must be a string, not {type(value).__name__}")
