"""Lists in which only some entries change places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def reverse_among(entries: list[Any], is_chosen: Callable[[Any], bool]) -> None:
    """Reverse the order of the chosen entries, in place; all others stay where they are."""
    places = [index for index, entry in enumerate(entries) if is_chosen(entry)]
    for index, entry in zip(places, [entries[place] for place in reversed(places)], strict=True):
        entries[index] = entry
