"""What an official client's types do not take of a body: places as JSON Pointers, and what pydantic says of them.

The types are TypedDicts (what a user may send) and pydantic models (what he gets).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.trust.witnesses.wire import sdk_module

Problem = tuple[str, str]

# A union names the kind of each of its members by these.
_DISCRIMINATORS = ("type", "role", "object")
_NOT_HELD = object()
_UNKNOWN = "a word that they do not have there"


def problems(kind: Any, value: Any, *, strict: bool = False) -> list[Problem]:
    """What a TypedDict or a model does not take of a value: pointers, and what is wrong there; each place once.

    ``strict``: a text is not taken for the number or the truth value that it spells.
    """
    return list(dict(_problems(kind, value, strict=strict)).items())


def by_model(kind: Any, value: Any, pointer: str) -> list[Problem]:
    """The same for a value at ``pointer``."""
    return [(pointer + place, message) for place, message in problems(kind, value)]


def _problems(kind: Any, value: Any, *, strict: bool) -> Iterator[Problem]:
    error = sdk_module("pydantic").ValidationError
    try:
        output = _adapter(kind).validate_python(value, strict=strict)
    except error as refused:
        yield from _error_problems(refused, value, "")
        return
    yield from _entry_problems(output, value, "", error)


@cache
def _adapter(kind: Any) -> Any:
    return sdk_module("pydantic").TypeAdapter(kind)


def _entry_problems(output: Any, value: Any, pointer: str, error: type[Exception]) -> Iterator[Problem]:
    """What is wrong with the entries of lists: of an Iterable they are looked at when somebody asks for them."""
    if isinstance(output, dict) and isinstance(value, dict):
        for key in output.keys() & value.keys():
            yield from _entry_problems(output[key], value[key], join(pointer, key), error)
    elif hasattr(output, "__next__") and not isinstance(value, list):
        yield pointer, "is no list"
    elif isinstance(value, list) and hasattr(output, "__iter__") and not isinstance(output, (str, bytes)):
        entries = iter(output)
        for place, entry in enumerate(value):
            try:
                result = next(entries)
            except StopIteration:
                return
            except error as refused:
                yield from _error_problems(refused, value, pointer)
                return
            yield from _entry_problems(result, entry, join(pointer, place), error)


def _error_problems(refused: Any, value: Any, pointer: str) -> Iterator[Problem]:
    errors = refused.errors(include_url=False, include_input=False, include_context=False)
    for error in _errors_of_fitting_members(errors, value):
        message = _UNKNOWN if _discriminates(error) and error["type"] == "literal_error" else error["msg"]
        yield pointer + _pointer(error["loc"], value, missing=error["type"] == "missing"), message


def _errors_of_fitting_members(errors: list[Any], value: Any) -> list[Any]:
    """The errors of those members of unions that are of the kind of the value; of each union that has none, one.

    pydantic tells for each member of a union why the value is none of it.
    """
    other = {error["loc"][:-1] for error in errors if error["type"] == "literal_error" and _discriminates(error)}
    other = {loc for loc in other if _is_of_union(loc, value)}
    other |= {error["loc"] for error in errors if _is_plain(error) and len(errors) > 1}
    remaining = [error for error in errors if not _within(error["loc"], other)]
    for union in sorted({loc[:-1] for loc in other}, key=len, reverse=True):
        if not _within(union, other) and not any(_within(error["loc"], {union}) for error in remaining):
            remaining.append(_nearest_error(union, errors))
    return [error for error in errors if error in remaining]


def _nearest_error(union: tuple[Any, ...], errors: list[Any]) -> Any:
    """An error of a union of which the value is no member: about its kind, of the member that comes nearest to it."""
    union_errors = [error for error in errors if _within(error["loc"], {union})]
    kinds = [
        error for error in union_errors if len(error["loc"]) == len(union) + 2 and _discriminates(error)
    ] or union_errors
    typed = {error["loc"][: len(union) + 1] for error in kinds if error["loc"][-1:] == ("type",)}
    return next((error for error in kinds if error["loc"][: len(union) + 1] not in typed), kinds[0])


def _within(loc: tuple[Any, ...], outer_locations: set[tuple[Any, ...]]) -> bool:
    return any(loc[: len(other)] == other for other in outer_locations)


def _discriminates(error: Any) -> bool:
    return error["loc"][-1:] in [(key,) for key in _DISCRIMINATORS]


def _is_plain(error: Any) -> bool:
    """Whether the error is that an object or a list is no text, the shorter notation of a union."""
    return error["type"] in ("string_type", "bool_type", "int_type") and error["loc"][-1:] in [("str",), ("bool",)]


def _is_of_union(loc: tuple[Any, ...], value: Any) -> bool:
    """Whether a place ends with the name of a member of a union, and not with a key or an index of the value."""
    for step in loc[:-1]:
        value = _value_at_step(value, step, value)
    return bool(loc) and _value_at_step(value, loc[-1], _NOT_HELD) is _NOT_HELD


def _value_at_step(value: Any, step: Any, other: Any) -> Any:
    """The value at a step of an error's place; ``other`` where that names a type."""
    entry = isinstance(value, list) and isinstance(step, int) and step < len(value)
    return value[step] if entry or (isinstance(value, dict) and step in value) else other


def _pointer(steps: tuple[Any, ...], value: Any, *, missing: bool) -> str:
    """The place of an error: its steps, without the names of types between them."""
    pointer = ""
    for number, step in enumerate(steps):
        inner = _value_at_step(value, step, _NOT_HELD)
        if inner is not _NOT_HELD:
            pointer, value = join(pointer, step), inner
        elif missing and number == len(steps) - 1:
            pointer = join(pointer, step)
    return pointer
