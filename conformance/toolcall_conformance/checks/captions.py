"""Captions: where media of a result stand beside it, a text right before them names the call by its id.

Chat takes no media in a tool message, Gemini before version 3 none in a functionResponse; the client then says itself
where they come from. The corpus's captions name the corpus's ids, and a client knows only those that it got.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.jsonvalue import copied, resolve
from toolcall_conformance.library import Case
from toolcall_conformance.reading import Call, Media, Reading, Text
from toolcall_conformance.translation.words import renamed, says_name


def recaptioned(body: dict[str, Any], reading: Reading, ids: Mapping[int, str | None]) -> dict[str, Any]:
    """A request, of which ``reading`` is the reading, with captions that name the calls by other ids.

    ``ids`` are the new ids by the ordinal of the call; None where a call has none, and the caption stays. The same body
    if no caption changes.
    """
    changes: dict[str, str] = {}
    for pointer, (text, ordinals) in _captions(reading).items():
        told = text
        for old, ordinal in ordinals.items():
            new = ids.get(ordinal)
            if new is not None:
                told = renamed(told, old, new)
        if told != text:
            changes[pointer] = told
    if not changes:
        return body
    changed: dict[str, Any] = copied(body)
    for pointer, told in changes.items():
        parent, _, key = pointer.rpartition("/")
        resolve(changed, parent)[key] = told
    return changed


def as_said(case: Case, name: str, golden: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """A golden request of the format ``name``, with the captions that the client wrote into what it ``sent``.

    Its calls and results have the ids that the captions name, if these tell the calls apart: results stay linked as in
    the golden request.
    """
    if not _has_captions(case, name):
        return golden
    ids = {call.ordinal: call.id for call in formats.read(name, "request", sent).calls}
    reading = formats.read(name, "request", golden)
    said: dict[str, Any] = copied(recaptioned(golden, reading, ids))
    if None in ids.values() or len(set(ids.values())) < len(ids) or len(ids) < len(reading.calls):
        return said
    for call in reading.calls:
        if call.id_pointer is not None:
            parent, _, key = call.id_pointer.rpartition("/")
            resolve(said, parent)[key] = ids[call.ordinal]
    for result in reading.results:
        if result.call is not None:
            call = resolve(said, reading.calls[result.call].pointer)
            formats.get(name).client.relink(resolve(said, result.pointer), call)
    return said


@cache
def _has_captions(case: Case, name: str) -> bool:
    last = case.exchanges(name)[-1].request
    return bool(_captions(formats.read(name, "request", last)))


def _captions(request: Reading) -> dict[str, tuple[str, dict[str, int]]]:
    """By pointer, the texts of the user right before media that name calls, and which call each id stands for there."""
    found: dict[str, tuple[str, dict[str, int]]] = {}
    latest: dict[str, int] = {}
    for turn in request.turns:
        latest |= {item.id: item.ordinal for item in turn.items if isinstance(item, Call) and item.id}
        for text, media in pairwise(turn.items):
            if turn.side == "user" and isinstance(text, Text) and isinstance(media, Media):
                named = {call_id: at for call_id, at in latest.items() if says_name(text.text, call_id)}
                if named:
                    found[text.pointer] = (text.text, named)
    return found
