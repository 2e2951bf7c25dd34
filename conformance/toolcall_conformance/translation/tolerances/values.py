"""One JSON value in two spellings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading import Call, Opaque, Reading
from toolcall_conformance.reading.model import Media, Result, Unreadable
from toolcall_conformance.translation.calls import arguments_equal
from toolcall_conformance.translation.media_bytes import base64_spelling, in_pairs, same_bytes
from toolcall_conformance.translation.odd_arguments import is_odd, keeps, means_empty, shown
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


def _calls(bodies: Bodies) -> Iterator[tuple[Call, Call]]:
    """Aligned calls whose arguments are the same JSON value."""
    source, output = bodies.pair.source.calls, bodies.pair.output.calls
    for left, right in bodies.pair.calls.items():
        one, two = source[left], output[right]
        readable = not isinstance(one.arguments, Unreadable) and not isinstance(two.arguments, Unreadable)
        if readable and equal(one.arguments, two.arguments):
            yield one, two


@tolerance("arguments-as-json")
def arguments_as_json(bodies: Bodies) -> Iterator[Occurrence]:
    """JSON text of arguments that another writer would have spelt otherwise: other white space, escapes, order."""
    for one, two in _calls(bodies):
        want, got = bodies.source(one.arguments_pointer), bodies.output(two.arguments_pointer)
        if {type(want), type(got)} <= {str, dict} and _spellings(want).isdisjoint(_spellings(got)):
            yield Occurrence(two.arguments_pointer or two.pointer, one.arguments_pointer, want, got)


def _spellings(arguments: Any) -> set[str]:
    """A text, or the texts that the usual writers make of an object."""
    if isinstance(arguments, str):
        return {arguments}
    return {json.dumps(arguments, ensure_ascii=False, separators=pair) for pair in ((",", ":"), (", ", ": "))}


@tolerance("number-spelling")
def number_spelling(bodies: Bodies) -> Iterator[Occurrence]:
    """A number as 5 on one side and as 5.0 on the other."""
    for one, two in _calls(bodies):
        for want, got in _numbers(one.arguments, two.arguments):
            yield Occurrence(two.arguments_pointer or two.pointer, one.arguments_pointer, want, got)
    for name, setting in bodies.pair.source.settings.items():
        other = bodies.pair.output.settings.get(name)
        if other is not None and equal(setting.value, other.value):
            for want, got in _numbers(setting.value, other.value):
                yield Occurrence(other.pointer, setting.pointer, want, got)


def _numbers(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers inside two equal values that are whole on one side only."""
    if isinstance(left, dict):
        for key, value in left.items():
            yield from _numbers(value, right[key])
    elif isinstance(left, list):
        for one, two in zip(left, right, strict=True):
            yield from _numbers(one, two)
    elif type(left) is not type(right):
        yield left, right


def _pairs(bodies: Bodies) -> Iterator[tuple[Call, Call]]:
    """Aligned calls."""
    return (
        (bodies.pair.source.calls[left], bodies.pair.output.calls[right]) for left, right in bodies.pair.calls.items()
    )


@tolerance("big-integers-as-doubles")
def big_integers_as_doubles(bodies: Bodies) -> Iterator[Occurrence]:
    """A whole number in arguments is another one with the same double."""
    if bodies.pair.both("big-integers"):
        return
    for one, two in _pairs(bodies):
        if (
            one.kind == two.kind
            and arguments_equal(one, two, exact=False)
            and not arguments_equal(one, two, exact=True)
        ):
            yield _of_arguments(one, two)


@tolerance("unreadable-arguments-as-text")
def unreadable_arguments_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """Arguments that are no JSON object are inside one, as text or as they are."""
    for one, two in _pairs(bodies):
        if is_odd(one) and not equal(shown(one), shown(two)) and keeps(one, two):
            yield _of_arguments(one, two)


@tolerance("empty-arguments")
def empty_arguments(bodies: Bodies) -> Iterator[Occurrence]:
    """Arguments that say in another way than ``{}`` that there are none are ``{}``."""
    for one, two in _pairs(bodies):
        if is_odd(one) and means_empty(bodies.pair.corpus, one, two):
            yield _of_arguments(one, two)


@tolerance("custom-tool-as-function")
def custom_tool_as_function(bodies: Bodies) -> Iterator[Occurrence]:
    """A tool that takes free text is a function, and its text a member of the arguments; or the reverse."""
    for tool, twin in bodies.pair.twins:
        if {tool.kind, twin.kind} == {"custom", "function"}:
            yield Occurrence(twin.pointer, tool.pointer, tool.kind, twin.kind)
    for one, two in _pairs(bodies):
        kinds = {one.kind, two.kind}
        if kinds == {"custom", "function"} and arguments_equal(one, two, exact=True):
            yield _of_arguments(one, two)


@tolerance("own-tool-as-another")
def own_tool_as_another(bodies: Bodies) -> Iterator[Occurrence]:
    """A tool that its API defines and the client runs is a function or a tool of another API; so are its calls."""
    for tool, twin in bodies.pair.twins:
        if "hosted" in (tool.kind, twin.kind):
            yield Occurrence(twin.pointer, tool.pointer, tool.type or tool.name, twin.type or twin.name)
    for one, two in _pairs(bodies):
        if "builtin" in (one.kind, two.kind) and arguments_equal(one, two, exact=True):
            yield _of_arguments(one, two)


def _of_arguments(one: Call, two: Call) -> Occurrence:
    return Occurrence(two.arguments_pointer or two.pointer, one.arguments_pointer, shown(one), shown(two))


@tolerance("base64-alphabet")
def base64_alphabet(bodies: Bodies) -> Iterator[Occurrence]:
    """Media or state with the same bytes in other characters."""
    for one, two in same_bytes(_media(bodies.pair.source), _media(bodies.pair.output)):
        if one.data != two.data:
            yield Occurrence(two.pointer, one.pointer, _short(one.data), _short(two.data))
    if not bodies.pair.target.get("opaque_as_bytes"):
        return
    for old, new in in_pairs(_opaque(bodies.pair.source), _opaque(bodies.pair.output), _spelling):
        if old.value != new.value:
            yield Occurrence(new.pointer, old.pointer, _short(old.value), _short(new.value))


def _media(reading: Reading) -> Iterator[Media]:
    for turn in reading.turns:
        for item in turn.items:
            parts = item.parts if isinstance(item, Result) else (item,)
            yield from (part for part in parts if isinstance(part, Media) and part.data is not None)


def _opaque(reading: Reading) -> Iterator[Opaque]:
    return (item for turn in reading.turns for item in turn.items if isinstance(item, Opaque))


def _spelling(state: Opaque) -> str:
    return base64_spelling(state.value)


def _short(data: str | None) -> str:
    """The end of base64: there the padding is."""
    return f"…{(data or '')[-12:]}"
