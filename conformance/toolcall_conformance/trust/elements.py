"""Which element a place of a body belongs to: a call, its id, a text, a setting.

It is that of the place of the body's reading that it is, or that alone is below it, or else the innermost around it.
An event of a stream belongs to what the assembled reply lacks without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import deep_copy, enclosing_pointers, equal
from toolcall_conformance.basics.reading import Call, Hosted, Media, Opaque, Reading, Reasoning, Result, Text
from toolcall_conformance.trust.nodes import holder_of, nodes
from toolcall_conformance.trust.places import Direction

_ITEMS = ((Media, "media"), (Reasoning, "reasoning"), (Opaque, "state"), (Hosted, "hosted"), (Text, "text"))


class Elements:
    """The elements of one body. ``tops`` are those of the members at the top of a reply."""

    def __init__(self, name: str, direction: Direction, body: Any, tops: Mapping[str, str]) -> None:
        self._format, self._stream = name, body if direction == "stream" else None
        self._tops = {} if direction == "request" else tops
        self._whole = self._assemble(body) if direction == "stream" else body
        read = "request" if direction == "request" else "response"
        self._known = dict(_read_places(formats.read(name, read, self._whole)))
        self._below = _elements_below(self._known)
        self._events: dict[str, str] = {}

    def at(self, pointer: str) -> str:
        """The element at a place of the body, or of the stream."""
        if self._stream is None:
            return self._top_element(pointer)
        if pointer not in self._events:
            self._events[pointer] = self._without(pointer) or "frame"
        return self._events[pointer]

    def _top_element(self, pointer: str) -> str:
        if pointer in self._known:
            return self._known[pointer]
        first = pointer.split("/")[1]
        if first in self._tops:
            return self._tops[first]
        if len(elements := self._below.get(pointer, ())) == 1:
            return next(iter(elements))
        around_it = [self._known[place] for place in enclosing_pointers(pointer) if place in self._known]
        if around_it:
            return around_it[-1]
        # Other members of a text's block belong to the text; those at the top of the body to no element.
        beside = elements or next(
            (self._below[place] for place in reversed([*enclosing_pointers(pointer)][1:]) if place in self._below), ()
        )
        return (next(iter(beside)) if len(beside) == 1 else "turn") if beside else "envelope"

    def _assemble(self, stream: Any) -> Any:
        return formats.assemble(self._format, stream).body

    def _without(self, pointer: str) -> str:
        """What the assembled reply lacks without something of its stream; empty for nothing."""
        stream = deep_copy(self._stream)
        holder, key = holder_of(stream, pointer)
        del holder[key]
        counts = Counter(map(self._top_element, _changes(self._whole, self._assemble(stream))))
        named_counts = {name: count for name, count in counts.items() if name != "envelope"} or counts
        return max(named_counts, key=lambda name: named_counts[name], default="")


def _elements_below(elements: Mapping[str, str]) -> Mapping[str, Collection[str]]:
    """For each place of a body the elements of the nearest known places below it."""
    elements_below: dict[str, set[str]] = {}
    depths: dict[str, int] = {}
    for pointer, element in sorted(elements.items(), key=lambda entry: entry[0].count("/")):
        depth = pointer.count("/")
        for place in enclosing_pointers(pointer):
            if place != pointer and depths.setdefault(place, depth) == depth:
                elements_below.setdefault(place, set()).add(element)
    return elements_below


def _read_places(reading: Reading) -> Iterator[tuple[str, str]]:
    """Each place that a reading has read, with its element; the outer ones first."""
    for turn in reading.turns:
        yield turn.pointer, "turn"
    for text in reading.system:
        yield text.pointer, "system"
    for turn in reading.turns:
        for item in turn.items:
            yield from _item_elements(item)
    for tool in reading.tools:
        yield tool.pointer, "tool"
        if tool.schema_pointer is not None:
            yield tool.schema_pointer, "schema"
    for setting in reading.settings.values():
        yield setting.pointer, "setting"
    if reading.finish is not None:
        yield reading.finish.pointer, "finish"


def _item_elements(item: Any) -> Iterator[tuple[str, str]]:
    if isinstance(item, Call):
        yield from _pointers_of_linked(item, "call")
        if item.arguments_pointer is not None:
            yield item.arguments_pointer, "arguments"
    elif isinstance(item, Result):
        yield from _pointers_of_linked(item, "result")
        for part in item.parts:
            yield part.pointer, "media" if isinstance(part, Media) else "result"
    else:
        yield item.pointer, next((name for kind, name in _ITEMS if isinstance(item, kind)), "turn")


def _pointers_of_linked(item: Call | Result, name: str) -> Iterator[tuple[str, str]]:
    yield item.pointer, name
    if item.name_pointer is not None:
        yield item.name_pointer, "name"
    if item.id_pointer is not None:
        yield item.id_pointer, "id"


def _changes(before: Any, after: Any) -> Iterator[str]:
    """The innermost places of ``before`` that ``after`` does not have with the same value."""
    new_values = {node.pointer: node.value for node in nodes(after)}
    for node in nodes(before):
        inner = node.kind not in ("list", "object") or not node.value
        if inner and (node.pointer not in new_values or not equal(new_values[node.pointer], node.value)):
            yield node.pointer


def is_about(finding: Finding, pointer: str, told_as: Collection[str]) -> bool:
    """Whether a finding is about the element of a fault at ``pointer``: by its element, or by where it points."""
    if finding.element in told_as:
        return True
    inner, outer = sorted((f"{finding.pointer}/", f"{pointer}/"), key=len, reverse=True)
    return finding.pointer.count("/") > 1 and inner.startswith(outer)
