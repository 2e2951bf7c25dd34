"""Captions: texts right before media that are outside of their result; each names the call by its id.

Chat takes no media in a tool message, Gemini before version 3 none in a functionResponse. So the client says which
call they belong to. The corpus's captions have the corpus's ids; a client must use the ids that it received.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.basics.reading import Call, Media, Reading, Text
from toolcall_conformance.judge.translation.texts.words import NameMentions, replace_name
from toolcall_conformance.library import Case


def rename_captions(body: dict[str, Any], reading: Reading, ids: Mapping[int, str | None]) -> dict[str, Any]:
    """Put other ids into the captions of a request; ``reading`` is that of the request.

    ``ids`` are the new ids by the ordinal of the call; None keeps the caption. Returns the same body if no caption
    changes.
    """
    changes: dict[str, str] = {}
    for pointer, (text, ordinals) in _captions(reading).items():
        new_text = text
        for old, ordinal in ordinals.items():
            new = ids.get(ordinal)
            if new is not None:
                new_text = replace_name(new_text, old, new)
        if new_text != text:
            changes[pointer] = new_text
    if not changes:
        return body
    changed: dict[str, Any] = deep_copy(body)
    for pointer, new_text in changes.items():
        parent, _, key = pointer.rpartition("/")
        resolve(changed, parent)[key] = new_text
    return changed


def golden_with_captions(
    case: Case, format_name: str, golden: dict[str, Any], client_request: dict[str, Any]
) -> dict[str, Any]:
    """The golden request, with the captions that the client wrote into its own request, ``client_request``.

    If the ids in the captions tell the calls apart, calls and results get them, and stay linked as in the golden one.
    """
    if not _has_captions(case, format_name):
        return golden
    ids = {call.ordinal: call.id for call in formats.read(format_name, "request", client_request).calls}
    reading = formats.read(format_name, "request", golden)
    body: dict[str, Any] = deep_copy(rename_captions(golden, reading, ids))
    if None in ids.values() or len(set(ids.values())) < len(ids) or len(ids) < len(reading.calls):
        return body
    for call in reading.calls:
        if call.id_pointer is not None:
            parent, _, key = call.id_pointer.rpartition("/")
            resolve(body, parent)[key] = ids[call.ordinal]
    for result in reading.results:
        if result.call is not None:
            call = resolve(body, reading.calls[result.call].pointer)
            formats.get(format_name).client.relink(resolve(body, result.pointer), call)
    return body


@lru_cache(maxsize=32)  # the items of a case are played one after the other, and there is no end of generated cases
def _has_captions(case: Case, format_name: str) -> bool:
    last = case.exchanges(format_name)[-1].request
    return bool(_captions(formats.read(format_name, "request", last)))


def _captions(request: Reading) -> dict[str, tuple[str, dict[str, int]]]:
    """The user's texts right before media that name calls, by pointer, each with the ordinals of the calls by id."""
    captions: dict[str, tuple[str, dict[str, int]]] = {}
    first_ordinals = {call.id: call.ordinal for call in reversed(request.calls) if call.id}
    mentions = NameMentions(first_ordinals)
    latest_ordinals: dict[str, int] = {}
    for turn in request.turns:
        latest_ordinals |= {item.id: item.ordinal for item in turn.items if isinstance(item, Call) and item.id}
        for text, media in pairwise(turn.items):
            if turn.side == "user" and isinstance(text, Text) and isinstance(media, Media):
                ids = sorted(mentions.names_in(text.text) & latest_ordinals.keys(), key=first_ordinals.__getitem__)
                if ids:
                    captions[text.pointer] = (text.text, {call_id: latest_ordinals[call_id] for call_id in ids})
    return captions
