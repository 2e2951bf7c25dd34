"""Redact secrets that are spread over the events of a stream: clients join the pieces, and so does this module.

Texts at the same place of several events are joined; if events name their block, item or call by an index or an id,
only those with the same one. So this module needs no format. Data that is no JSON is joined line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.streaming.event_data import event_data, replace_data
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

_BLOCK_KEYS = ("index", "output_index", "content_index", "summary_index", "item_id")

TextPiece = tuple[Any, Any, str]
"""The place of a text: its container, the key in it, and the text."""


def redact_streams(stream: str, redactor: Redactor) -> str:
    """Redact the secrets that no single event holds. Events without them stay byte for byte."""
    data = list(event_data(stream))
    values = [_value(datum.text) for datum in data]
    changed: set[int] = set()
    for place, pieces in _groups(values).items():
        texts = [piece[2] for _, piece in pieces]
        joined = "".join(texts)
        # Consecutive lines of a text are not one word: a name at the end of a line does not name the next.
        redacted_text = redactor.certain(joined) if place == _RAW else redactor.text(joined)
        if redacted_text == joined:
            continue
        for (number, (container, key, before)), after in zip(pieces, _spread(texts, redacted_text), strict=True):
            if before != after:
                container[key] = after
                changed.add(number)
    return replace_data(stream, ((data[number], _data(values[number])) for number in sorted(changed)))


class _Raw(list[str]):
    """The lines of data that is no JSON, or a number alone."""


_RAW = ((None,), ())
"""The place of such lines."""


def _value(text: str) -> Any:
    """The data of an event: a list of one JSON value, or the lines of a text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _Raw(text.split("\n"))
    return [value] if isinstance(value, dict | list | str) else _Raw(text.split("\n"))


def _data(value: Any) -> str:
    if isinstance(value, _Raw):
        return "\n".join(value)
    return json.dumps(value[0], ensure_ascii=False, separators=(",", ":"))


def _groups(events: list[Any]) -> dict[tuple[Any, ...], list[tuple[int, TextPiece]]]:
    """Group pieces by place, each with the number of its event; a group has at least two."""
    groups: dict[tuple[Any, ...], list[tuple[int, TextPiece]]] = {}
    for number, event in enumerate(events):
        pieces = (
            [(_RAW, (event, at, line)) for at, line in enumerate(event)]
            if isinstance(event, _Raw)
            else _pieces(event, (), ())
        )
        for place, piece in pieces:
            groups.setdefault(place, []).append((number, piece))
    return {place: pieces for place, pieces in groups.items() if len(pieces) > 1}


def _pieces(
    value: Any, place: tuple[Any, ...], block_ids: tuple[Any, ...]
) -> Iterator[tuple[tuple[Any, ...], TextPiece]]:
    entries: list[tuple[Any, Any]]
    if isinstance(value, dict):
        block_ids = (*block_ids, *((key, value[key]) for key in _BLOCK_KEYS if isinstance(value.get(key), (str, int))))
        entries = list(value.items())
    else:
        entries = list(enumerate(value)) if isinstance(value, list) else []
    for key, entry in entries:
        # An index identifies an entry better than its place in the list.
        named = isinstance(value, list) and isinstance(entry, dict) and "index" in entry
        below = (*place, "" if named else key)
        if isinstance(entry, str):
            yield (below, block_ids), (value, key, entry)
        else:
            yield from _pieces(entry, below, block_ids)


def _spread(pieces: list[str], text: str) -> list[str]:
    """Cut a changed text at the ends of its pieces; pieces before and after the change stay unchanged."""
    joined = "".join(pieces)
    head = _alike(joined, text)
    tail = _alike(joined[head:][::-1], text[head:][::-1])
    change = text[head : len(text) - tail]
    parts, start = [], 0
    for piece in pieces:
        end = start + len(piece)
        piece_text = joined[start : max(start, min(end, head))]
        if start <= head < end or (head == end == len(joined)):
            piece_text += change
            change = ""
        parts.append(piece_text + joined[max(start, min(end, len(joined) - tail)) : end])
        start = end
    return parts


def _alike(left: str, right: str) -> int:
    """The length of the common beginning of two texts."""
    return next(
        (at for at, (character, other) in enumerate(zip(left, right, strict=False)) if character != other),
        min(len(left), len(right)),
    )
