"""Compares what a stream states twice: an item when it is done and in the reply, a reply at its start and end.

In recorded official streams only the members that are listed here change.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.formats.openai_responses.stream.events import FRAGMENTED_TEXTS, IDENTITY_KEYS

CHANGING_KEYS = frozenset(
    {
        *("id", "output", "output_text", "status", "usage", "completed_at", "service_tier", "content_filters"),
        *("error", "incomplete_details", "created_at"),
    }
)
"""Members of a response that change until its end, or that other rules check.

The time is one: servers that read the clock twice have different times in some runs only.
"""

RENEWED_KEYS = frozenset({"encrypted_content"})
"""Members of an item that are new in each statement."""

_ABSENT_VALUES = (MISSING, None)

_TEXT_KEYS = frozenset(piece.key for piece in FRAGMENTED_TEXTS.values())
_PART_KEYS = frozenset(piece.list_key for piece in FRAGMENTED_TEXTS.values() if piece.list_key)


@dataclass(frozen=True, slots=True)
class Restatement:
    """A member that differs from its first statement: its pointer in the later one, and both values."""

    pointer: str
    want: Any
    got: Any


def member_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], but: Collection[str], pointer: str
) -> Iterator[Restatement]:
    """Yield the members that differ in two statements; one that is absent or null in either does not differ."""
    for key, old_value in before.items():
        new_value = after.get(key)
        if key not in but and old_value is not None and new_value is not None:
            yield from _differences(old_value, new_value, join(pointer, key))


def _differences(before: Any, after: Any, pointer: str) -> Iterator[Restatement]:
    """Yield the differences of two values at any depth, by members and entries; null counts as absent."""
    waiting = [(before, after, pointer, pointer)]
    while waiting:
        old_value, new_value, at, holder = waiting.pop()
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            keys = reversed({**old_value, **new_value})
            waiting += [(old_value.get(key, MISSING), new_value.get(key, MISSING), join(at, key), at) for key in keys]
        elif isinstance(old_value, list) and isinstance(new_value, list) and len(old_value) == len(new_value):
            both = zip(old_value, new_value, range(len(old_value)), strict=True)
            waiting += [(left, other, join(at, place), at) for left, other, place in reversed([*both])]
        elif old_value in _ABSENT_VALUES or new_value in _ABSENT_VALUES:
            if old_value not in _ABSENT_VALUES or new_value not in _ABSENT_VALUES:
                yield Restatement(holder if new_value is MISSING else at, old_value, new_value)
        elif not equal(old_value, new_value):
            yield Restatement(at, old_value, new_value)


def item_changes(before: Mapping[str, Any], after: Mapping[str, Any], pointer: str) -> Iterator[Restatement]:
    """Yield how an item differs from when it was done; its identity and its texts have rules of their own."""
    lists = {key for key in _PART_KEYS if isinstance(before.get(key), list) and isinstance(after.get(key), list)}
    other_keys = {*IDENTITY_KEYS, *RENEWED_KEYS, *_TEXT_KEYS, *_PART_KEYS}
    if before.get("status") is None:  # a rule of its own demands the status of a done item
        other_keys.add("status")
    yield from _differences(_without_keys(before, other_keys), _without_keys(after, other_keys), pointer)
    yield from member_changes(
        before, after, {*IDENTITY_KEYS, *RENEWED_KEYS, *lists, *_common_text_keys(before, after)}, pointer
    )
    for key in sorted(lists):
        yield from _list_changes(before[key], after[key], join(pointer, key))


def part_changes(before: Any, after: Any, pointer: str) -> Iterator[Restatement]:
    """Yield how a part differs from when it was done; texts have a rule of their own."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from member_changes(before, after, _common_text_keys(before, after), pointer)
    else:
        yield from _differences(before, after, pointer)


def beginning_changes(beginning: Mapping[str, Any], done: Mapping[str, Any], pointer: str) -> Iterator[Restatement]:
    """Yield the string members of a done item that differ from when it was added; streamed texts are left out."""
    for key, old_value in beginning.items():
        new_value = done.get(key)
        is_fixed_text = (
            isinstance(old_value, str)
            and old_value
            and key not in {*IDENTITY_KEYS, *RENEWED_KEYS, *_TEXT_KEYS, "status"}
        )
        if is_fixed_text and new_value is not None:
            yield from _differences(old_value, new_value, join(pointer, key))


def annotation_changes(
    notes: Iterable[tuple[Any, Any, Any]], item: Mapping[str, Any], pointer: str
) -> Iterator[Restatement]:
    """Yield the annotations of a done item that differ from their events."""
    for place, number, note in notes:
        where = join("", "content", place, "annotations")
        try:
            final_notes = resolve(item, where)
        except LookupError:
            continue
        if isinstance(final_notes, list):  # a part without the list leaves it out
            yield from _annotation_changes(final_notes, number, note, pointer + where)


def _annotation_changes(final_notes: list[Any], number: Any, note: Any, pointer: str) -> Iterator[Restatement]:
    if not isinstance(number, int) or isinstance(number, bool):
        return
    if 0 <= number < len(final_notes):
        yield from _differences(note, final_notes[number], join(pointer, number))
    else:
        yield Restatement(pointer, note, MISSING)


def _list_changes(before: list[Any], after: list[Any], pointer: str) -> Iterator[Restatement]:
    if len(before) != len(after):
        yield Restatement(pointer, before, after)
        return
    for place, (old_value, new_value) in enumerate(zip(before, after, strict=True)):
        yield from part_changes(old_value, new_value, join(pointer, place))


def _without_keys(item: Mapping[str, Any], keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in keys}


def _common_text_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    return {key for key in _TEXT_KEYS if isinstance(before.get(key), str) and isinstance(after.get(key), str)}
