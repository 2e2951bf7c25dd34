"""The parts of a stream that habits change: chunks, their first choice, and the entries of calls."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, parse

Events = list[dict[str, Any]]
Entry = dict[str, Any]


def first_choice(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first choice of a chunk; None for ``[DONE]``, an error, and a chunk without choices."""
    data = event.get("data")
    choices = data.get("choices") if isinstance(data, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and isinstance(first.get("delta"), dict) else None


def choices(events: Events) -> Iterator[dict[str, Any]]:
    """Yield the first choice of each chunk that has one."""
    yield from (choice for event in events if (choice := first_choice(event)) is not None)


def chunk_entries(event: dict[str, Any]) -> list[Entry]:
    """Return the entries of ``tool_calls`` in a chunk."""
    choice = first_choice(event)
    tool_calls = choice["delta"].get("tool_calls") if choice is not None else None
    return [entry for entry in tool_calls if isinstance(entry, dict)] if isinstance(tool_calls, list) else []


def entries(events: Events) -> Iterator[Entry]:
    """Yield all entries of ``tool_calls``, in order."""
    yield from (entry for event in events for entry in chunk_entries(event))


def call_member(entry: Entry) -> dict[str, Any]:
    """Return the member of an entry with the name and the arguments; an empty object if it has none."""
    return next((entry[key] for key in ("function", "custom") if isinstance(entry.get(key), dict)), {})


def is_head(entry: Entry) -> bool:
    """Whether an entry begins a call."""
    return bool(call_member(entry).get("name"))


def is_function(entry: Entry) -> bool:
    """Whether an entry belongs to a function call: compatible servers have no other calls."""
    return "custom" not in entry and entry.get("type") != "custom"


def is_plain(events: Events) -> bool:
    """Whether all calls are function calls, begin with id and name, and follow one another, as OpenAI streams them."""
    order: list[Any] = [entry.get("index") for entry in entries(events)]
    identified = {entry.get("index") for entry in entries(events) if is_head(entry) and "id" in entry}
    has_indexes = all(isinstance(index, int) for index in order)
    return has_indexes and identified == {*order} and order == sorted(order) and all(map(is_function, entries(events)))


def split_heads(events: Events, later_part: Callable[[Entry], Entry]) -> Events:
    """Split the first entry of each call: what ``later_part`` takes out of it follows in a chunk of its own."""
    written: Events = []
    for event in events:
        written.append(event)
        rest = [later_part(entry) for entry in chunk_entries(event) if is_head(entry)]
        choice = first_choice(event)
        if not rest or choice is None:
            continue
        more = copy.deepcopy(event)
        more["data"]["choices"] = [{**choice, "delta": {"tool_calls": rest}}]
        choice["finish_reason"] = None
        written.append(more)
    return written


def drop_empty_chunks(events: Events) -> Events:
    """Return the events without chunks that have become empty."""
    return [event for event in events if not _is_empty(event)]


def _is_empty(event: dict[str, Any]) -> bool:
    choice = first_choice(event)
    if choice is None or choice.get("finish_reason") or event["data"].get("usage"):
        return False
    return bool(choice["delta"] == {"tool_calls": []})


def arguments_object(arguments: Any) -> Any:
    """Return the object of a JSON text of arguments; any other text unchanged."""
    try:
        parsed_arguments = parse(arguments) if isinstance(arguments, str) else arguments
    except JSONError:
        return arguments
    return parsed_arguments if isinstance(parsed_arguments, dict) else arguments
