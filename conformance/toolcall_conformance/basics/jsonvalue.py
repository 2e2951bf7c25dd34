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
    """Text that is JSON, and holds more than a reader can: a number beyond a double, too many digits or brackets."""


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
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


def _constant(name: str) -> Any:
    raise ConstantError(name)


_STRICT = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def parse(text: str | bytes) -> Any:
    """Parse JSON strictly: no duplicate keys, no NaN or Infinity, whole numbers exact.

    Raises JSONError with line and column, or with the duplicate key.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise JSONError(f"not UTF-8: {error}") from None
    return _decoded(_STRICT, text)


def _decoded(decoder: json.JSONDecoder, text: str) -> Any:
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


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise TooMuchError(f"{text} is too large for a 64-bit floating-point number")
    return value


_USUAL = json.JSONDecoder(parse_float=_finite, parse_constant=_constant)


def parse_arguments(text: str) -> Any:
    """Parse the JSON text of arguments as clients do: of a key that occurs twice the last one counts.

    Raises TooMuchError for what is JSON and cannot be held, JSONError for what is none.
    """
    return _decoded(_USUAL, text)


def constant_in(text: Any) -> str:
    """``NaN`` or the like, where a text would be JSON up to it; empty for all else."""
    try:
        if isinstance(text, str):
            parse_arguments(text)
    except ConstantError as error:
        return error.name
    except JSONError:
        pass
    return ""


_BEGINNING = re.compile(r'[ \t\n\r]*[\[{"\dtfn-]')


def begins_json(text: str) -> bool:
    """Whether a text begins as JSON does; to parse others takes long, as an error counts lines and columns."""
    return _BEGINNING.match(text) is not None


def is_json(text: str) -> bool:
    """Whether a text is JSON, in whatever it holds."""
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
        return left == right or (type(left) is not type(right) and whole(left) == whole(right))
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(map(_equal, left.values(), map(right.get, left)))
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)


def whole(number: float) -> float:
    """A number as it was written: 1e23 is the whole number with 23 noughts, not the nearest one that a double holds."""
    if isinstance(number, float) and number.is_integer():
        return int(Decimal(repr(number)))
    return number


def _equal_step_by_step(left: Any, right: Any) -> bool:
    """The same without recursion; several times slower."""
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


def copied(value: Any) -> Any:
    """A deep copy of a JSON value; many times faster than copy.deepcopy, which must expect anything."""
    try:
        return unpacked(packed(value))
    except ValueError:  # a subclass of dict or the like
        return _copied(value)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_copied(entry) for entry in value]
    return value


def canonical(value: Any) -> str:
    """The canonical text of a value of any depth: equal values give equal texts (1 and 1.0 too)."""
    if type(value) is int:  # most of them are indexes, of choices that thousands of findings have
        return str(value)
    try:
        return _CANONICAL.encode(_plain(value))
    except RecursionError:
        return _canonical_step_by_step(value)


def _plain(item: Any) -> Any:
    # Not within canonical: a function that knows itself is left to the collector of cycles, with all its values.
    if isinstance(item, float) and math.isfinite(item) and item.is_integer():
        return int(item)
    if isinstance(item, dict):
        return {str(key): _plain(entry) for key, entry in item.items()}
    if isinstance(item, (list, tuple)):
        return [_plain(entry) for entry in item]
    return item


# json.dumps makes an encoder for each call, which takes longer than a small value.
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=repr)


class _Said(str):
    """Text that is canonical already."""

    __slots__ = ()


def _canonical_step_by_step(value: Any) -> str:
    """The same without recursion; several times slower."""
    parts: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Said):
            parts.append(item)
        elif isinstance(item, dict):
            members = {str(key): entry for key, entry in item.items()}
            inner = [
                part
                for key in sorted(members)
                for part in (_Said(","), _Said(f"{_CANONICAL.encode(key)}:"), members[key])
            ]
            waiting.extend([_Said("}"), *reversed(inner[1:]), _Said("{")])
        elif isinstance(item, (list, tuple)):
            inner = [part for entry in item for part in (_Said(","), entry)]
            waiting.extend([_Said("]"), *reversed(inner[1:]), _Said("[")])
        else:
            parts.append(_CANONICAL.encode(_plain(item)))
    return "".join(parts)


_HALF = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def halves(value: Any) -> frozenset[str]:
    """The halves of surrogate pairs that stand alone in the texts and keys of a JSON value, however deep."""
    lone_halves: set[str] = set()
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            lone_halves.update(() if item.isascii() else _HALF.findall(item))
        elif isinstance(item, dict):
            left += item
            left += item.values()
        elif isinstance(item, list):
            left += item
    return frozenset(lone_halves)


def together(pieces: Iterable[str]) -> str:
    """Pieces of a text as one. Two halves of a surrogate pair that stood apart are their character.

    JSON can say a half by itself (RFC 8259, section 8.2), and gateways that count UTF-16 units cut between two.
    """
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), "".join(pieces))


def added(text: str, piece: str) -> str:
    """``piece`` behind ``text``, as ``together`` does it; looks at no more than where they meet."""
    is_cut = "\ud800" <= text[-1:] <= "\udbff" and "\udc00" <= piece[:1] <= "\udfff"
    return together((text, piece)) if is_cut else text + piece


def written(value: Any) -> str:
    """JSON text without needless space, characters as themselves; half a surrogate pair, which UTF-8 lacks, escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def packed(value: Any) -> bytes:
    """A JSON value as bytes that identify it, three times faster than JSON text. ``unpacked`` restores it.

    Equal bytes mean identical values, types and the order of keys included. Raises ValueError for values that are not
    plain JSON or nested too deeply.
    """
    return marshal.dumps(value, 2)  # from version 3 on, the bytes depend on other references to the parts


def unpacked(data: bytes) -> Any:
    """The value from the bytes of ``packed``."""
    return marshal.loads(data)  # noqa: S302 - bytes of our own


def join(pointer: str, *keys: str | int) -> str:
    """``pointer`` extended by keys, escaped as in RFC 6901."""
    for key in keys:
        if isinstance(key, str) and ("~" in key or "/" in key):
            key = key.replace("~", "~0").replace("/", "~1")
        pointer = f"{pointer}/{key}"
    return pointer


def around(pointer: str) -> Iterator[str]:
    """The places that a place is in, from the whole value down to itself."""
    ends = accumulate(len(token) + 1 for token in pointer.split("/"))
    return (pointer[: end - 1] for end in ends)


def unescaped(token: str) -> str:
    """Unescape one token of a pointer to its key."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def resolve(value: Any, pointer: str) -> Any:
    """The value at ``pointer``. Raises LookupError if there is none."""
    for token in pointer.split("/")[1:]:
        if isinstance(value, list):
            if not (token.isascii() and token.isdigit()) or int(token) >= len(value):
                raise LookupError(pointer)
            value = value[int(token)]
        elif isinstance(value, dict) and (key := unescaped(token)) in value:
            value = value[key]
        else:
            raise LookupError(pointer)
    return value
