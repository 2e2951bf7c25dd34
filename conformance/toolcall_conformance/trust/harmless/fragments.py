"""A stream in other pieces: its deltas cut or joined, and events between that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import append_text, deep_copy, equal
from toolcall_conformance.trust.harmless.spelling import Site, Spelling, at, is_there, speller, with_choices
from toolcall_conformance.trust.nodes import holder_of
from toolcall_conformance.trust.operators.spots import fit

_UNCOUNTED = "/no"


def _events(spelling: Spelling, body: Any) -> Iterator[Site]:
    """The events that fit."""
    for number, event in enumerate(body["events"]):
        if spelling.fits(event):
            yield Site(f"/events/{number}")


@speller(with_choices(_events, "characters", "halves", "empty-first", "empty-last"))
def split_delta(spelling: Spelling, body: Any, site: Site) -> None:
    """A delta is several. ``once`` is said by the first alone, ``late`` by the last alone."""
    events, number = holder_of(body, site.pointer)
    event, place = events[number], spelling.raw["text"]
    text = at(event, place)
    fit(isinstance(text, str) and text)
    pieces = _pieces(text, site.choice)
    fit(len(pieces) > 1)
    events[number : number + 1] = [
        _piece(spelling, event, piece, first=order == 0, last=order == len(pieces) - 1)
        for order, piece in enumerate(pieces)
    ]
    _count(spelling, events)


def _pieces(text: str, choice: str) -> list[str]:
    if choice == "characters":
        return list(text)
    if choice == "halves":
        return [text[: len(text) // 2], text[len(text) // 2 :]] if len(text) > 1 else [text]
    return ["", text] if choice == "empty-first" else [text, ""]


def _piece(spelling: Spelling, event: Any, text: str, *, first: bool, last: bool) -> Any:
    piece = deep_copy(event)
    holder, key = holder_of(piece, spelling.raw["text"])
    holder[key] = text
    if not first:
        _remove(piece, spelling.raw.get("once", ()))
    if not last:
        _remove(piece, spelling.raw.get("late", ()))
        for place, value in spelling.raw.get("meanwhile", {}).items():
            if is_there(piece, place):
                above, name = holder_of(piece, place)
                above[name] = deep_copy(value)
    return piece


def _remove(event: Any, places: Any) -> None:
    for place in places:
        if is_there(event, place):
            holder, key = holder_of(event, place)
            del holder[key]


def _whole(_spelling: Spelling, _body: Any) -> Iterator[Site]:
    yield Site("/events")


@speller(_whole)
def merge_deltas(spelling: Spelling, body: Any, _site: Site) -> None:
    """Deltas in a row that differ in their text alone are one."""
    events, place = body["events"], spelling.raw["text"]
    before = len(events)
    for number in range(before - 1, 0, -1):
        first, second = events[number - 1], events[number]
        if (
            _is_delta(spelling, first)
            and _is_delta(spelling, second)
            and _frame(spelling, first) == _frame(spelling, second)
        ):
            holder, key = holder_of(first, place)
            holder[key] = append_text(holder[key], at(second, place))
            del events[number]
    fit(len(events) < before)
    _count(spelling, events)


def _is_delta(spelling: Spelling, event: Any) -> bool:
    return spelling.fits(event) and isinstance(at(event, spelling.raw["text"]), str)


def _frame(spelling: Spelling, event: Any) -> Any:
    """A delta without its text and what is the event's own."""
    frame = deep_copy(event)
    holder, key = holder_of(frame, spelling.raw["text"])
    holder[key] = ""
    _remove(frame, [*spelling.raw.get("own", ()), *([spelling.raw["count"]] if "count" in spelling.raw else [])])
    return frame


@speller(_whole)
def merge_chunks(spelling: Spelling, body: Any, _site: Site) -> None:
    """Chunks in a row are one: their lists of parts are joined, all else is as in the later one."""
    events, place = body["events"], spelling.raw["list"]
    before = len(events)
    for number in range(before - 1, 0, -1):
        first, second = at(events[number - 1], place), at(events[number], place)
        if isinstance(first, list) and isinstance(second, list) and spelling.fits(events[number - 1]):
            second[:0] = first
            del events[number - 1]
    fit(len(events) < before)


@speller(_events)
def split_chunk(spelling: Spelling, body: Any, site: Site) -> None:
    """Each entry of a chunk's list comes in a chunk of its own; what is ``late`` comes with the last one."""
    events, number = holder_of(body, site.pointer)
    event, place = events[number], spelling.raw["list"]
    entries = at(event, place)
    fit(isinstance(entries, list) and len(entries) > 1)
    chunks = []
    for order, entry in enumerate(entries):
        chunk = deep_copy(event)
        holder, key = holder_of(chunk, place)
        holder[key] = [deep_copy(entry)]
        if order + 1 < len(entries):
            _remove(chunk, spelling.raw.get("late", ()))
        chunks.append(chunk)
    events[number : number + 1] = chunks


@speller(_events)
def insert_event(spelling: Spelling, body: Any, site: Site) -> None:
    """An event that says nothing stands behind one that fits: as ``event`` has it, or like that one but for ``set``."""
    events, number = holder_of(body, site.pointer)
    event = deep_copy(spelling.raw["event"]) if "event" in spelling.raw else deep_copy(events[number])
    for place, value in spelling.raw.get("set", {}).items():
        holder, key = holder_of(event, place)
        holder[key] = deep_copy(value)
    fit(number + 1 < len(events) and not equal(event, events[number]))
    events.insert(number + 1, event)
    _count(spelling, events)


def _count(spelling: Spelling, events: list[Any]) -> None:
    """Number the events anew, where the format counts them."""
    place = str(spelling.raw.get("count", _UNCOUNTED))
    numbered = [event for event in events if is_there(event, place)]
    start = min((at(event, place) for event in numbered), default=0)
    for number, event in enumerate(numbered, start):
        holder, key = holder_of(event, place)
        holder[key] = number
