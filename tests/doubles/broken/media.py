"""Pictures that are lost or stand where they do not belong."""

from __future__ import annotations

import copy
from typing import Any

from doubles.catalogue import CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft


@broken("picture-lost", rule="translation/media-lost", check="request", target=(CHAT, RESPONSES, GEMINI))
def picture_lost(draft: Draft) -> None:
    """Pictures are gone."""
    need(draft.format != CHAT or not draft.captions)  # there those of results need not arrive
    pruned, hit = _without_pictures(draft.body)
    need(hit)
    draft.body = pruned
    draft.tidy()


def _without_pictures(value: Any) -> tuple[Any, bool]:
    if isinstance(value, dict):
        made = {key: _without_pictures(entry) for key, entry in value.items()}
        return {key: entry for key, (entry, _) in made.items()}, any(hit for _, hit in made.values())
    if isinstance(value, list):
        kept = [entry for entry in value if not _is_picture(entry)]
        made_list = [_without_pictures(entry) for entry in kept]
        return [entry for entry, _ in made_list], len(kept) < len(value) or any(hit for _, hit in made_list)
    return value, False


def _is_picture(entry: Any) -> bool:
    return isinstance(entry, dict) and (
        entry.get("type") in ("image", "image_url", "input_image") or "inlineData" in entry
    )


@broken("picture-moved", rule="translation/media-moved", check="request", target=(CHAT, RESPONSES, GEMINI))
def picture_moved(draft: Draft) -> None:
    """A picture of an earlier turn stands in the last one."""
    key = "parts" if draft.format == GEMINI else "content"
    last = draft.messages[-1]
    for message in draft.messages[:-1]:
        held = message.get(key)
        for part in held if isinstance(held, list) else []:
            if message["role"] == "user" and last.get("role") == "user" and _is_picture(part):
                _text_as_list(draft, last, key)
                held.remove(part)
                last[key].append(part)
                return
    need(False)


def _text_as_list(draft: Draft, message: dict[str, Any], key: str) -> None:
    if isinstance(message[key], str):
        message[key] = [{"type": "text" if draft.format == CHAT else "input_text", "text": message[key]}]


@broken("picture-in-two-turns", rule="translation/media-moved", check="request", target=(CHAT, RESPONSES, GEMINI))
def picture_in_two_turns(draft: Draft) -> None:
    """A picture stands in two turns."""
    key = "parts" if draft.format == GEMINI else "content"
    last = draft.messages[-1]
    need(last.get("role") == "user" and len(draft.messages) > 1)
    pictures = [
        part
        for message in draft.messages[:-1]
        for part in (message[key] if message.get("role") == "user" and isinstance(message.get(key), list) else [])
        if _is_picture(part)
    ]
    _text_as_list(draft, last, key)
    last[key].append(copy.deepcopy(need(pictures)[0]))


@broken("picture-doubled", rule="translation/media-moved", check="request", target=(CHAT, RESPONSES, GEMINI))
def picture_doubled(draft: Draft) -> None:
    """Pictures are there twice."""
    need(_double(draft.body))


def _double(value: Any) -> bool:
    """Put every picture of a body behind itself once more; whether there was any."""
    if isinstance(value, dict):
        return sum(_double(entry) for entry in value.values()) > 0
    if not isinstance(value, list):
        return False
    inner = sum(_double(entry) for entry in value) > 0
    doubled = [entry for entry in value for _ in range(2 if _is_picture(entry) else 1)]
    hit = len(doubled) > len(value)
    value[:] = doubled
    return inner or hit
