"""A stream in other pieces or lines: its deltas cut or joined, events that say nothing, other framing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import append_text, deep_copy, equal
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.basics.streaming.cuts import REFRAMINGS
from toolcall_conformance.trust.harmless.notations import Notation, Site, is_there, rewriter, value_at, with_choices
from toolcall_conformance.trust.nodes import holder_of
from toolcall_conformance.trust.operators.spots import fit


def _frame_choices(notation: Notation, _body: Any) -> Iterator[Site]:
    for choice in notation.raw["frames"]:
        yield Site("", choice)


@rewriter(_frame_choices)
def reframe(_spelling: Notation, body: Any, site: Site) -> None:
    text = dump(body["events"]).decode()
    body.update(parse(REFRAMINGS[site.choice](text).encode("utf-8", "backslashreplace")))


_UNCOUNTED = "/no"


def _events(notation: Notation, body: Any) -> Iterator[Site]:
    """The events that fit."""
    for number, event in enumerate(body["events"]):
        if notation.fits(event):
            yield Site(f"/events/{number}")


@rewriter(with_choices(_events, "characters", "halves", "empty-first", "empty-last"))
def split_delta(notation: Notation, body: Any, site: Site) -> None:
    """Split a delta. Only the first has the members ``once``, only the last the members ``late``."""
    events, number = holder_of(body, site.pointer)
    event, place = events[number], notation.raw["text"]
    text = value_at(event, place)
    fit(isinstance(text, str) and text)
    pieces = _pieces(text, site.choice)
    fit(len(pieces) > 1)
    events[number : number + 1] = [
        _piece(notation, event, piece, is_first=order == 0, is_last=order == len(pieces) - 1)
        for order, piece in enumerate(pieces)
    ]
    _count(notation, events)


def _pieces(text: str, choice: str) -> list[str]:
    if choice == "characters":
        return list(text)
    if choice == "halves":
        return [text[: len(text) // 2], text[len(text) // 2 :]] if len(text) > 1 else [text]
    return ["", text] if choice == "empty-first" else [text, ""]


def _piece(notation: Notation, event: Any, text: str, *, is_first: bool, is_last: bool) -> Any:
    piece = deep_copy(event)
    holder, key = holder_of(piece, notation.raw["text"])
    holder[key] = text
    if not is_first:
        _remove(piece, notation.raw.get("once", ()))
    if not is_last:
        _remove(piece, notation.raw.get("late", ()))
        for place, value in notation.raw.get("meanwhile", {}).items():
            if is_there(piece, place):
                above, name = holder_of(piece, place)
                above[name] = deep_copy(value)
    return piece


def _remove(event: Any, places: Any) -> None:
    for place in places:
        if is_there(event, place):
            holder, key = holder_of(event, place)
            del holder[key]


def _whole(_spelling: Notation, _body: Any) -> Iterator[Site]:
    yield Site("/events")


@rewriter(_whole)
def merge_deltas(notation: Notation, body: Any, _site: Site) -> None:
    """Deltas in a row that differ in their text alone are one."""
    events, place = body["events"], notation.raw["text"]
    before = len(events)
    for number in range(before - 1, 0, -1):
        first, second = events[number - 1], events[number]
        if (
            _is_delta(notation, first)
            and _is_delta(notation, second)
            and _frame(notation, first) == _frame(notation, second)
        ):
            holder, key = holder_of(first, place)
            holder[key] = append_text(holder[key], value_at(second, place))
            del events[number]
    fit(len(events) < before)
    _count(notation, events)


def _is_delta(notation: Notation, event: Any) -> bool:
    return notation.fits(event) and isinstance(value_at(event, notation.raw["text"]), str)


def _frame(notation: Notation, event: Any) -> Any:
    """A delta without its text and what is the event's own."""
    frame = deep_copy(event)
    holder, key = holder_of(frame, notation.raw["text"])
    holder[key] = ""
    _remove(frame, [*notation.raw.get("own", ()), *([notation.raw["count"]] if "count" in notation.raw else [])])
    return frame


@rewriter(_whole)
def merge_chunks(notation: Notation, body: Any, _site: Site) -> None:
    """Chunks in a row are one: their lists of parts are joined, all else is as in the later one."""
    events, place = body["events"], notation.raw["list"]
    before = len(events)
    for number in range(before - 1, 0, -1):
        first, second = value_at(events[number - 1], place), value_at(events[number], place)
        if isinstance(first, list) and isinstance(second, list) and notation.fits(events[number - 1]):
            second[:0] = first
            del events[number - 1]
    fit(len(events) < before)


@rewriter(_events)
def split_chunk(notation: Notation, body: Any, site: Site) -> None:
    """Each entry of a chunk's list comes in a chunk of its own; what is ``late`` comes with the last one."""
    events, number = holder_of(body, site.pointer)
    event, place = events[number], notation.raw["list"]
    entries = value_at(event, place)
    fit(isinstance(entries, list) and len(entries) > 1)
    chunks = []
    for order, entry in enumerate(entries):
        chunk = deep_copy(event)
        holder, key = holder_of(chunk, place)
        holder[key] = [deep_copy(entry)]
        if order + 1 < len(entries):
            _remove(chunk, notation.raw.get("late", ()))
        chunks.append(chunk)
    events[number : number + 1] = chunks


@rewriter(_events)
def insert_event(notation: Notation, body: Any, site: Site) -> None:
    """Insert an event without content after one that fits: ``event``, or a copy of that one with ``set``."""
    events, number = holder_of(body, site.pointer)
    event = deep_copy(notation.raw["event"]) if "event" in notation.raw else deep_copy(events[number])
    for place, value in notation.raw.get("set", {}).items():
        holder, key = holder_of(event, place)
        holder[key] = deep_copy(value)
    fit(number + 1 < len(events) and not equal(event, events[number]))
    events.insert(number + 1, event)
    _count(notation, events)


def _count(notation: Notation, events: list[Any]) -> None:
    """Number the events anew, where the format counts them."""
    place = str(notation.raw.get("count", _UNCOUNTED))
    numbered = [event for event in events if is_there(event, place)]
    start = min((value_at(event, place) for event in numbered), default=0)
    for number, event in enumerate(numbered, start):
        holder, key = holder_of(event, place)
        holder[key] = number
