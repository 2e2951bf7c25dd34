"""Copies what a translator returned as plain JSON, or says why it is not JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, cast

from toolcall_conformance.basics.jsonvalue import deep_copy, join, lone_surrogates
from toolcall_conformance.drivers.outcomes import BadOutput
from toolcall_conformance.drivers.python.foreign import has_attribute, is_a, type_name

MAX_OUTPUT_BYTES = 16 * 1024 * 1024
_MAX_DEPTH = 200
_KEY_BITS = 200

# json.dumps would create an encoder for every text.
_encode_json = json.JSONEncoder(ensure_ascii=False).encode

# The place of a value: the place of its container, and its key or index. Only sentences need the pointer.
_Place = tuple[Any, str | int] | None


class _BadValue(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, pointer: str, sentence: str) -> None:
        super().__init__(sentence)
        self.pointer = pointer
        self.sentence = sentence


def copy_object(
    value: Any, operation: str, limit: int = MAX_OUTPUT_BYTES, sources: Iterable[Any] = ()
) -> dict[str, Any] | BadOutput:
    """Copy ``value`` into dict, list, str, int, float, bool and None only.

    ``operation`` is the method that returned it, ``limit`` the largest size of its JSON text in bytes, ``sources`` the
    translator's inputs. Half of a surrogate pair, which JSON can escape, is accepted only if an input has it.
    """
    wrong = _object_breach(value, operation)
    result = BadOutput(wrong) if wrong is not None else _copy_plain(value, operation, limit, sources)
    return cast("dict[str, Any] | BadOutput", result)


def copy_list(
    value: Any, operation: str, limit: int = MAX_OUTPUT_BYTES, sources: Iterable[Any] = ()
) -> list[Any] | BadOutput:
    """Copy a list of plain JSON values; the parameters are those of :func:`copy_object`."""
    wrong = _list_breach(value, operation)
    result = BadOutput(wrong) if wrong is not None else _copy_plain(value, operation, limit, sources)
    return cast("list[Any] | BadOutput", result)


def _copy_plain(value: Any, operation: str, limit: int, sources: Iterable[Any]) -> Any:
    if _is_surely_plain(value, limit):
        return deep_copy(value)
    try:
        return _Copier(limit, sources).copy(value, None, 0)
    except _BadValue as bad:
        where = f"at {bad.pointer}" if bad.pointer else "at the top"
        return BadOutput(f"{operation} returned {bad.sentence} ({where})", bad.pointer)


def _object_breach(value: Any, operation: str) -> str | None:
    if is_a(value, dict):
        return None
    if value is None:
        return f"{operation} returned None; return the translated body (is a `return` missing?)"
    if is_a(value, str, bytes, bytearray):
        kind = "a string" if is_a(value, str) else "bytes"
        return f"{operation} returned {kind}; return the body as a dict, not its JSON text"
    if is_a(value, list, tuple):
        return f"{operation} returned a {type_name(value)}; a body is one JSON object (a dict)"
    return f"{operation} returned {_class_with_article(value)}; return plain JSON (a dict){_dump_hint(value)}"


def _list_breach(value: Any, operation: str) -> str | None:
    if is_a(value, list):
        return None
    if value is None:
        return f"{operation} returned None; return a list (is a `return` missing?)"
    return f"{operation} returned {_class_with_article(value)}; return a list of plain JSON objects{_dump_hint(value)}"


def _class_with_article(value: Any) -> str:
    name = type_name(value)
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def key_text(value: Any) -> str:
    """The ``repr`` of a key; if that might run foreign code or be too long, the name of its class."""
    plain_key = type(value) in (float, bool, type(None)) or (type(value) is int and value.bit_length() < _KEY_BITS)
    return repr(value) if plain_key else _class_with_article(value)


def _dump_hint(value: Any) -> str:
    if has_attribute(type(value), "model_dump"):
        return ': its model_dump(mode="json", exclude_none=True) gives that'
    return ""


def _is_surely_plain(body: Any, limit: int) -> bool:
    """Whether a body is certainly plain JSON: a fast check that nearly every body passes.

    If not, the copier decides. This check goes level by level, so that bodies with cycles or shared parts do not take
    long. It overestimates the size of the JSON text.
    """
    size, level = 0, [body]
    for _ in range(_MAX_DEPTH):
        texts: list[Any] = []
        entries: list[Any] = []
        for holder in level:
            kind = type(holder)
            if kind is not dict and kind is not list:
                return False
            size += 30 * len(holder) + 2
            if size > limit:  # before the level grows beyond that
                return False
            if kind is dict:
                texts += holder
                entries += holder.values()
            else:
                entries += holder
        kinds = _class_ids(entries)
        if (
            not kinds <= _PLAIN_CLASSES
            or not _class_ids(texts) <= _TEXT_CLASS
            or not (kinds <= _NUMBERLESS_CLASSES or _have_bounds(entries))
        ):
            return False
        texts += [entry for entry in entries if type(entry) is str]
        size += 6 * sum(map(len, texts))
        if size > limit:
            return False
        whole = "".join(texts)
        if not (whole.isascii() or _is_unicode(whole)):
            return False
        level = [entry for entry in entries if type(entry) is dict or type(entry) is list]
        if not level:
            return True
    return False


def _class_ids(values: Iterable[Any]) -> set[int]:
    """The ids of the classes of values. Not the classes: a metaclass may define a hash, which is foreign code."""
    return set(map(id, map(type, values)))


_TEXT_CLASS = _class_ids([""])
_NUMBERLESS_CLASSES = _class_ids(["", {}, [], None, True])
_PLAIN_CLASSES = _NUMBERLESS_CLASSES | _class_ids([0, 0.0])


def _have_bounds(entries: Iterable[Any]) -> bool:
    """Whether no whole number has more than 64 bits, and every other number is finite."""
    for entry in entries:
        kind = type(entry)
        if (kind is int and entry.bit_length() > 64) or (kind is float and not math.isfinite(entry)):
            return False
    return True


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Copier:
    """Copies JSON and counts its size, so that a body with shared parts cannot grow without limit."""

    def __init__(self, limit: int, sources: Iterable[Any]) -> None:
        self._limit = limit
        self._sources = sources
        self._size = 0
        self._open_containers: set[int] = set()

    def copy(self, value: Any, place: _Place, depth: int) -> Any:
        """Copy a JSON value. Raises _BadValue for anything else."""
        if is_a(value, str):
            return self._copy_text(value, place)
        if is_a(value, dict, list):
            return self._copy_container(value, place, depth)
        if value is None or is_a(value, bool):
            self._add_size(4)
            return value
        if is_a(value, int):
            return self._copy_integer(int.__int__(value), place)
        if is_a(value, float):
            number = float.__float__(value)
            if not math.isfinite(number):
                raise _BadValue(_pointer(place), f"{json.dumps(number)}, which JSON does not have")
            self._add_size(len(repr(number)))
            return number
        if is_a(value, tuple):
            raise _BadValue(_pointer(place), "a tuple inside the body; make it a list")
        raise _BadValue(
            _pointer(place), f"{_class_with_article(value)} inside the body; make it plain JSON{_dump_hint(value)}"
        )

    def _copy_container(self, value: Any, place: _Place, depth: int) -> Any:
        if id(value) in self._open_containers:
            raise _BadValue(_pointer(place), "a body that contains itself; JSON has no cycles")
        if depth >= _MAX_DEPTH:
            raise _BadValue(_pointer(place)[:80] + "…", f"a body nested more than {_MAX_DEPTH} levels deep")
        self._open_containers.add(id(value))
        self._add_size(2)
        copied: Any
        # Iterates with the base classes' methods: a subclass could iterate for ever.
        if is_a(value, dict):
            copied = {}
            for key, entry in list(dict.items(value)):
                if not is_a(key, str):
                    raise _BadValue(_pointer(place), f"the key {key_text(key)}, which is not a string")
                name = self._copy_text(key, place)
                copied[name] = self.copy(entry, (place, name), depth + 1)
                self._add_size(2)
        else:
            copied = []
            for index in range(list.__len__(value)):
                copied.append(self.copy(list.__getitem__(value, index), (place, index), depth + 1))
                self._add_size(1)
        self._open_containers.discard(id(value))
        return copied

    def _copy_text(self, value: str, place: _Place) -> str:
        text = value if type(value) is str else str.__str__(value)
        if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
            self._add_size(len(text) + 2)
            return text  # nothing in it is escaped
        # Counted before it is escaped, so that a text of several gigabytes is refused without a copy.
        self._add_size(len(text))
        written = _encode_json(text).encode("utf-8", "surrogatepass")
        if not _is_unicode(text) and not lone_surrogates(text) <= self._source_halves:
            raise _BadValue(_pointer(place), "half of a surrogate pair, which UTF-8 cannot encode")
        self._add_size(len(written) - len(text))
        return text

    @cached_property
    def _source_halves(self) -> frozenset[str]:
        return frozenset().union(*map(lone_surrogates, self._sources))

    def _copy_integer(self, number: int, place: _Place) -> int:
        digits = number.bit_length() * 0.30103
        if digits > 4000:
            raise _BadValue(_pointer(place), f"a number of about {digits:.0f} digits")
        self._add_size(int(digits) + 1)
        return number

    def _add_size(self, characters: int) -> None:
        self._size += characters
        if self._size > self._limit:
            raise _BadValue("", f"a body of more than {self._limit:,} bytes of JSON")


def _pointer(place: _Place) -> str:
    keys: list[str | int] = []
    while place is not None:
        place, key = place
        keys.append(key)
    return join("", *reversed(keys))
