"""JSON values: strict parsing, strict equality, JSON Pointers."""

from __future__ import annotations

import json
import marshal
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import accumulate
from typing import Any


class JSONError(ValueError):
    """Text that is not strict JSON; the message says what is wrong and where."""


class TooMuchError(JSONError):
    """JSON text that a reader cannot hold: a number beyond a double, too many digits or brackets."""


def _unique_members(items: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(items)
    if len(members) < len(items):
        counts = Counter(key for key, _ in items)
        raise JSONError(f"the key {next(key for key in counts if counts[key] > 1)!r} occurs twice in one object")
    return members


class ConstantError(JSONError):
    """A number that JSON does not have: ``NaN``, ``Infinity`` or ``-Infinity``, the ``name``."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is a number which JSON does not have")
        self.name = name


def _refuse_constant(name: str) -> Any:
    raise ConstantError(name)


_STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_unique_members, parse_constant=_refuse_constant)


def parse(text: str | bytes) -> Any:
    """Parse JSON strictly: no duplicate keys, no NaN or Infinity, whole numbers exact.

    Raises JSONError with line and column, or with the duplicate key.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JSONError(f"not UTF-8: {error}") from None
    return _decode(_STRICT_DECODER, text)


def _decode(decoder: json.JSONDecoder, text: str) -> Any:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise JSONError(f"line {error.lineno} column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise TooMuchError("nested too deeply") from None
    except ValueError as error:
        if isinstance(error, JSONError):
            raise
        # CPython does not read whole numbers of more than 4,300 digits.
        raise TooMuchError(str(error)) from None


def _parse_finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise TooMuchError(f"{text} is too large for a 64-bit floating-point number")
    return value


_LENIENT_DECODER = json.JSONDecoder(parse_float=_parse_finite, parse_constant=_refuse_constant)


def parse_arguments(text: str) -> Any:
    """Parse the JSON text of arguments as clients do: of a key that occurs twice the last one counts.

    Raises TooMuchError for what is JSON and cannot be held, JSONError for what is none.
    """
    return _decode(_LENIENT_DECODER, text)


def invalid_constant(text: Any) -> str:
    """The first ``NaN``, ``Infinity`` or ``-Infinity`` in a text that is JSON up to there; empty if it has none."""
    try:
        if isinstance(text, str):
            parse_arguments(text)
    except ConstantError as error:
        return error.name
    except JSONError:
        pass
    return ""


_JSON_BEGINNING = re.compile(r'[ \t\n\r]*[\[{"\dtfn-]')


def begins_json(text: str) -> bool:
    """Whether a text begins as JSON does: a quick test, since a failed parse counts lines and columns."""
    return _JSON_BEGINNING.match(text) is not None


def is_json(text: str) -> bool:
    """Whether a text is JSON, even if it is more than a reader can hold."""
    try:
        parse_arguments(text)
    except TooMuchError:
        return True
    except JSONError:
        return False
    return True


def equal(left: Any, right: Any) -> bool:
    """Equality of JSON values of any depth: true is not 1, while 1 and 1.0 are the same number."""
    try:
        return _equal(left, right)
    except RecursionError:  # texts in bodies are read deeper than functions may call themselves
        return _equal_step_by_step(left, right)


def _equal(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or (type(left) is not type(right) and exact_number(left) == exact_number(right))
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(map(_equal, left.values(), map(right.get, left)))
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)


def exact_number(number: float) -> float:
    """The number as written: 1e23 is the whole number with 23 noughts, not the nearest one that a double holds."""
    if isinstance(number, float) and number.is_integer():
        return int(Decimal(repr(number)))
    return number


def _equal_step_by_step(left: Any, right: Any) -> bool:
    """Equality of JSON values without recursion; several times slower than ``_equal``."""
    waiting = [(left, right)]
    while waiting:
        first, other = waiting.pop()
        if isinstance(first, dict) and isinstance(other, dict):
            if first.keys() != other.keys():
                return False
            waiting.extend((first[key], other[key]) for key in first)
        elif isinstance(first, list) and isinstance(other, list):
            if len(first) != len(other):
                return False
            waiting.extend(zip(first, other, strict=True))
        elif not _equal(first, other):
            return False
    return True


def deep_copy(value: Any) -> Any:
    """A deep copy of a JSON value; many times faster than copy.deepcopy, which must expect anything."""
    try:
        return unpack(pack(value))
    except ValueError:  # a subclass of dict or the like
        return _deep_copy(value)


def _deep_copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _deep_copy(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_deep_copy(entry) for entry in value]
    return value


def canonical(value: Any) -> str:
    """The canonical text of a value of any depth: equal values have equal texts (1 and 1.0 too)."""
    if type(value) is int:  # most of them are indexes, of choices that thousands of findings have
        return str(value)
    try:
        return _CANONICAL_ENCODER.encode(_normal_numbers(value))
    except RecursionError:
        return _canonical_step_by_step(value)


def _normal_numbers(item: Any) -> Any:
    # Not within canonical: a function that knows itself is left to the collector of cycles, with all its values.
    if isinstance(item, float) and math.isfinite(item) and item.is_integer():
        return int(item)
    if isinstance(item, dict):
        return {str(key): _normal_numbers(entry) for key, entry in item.items()}
    if isinstance(item, (list, tuple)):
        return [_normal_numbers(entry) for entry in item]
    return item


# json.dumps makes an encoder for each call, which takes longer than a small value.
_CANONICAL_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)


class _CanonicalText(str):
    """Canonical text, to be written as it is."""

    __slots__ = ()


def _canonical_step_by_step(value: Any) -> str:
    """The canonical text of a value, without recursion; several times slower than the encoder."""
    parts: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _CanonicalText):
            parts.append(item)
        elif isinstance(item, dict):
            members = {str(key): entry for key, entry in item.items()}
            inner = [
                part
                for key in sorted(members)
                for part in (_CanonicalText(","), _CanonicalText(f"{_CANONICAL_ENCODER.encode(key)}:"), members[key])
            ]
            waiting.extend([_CanonicalText("}"), *reversed(inner[1:]), _CanonicalText("{")])
        elif isinstance(item, (list, tuple)):
            inner = [part for entry in item for part in (_CanonicalText(","), entry)]
            waiting.extend([_CanonicalText("]"), *reversed(inner[1:]), _CanonicalText("[")])
        else:
            parts.append(_CANONICAL_ENCODER.encode(_normal_numbers(item)))
    return "".join(parts)


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def lone_surrogates(value: Any) -> frozenset[str]:
    """The halves of surrogate pairs without their other half in the texts and keys of a JSON value, at any depth."""
    lone_halves: set[str] = set()
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            lone_halves.update(() if item.isascii() else _LONE_SURROGATE.findall(item))
        elif isinstance(item, dict):
            left += item
            left += item.values()
        elif isinstance(item, list):
            left += item
    return frozenset(lone_halves)


def join_text(pieces: Iterable[str]) -> str:
    """Join pieces of a text. Two halves of a surrogate pair in neighbouring pieces become their character.

    JSON can say a half by itself (RFC 8259, section 8.2), and gateways that count UTF-16 units cut between two.
    """
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(pieces))


def append_text(text: str, piece: str) -> str:
    """Append a piece as ``join_text`` does, looking only at the place where the two meet."""
    is_cut = "\ud800" <= text[-1:] <= "\udbff" and "\udc00" <= piece[:1] <= "\udfff"
    return join_text((text, piece)) if is_cut else text + piece


def to_json(value: Any) -> str:
    """JSON text without needless space, characters as themselves; half a surrogate pair, which UTF-8 lacks, escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _LONE_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def pack(value: Any) -> bytes:
    """Turn a JSON value into bytes that identify it, three times faster than JSON text. ``unpack`` restores it.

    Equal bytes mean identical values, types and the order of keys included. Raises ValueError for values that are not
    plain JSON or nested too deeply.
    """
    return marshal.dumps(value, 2)  # from version 3 on, the bytes depend on other references to the parts


def unpack(data: bytes) -> Any:
    """The value from the bytes of ``pack``."""
    return marshal.loads(data)  # noqa: S302 - bytes of our own


def join(pointer: str, *keys: str | int) -> str:
    """A JSON Pointer extended by keys, escaped as in RFC 6901."""
    for key in keys:
        if isinstance(key, str) and ("~" in key or "/" in key):
            key = key.replace("~", "~0").replace("/", "~1")
        pointer = f"{pointer}/{key}"
    return pointer


def enclosing_pointers(pointer: str) -> Iterator[str]:
    """A pointer and those that enclose it, from the whole value down: ``""``, ``/a``, ``/a/b``."""
    ends = accumulate(len(token) + 1 for token in pointer.split("/"))
    return (pointer[: end - 1] for end in ends)


def unescape(token: str) -> str:
    """The key that one token of a pointer names."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def resolve(value: Any, pointer: str) -> Any:
    """The value at ``pointer``. Raises LookupError if there is none."""
    for token in pointer.split("/")[1:]:
        if isinstance(value, list):
            if not (token.isascii() and token.isdigit()) or int(token) >= len(value):
                raise LookupError(pointer)
            value = value[int(token)]
        elif isinstance(value, dict) and (key := unescape(token)) in value:
            value = value[key]
        else:
            raise LookupError(pointer)
    return value
