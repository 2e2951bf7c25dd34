"""The texts of an item that come in fragments: where they stand, and what has come of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.formats.openai_responses.conversation import kind_of
from toolcall_conformance.formats.openai_responses.stream.events import FRAGMENTED_TEXTS

#: A text within an item: the key of the item, or of a list of parts and the place in it.
Place = tuple[str, int]


@dataclass(slots=True)
class StreamedText:
    """A text that is streamed in fragments, and whole up to four times: done, with its part, its item, the reply."""

    fragments: list[str] = field(default_factory=list)
    whole: str | None = None
    done: bool = False


def texts_of(item: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """The texts of an item that can come in fragments."""
    for piece in FRAGMENTED_TEXTS.values():
        if kind_of(item) not in piece.items:
            continue
        if piece.list_key is None:
            text = item.get(piece.key)
            if isinstance(text, str):
                yield (piece.key, -1), text
            continue
        entries = item.get(piece.list_key)
        for index, part in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(part, dict) and part.get("type") == piece.part and isinstance(part.get(piece.key), str):
                yield (piece.list_key, index), part[piece.key]


def words(place: Place) -> str:
    return place[0] if place[1] < 0 else f"{place[0]} {place[1]}"
