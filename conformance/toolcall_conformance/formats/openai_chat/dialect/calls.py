"""What compatible servers do to the calls of a stream: to their ids, names, indexes and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import (
    Entry,
    Events,
    choice_of,
    entries,
    entries_of,
    holder_of,
    is_head,
    is_plain,
    later,
    object_of,
    without_empty,
)

_WHOLE_HEAD = ("id", "type")


def _of_plain(habit: Callable[[Events], Events]) -> Habit:
    """The habit, for streams whose calls are as OpenAI streams those of functions."""

    def kept(events: Events) -> Events:
        return habit(events) if is_plain(events) else events

    return kept


def _each(change: Callable[[Entry], Any], *, heads: bool | None = None) -> Habit:
    """A change in each entry; with ``heads`` only in those that name a call, or only in those that follow them."""

    def changed(events: Events) -> Events:
        named = set()
        for entry in entries(events):
            if heads is None or (is_head(entry) if heads else entry.get("index") in named):
                change(entry)
            if is_head(entry):
                named.add(entry.get("index"))
        return events

    return _of_plain(changed)


def _split(later_part: Callable[[Entry], Entry]) -> Habit:
    return _of_plain(lambda events: later(events, later_part))


def _name_later(entry: Entry) -> Entry:
    return {"index": entry["index"], "function": entry.pop("function")}


def _id_later(entry: Entry) -> Entry:
    function = entry["function"]
    later_entry = {
        "index": entry["index"],
        "id": entry.pop("id"),
        "function": {"arguments": function.get("arguments", "")},
    }
    function["arguments"] = ""
    return later_entry


def _named_later(entry: Entry) -> Entry:
    later_entry = {**entry, "function": entry["function"]}
    entry["function"] = {"name": "", "arguments": ""}
    return later_entry


@_of_plain
def _arguments_first(events: Events) -> Events:
    """The first piece of the arguments comes before what names their call."""
    pieces = {}
    for entry in entries(events):
        function = holder_of(entry)
        if function.get("arguments") and entry["index"] not in pieces:
            pieces[entry["index"]] = function["arguments"]
            function["arguments"] = ""

    def taken(entry: Entry) -> Entry:
        later_entry = {**entry, "function": {**entry["function"], "arguments": ""}}
        for key in _WHOLE_HEAD:
            entry.pop(key, None)
        entry["function"] = {"arguments": pieces.get(entry["index"], "")}
        return later_entry

    return later(events, taken) if all(entry["index"] in pieces for entry in entries(events)) else events


@_of_plain
def _repeated(events: Events) -> Events:
    """Id, type and name are there again in each entry."""
    heads: dict[int, Entry] = {}
    for entry in entries(events):
        if is_head(entry):
            heads[entry["index"]] = entry
        head = heads[entry["index"]]
        entry.update({key: head[key] for key in _WHOLE_HEAD if key in head})
        entry["function"] = {"name": head["function"]["name"], **holder_of(entry)}
    return events


def _named(entry: Entry, call_id: str, name: str | None) -> None:
    entry.update(id=call_id, function={"name": name, **holder_of(entry)})


def _drifted(entry: Entry) -> None:
    """All later entries of a call have one other id."""
    entry["id"] = f"call_{entry['index']}f0e1d2c3b4a59687"


def _indexed(change: Callable[[int], int]) -> Habit:
    return _each(lambda entry: entry.update(index=change(entry["index"])))


@_of_plain
def _index_drifts(events: Events) -> Events:
    """The arguments of a reply's only call have the next index."""
    if len({entry["index"] for entry in entries(events)}) == 1:
        for entry in entries(events):
            entry["index"] += not is_head(entry)
    return events


@_of_plain
def _whole(events: Events) -> Events:
    """Each call is whole in the chunk that begins it."""
    heads = {entry["index"]: entry["function"] for entry in entries(events) if is_head(entry)}
    for entry in entries(events):
        if not is_head(entry):
            head = heads[entry["index"]]
            head["arguments"] = (head.get("arguments") or "") + (holder_of(entry).get("arguments") or "")
    for event in events:
        choice = choice_of(event)
        if choice is not None and entries_of(event):
            choice["delta"]["tool_calls"] = [entry for entry in entries_of(event) if is_head(entry)]
    return without_empty(events)


def _objects(events: Events) -> Events:
    """Each call is whole, and its arguments are an object instead of its JSON text."""
    if not is_plain(events):
        return events
    for entry in entries(events := _whole(events)):
        entry["function"]["arguments"] = object_of(entry["function"].get("arguments"))
    return events


@_of_plain
def _nothing(events: Events) -> Events:
    """The arguments of a call without any are an empty text."""
    texts: dict[int, str] = {}
    for entry in entries(events):
        texts[entry["index"]] = texts.get(entry["index"], "") + (holder_of(entry).get("arguments") or "")
    for entry in entries(events):
        if texts[entry["index"]].strip() == "{}" and "arguments" in holder_of(entry):
            entry["function"]["arguments"] = ""
    return events


def _head_without(entry: Entry) -> None:
    if entry["function"].get("arguments") == "":
        del entry["function"]["arguments"]


def _head_null(entry: Entry) -> None:
    if entry["function"].get("arguments") == "":
        entry["function"]["arguments"] = None


@_of_plain
def _empty_behind(events: Events) -> Events:
    """An empty piece of arguments ends each call."""
    written: Events = []
    for place, event in enumerate(events):
        written.append(event)
        here = {entry["index"] for entry in entries_of(event)}
        rest = {entry["index"] for entry in entries(events[place + 1 :])}
        choice = choice_of(event)
        if choice is not None and here - rest and not choice.get("finish_reason"):
            empty_entries = [{"index": index, "function": {"arguments": ""}} for index in sorted(here - rest)]
            written.append(
                {**event, "data": {**event["data"], "choices": [{**choice, "delta": {"tool_calls": empty_entries}}]}}
            )
    return written


HABITS: Mapping[str, Habit] = {
    "arguments-whole": _whole,
    "arguments-object": _objects,
    "arguments-empty": _nothing,
    "arguments-empty-piece": _empty_behind,
    "arguments-first": _arguments_first,
    "id-before-name": _split(_name_later),
    "name-before-id": _split(_id_later),
    "name-empty-first": _split(_named_later),
    "id-absent": _each(lambda entry: entry.pop("id", None)),
    "id-empty": _each(lambda entry: entry.update(id=""), heads=True),
    "id-null-after": _each(lambda entry: entry.update(id=None), heads=False),
    "id-empty-after": _each(lambda entry: _named(entry, "", None), heads=False),
    "names-empty-after": _each(lambda entry: _named(entry, "", ""), heads=False),
    "id-repeated": _repeated,
    "id-drifting": _each(_drifted, heads=False),
    "arguments-unsaid": _each(_head_without, heads=True),
    "arguments-null": _each(_head_null, heads=True),
    "type-absent": _each(lambda entry: entry.pop("type", None)),
    "index-absent": _each(lambda entry: entry.pop("index")),
    "index-zero": _indexed(lambda _: 0),
    "index-from-one": _indexed(lambda index: index + 1),
    "index-drifting": _index_drifts,
}
