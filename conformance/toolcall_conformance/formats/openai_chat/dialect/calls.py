"""Habits about the calls of a stream: their ids, names, indexes and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import (
    Entry,
    Events,
    arguments_object,
    call_member,
    chunk_entries,
    drop_empty_chunks,
    entries,
    first_choice,
    is_head,
    is_plain,
    split_heads,
)

_HEAD_KEYS = ("id", "type")


def _for_plain_streams(habit: Callable[[Events], Events]) -> Habit:
    """Return the habit for plain streams only: other streams stay unchanged."""

    def apply(events: Events) -> Events:
        return habit(events) if is_plain(events) else events

    return apply


def _change_entries(change: Callable[[Entry], Any], *, heads: bool | None = None) -> Habit:
    """Return a habit that changes each entry; ``heads``: only those that name a call, or only those after them."""

    def apply(events: Events) -> Events:
        named = set()
        for entry in entries(events):
            if heads is None or (is_head(entry) if heads else entry.get("index") in named):
                change(entry)
            if is_head(entry):
                named.add(entry.get("index"))
        return events

    return _for_plain_streams(apply)


def _postpone(later_part: Callable[[Entry], Entry]) -> Habit:
    return _for_plain_streams(lambda events: split_heads(events, later_part))


def _take_function(entry: Entry) -> Entry:
    return {"index": entry["index"], "function": entry.pop("function")}


def _take_id(entry: Entry) -> Entry:
    function = entry["function"]
    later_entry = {
        "index": entry["index"],
        "id": entry.pop("id"),
        "function": {"arguments": function.get("arguments", "")},
    }
    function["arguments"] = ""
    return later_entry


def _take_all(entry: Entry) -> Entry:
    later_entry = {**entry, "function": entry["function"]}
    entry["function"] = {"name": "", "arguments": ""}
    return later_entry


@_for_plain_streams
def _move_arguments_first(events: Events) -> Events:
    """Send the first piece of the arguments before the name of their call."""
    pieces = {}
    for entry in entries(events):
        function = call_member(entry)
        if function.get("arguments") and entry["index"] not in pieces:
            pieces[entry["index"]] = function["arguments"]
            function["arguments"] = ""

    def take_head(entry: Entry) -> Entry:
        later_entry = {**entry, "function": {**entry["function"], "arguments": ""}}
        for key in _HEAD_KEYS:
            entry.pop(key, None)
        entry["function"] = {"arguments": pieces.get(entry["index"], "")}
        return later_entry

    return split_heads(events, take_head) if all(entry["index"] in pieces for entry in entries(events)) else events


@_for_plain_streams
def _repeat_heads(events: Events) -> Events:
    """Repeat id, type and name in each entry."""
    heads: dict[int, Entry] = {}
    for entry in entries(events):
        if is_head(entry):
            heads[entry["index"]] = entry
        head = heads[entry["index"]]
        entry.update({key: head[key] for key in _HEAD_KEYS if key in head})
        entry["function"] = {"name": head["function"]["name"], **call_member(entry)}
    return events


def _set_id_and_name(entry: Entry, call_id: str, name: str | None) -> None:
    entry.update(id=call_id, function={"name": name, **call_member(entry)})


def _change_id(entry: Entry) -> None:
    """Give all later entries of a call one other id."""
    entry["id"] = f"call_{entry['index']}f0e1d2c3b4a59687"


def _change_indexes(change: Callable[[int], int]) -> Habit:
    return _change_entries(lambda entry: entry.update(index=change(entry["index"])))


@_for_plain_streams
def _shift_argument_indexes(events: Events) -> Events:
    """Give the arguments of a reply's only call the next index."""
    if len({entry["index"] for entry in entries(events)}) == 1:
        for entry in entries(events):
            entry["index"] += not is_head(entry)
    return events


@_for_plain_streams
def _join_arguments(events: Events) -> Events:
    """Send each call whole in the chunk that begins it."""
    heads = {entry["index"]: entry["function"] for entry in entries(events) if is_head(entry)}
    for entry in entries(events):
        if not is_head(entry):
            head = heads[entry["index"]]
            head["arguments"] = (head.get("arguments") or "") + (call_member(entry).get("arguments") or "")
    for event in events:
        choice = first_choice(event)
        if choice is not None and chunk_entries(event):
            choice["delta"]["tool_calls"] = [entry for entry in chunk_entries(event) if is_head(entry)]
    return drop_empty_chunks(events)


def _parse_arguments(events: Events) -> Events:
    """Send each call whole, with its arguments as an object instead of JSON text."""
    if not is_plain(events):
        return events
    for entry in entries(events := _join_arguments(events)):
        entry["function"]["arguments"] = arguments_object(entry["function"].get("arguments"))
    return events


@_for_plain_streams
def _empty_arguments(events: Events) -> Events:
    """Send an empty text for the arguments ``{}``."""
    texts: dict[int, str] = {}
    for entry in entries(events):
        texts[entry["index"]] = texts.get(entry["index"], "") + (call_member(entry).get("arguments") or "")
    for entry in entries(events):
        if texts[entry["index"]].strip() == "{}" and "arguments" in call_member(entry):
            entry["function"]["arguments"] = ""
    return events


def _drop_head_arguments(entry: Entry) -> None:
    if entry["function"].get("arguments") == "":
        del entry["function"]["arguments"]


def _set_head_arguments_null(entry: Entry) -> None:
    if entry["function"].get("arguments") == "":
        entry["function"]["arguments"] = None


@_for_plain_streams
def _append_empty_pieces(events: Events) -> Events:
    """End each call with an empty piece of arguments."""
    written: Events = []
    for place, event in enumerate(events):
        written.append(event)
        indexes = {entry["index"] for entry in chunk_entries(event)}
        rest = {entry["index"] for entry in entries(events[place + 1 :])}
        choice = first_choice(event)
        if choice is not None and indexes - rest and not choice.get("finish_reason"):
            empty_entries = [{"index": index, "function": {"arguments": ""}} for index in sorted(indexes - rest)]
            written.append(
                {**event, "data": {**event["data"], "choices": [{**choice, "delta": {"tool_calls": empty_entries}}]}}
            )
    return written


HABITS: Mapping[str, Habit] = {
    "arguments-whole": _join_arguments,
    "arguments-object": _parse_arguments,
    "arguments-empty": _empty_arguments,
    "arguments-empty-piece": _append_empty_pieces,
    "arguments-first": _move_arguments_first,
    "id-before-name": _postpone(_take_function),
    "name-before-id": _postpone(_take_id),
    "name-empty-first": _postpone(_take_all),
    "id-absent": _change_entries(lambda entry: entry.pop("id", None)),
    "id-empty": _change_entries(lambda entry: entry.update(id=""), heads=True),
    "id-null-after": _change_entries(lambda entry: entry.update(id=None), heads=False),
    "id-empty-after": _change_entries(lambda entry: _set_id_and_name(entry, "", None), heads=False),
    "names-empty-after": _change_entries(lambda entry: _set_id_and_name(entry, "", ""), heads=False),
    "id-repeated": _repeat_heads,
    "id-drifting": _change_entries(_change_id, heads=False),
    "arguments-unsaid": _change_entries(_drop_head_arguments, heads=True),
    "arguments-null": _change_entries(_set_head_arguments_null, heads=True),
    "type-absent": _change_entries(lambda entry: entry.pop("type", None)),
    "index-absent": _change_entries(lambda entry: entry.pop("index")),
    "index-zero": _change_indexes(lambda _: 0),
    "index-from-one": _change_indexes(lambda index: index + 1),
    "index-drifting": _shift_argument_indexes,
}
