"""The same conversation in other messages, and what says nothing in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading import Text
from toolcall_conformance.reading.model import Reading, Value
from toolcall_conformance.translation.chunks import squeeze
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance

_CONTENT = ("content", "parts")


@tolerance("turns-merged")
def turns_merged(bodies: Bodies) -> Iterator[Occurrence]:
    """Two texts stand in one message here and in two there."""
    before = _neighbours(bodies.pair.source, bodies.before)
    after = _neighbours(bodies.pair.output, bodies.after)
    for key, (text, together) in after.items():
        if key in before and before[key][1] != together:
            yield Occurrence(text.pointer, before[key][0].pointer)


def _neighbours(reading: Reading, body: Any) -> dict[tuple[str, str], tuple[Text, bool]]:
    """Neighbouring texts of one turn by what they say: the second, and whether both stand in one message."""
    found = {}
    for turn in reading.turns:
        texts = [item for item in turn.items if isinstance(item, Text)]
        for one, two in pairwise(texts):
            together = _holder(one.pointer, body) == _holder(two.pointer, body)
            found[squeeze(one.text), squeeze(two.text)] = two, together
    return found


def _holder(pointer: str, body: Any) -> str:
    """The pointer of the innermost object with a role around a place; blank where there is none."""
    value, at, found = body, "", ""
    for token in pointer.split("/")[1:]:
        try:
            value = value[int(token)] if isinstance(value, list) else value[token]
        except (LookupError, TypeError, ValueError):  # pragma: no cover - a reading points at what is there
            break
        at = join(at, token)
        if isinstance(value, dict) and "role" in value:
            found = at
    return found


@tolerance("blank-text-absent")
def blank_text_absent(bodies: Bodies) -> Iterator[Occurrence]:
    """A message without content, or with null, an empty list or blank text in its place; a part with blank text.

    Listed where one body has more such places than the other: which of them belong together cannot be decided.
    """
    before, after = _blanks(bodies.pair.source, bodies.before), _blanks(bodies.pair.output, bodies.after)
    for pointer, value in after.items():
        if before.get(pointer, "nothing") != value:
            yield Occurrence(pointer, pointer if pointer in before else None, before.get(pointer, MISSING), value)
    if len(before) > len(after):
        yield from (Occurrence("", pointer, value) for pointer, value in before.items() if pointer not in after)


def _blanks(reading: Reading, body: Any) -> dict[str, Any]:
    """What says nothing in a body, by pointer; arguments, results and schemas are not looked into."""
    closed = {call.arguments_pointer for call in reading.calls} | {tool.pointer for tool in reading.tools}
    closed |= {part.pointer for result in reading.results for part in result.parts if isinstance(part, Value)}
    found: dict[str, Any] = {}
    places = [("", body)]
    while places:
        pointer, value = places.pop()
        if pointer in closed:
            continue
        if isinstance(value, list):
            places += [(join(pointer, index), entry) for index, entry in enumerate(value)]
        elif isinstance(value, dict):
            places += [(join(pointer, key), entry) for key, entry in value.items()]
            found |= _blank_members(value, pointer)
    return found


def _blank_members(value: dict[str, Any], pointer: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "role" in value:
        key = next((key for key in _CONTENT if key in value), None)
        if key is None:
            found[pointer] = MISSING
        elif value[key] in (None, []) or _is_blank(value[key]):
            found[join(pointer, key)] = value[key]
    if _is_blank(value.get("text")):
        found[join(pointer, "text")] = value["text"]
    return found


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()
