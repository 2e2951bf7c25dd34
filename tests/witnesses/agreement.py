"""Where our ideal client and the official SDK do not send the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.library import load_corpus
from toolcall_conformance.translation.schemas import compare_schemas
from witnesses.conversation import USERS
from witnesses.differences import differences
from witnesses.elements import elements


def disagreements(name: str, ours: Iterable[Any], sdk: Iterable[Any]) -> list[str]:
    """What is to be mended in our client: unexcused differences of the bodies, then of what a reader finds in them.

    ``ours`` and ``sdk`` are the requests of one conversation.
    """
    told: list[str] = []
    for number, (one, two) in enumerate(zip(ours, sdk, strict=True), 1):
        told += [f"{number:02}-request: {found}" for found in _in_json(name, one, two)]
        told += [f"{number:02}-request: {found}" for found in _in_elements(name, one, two)]
    return told


def _in_json(name: str, ours: Any, sdk: Any) -> Iterator[str]:
    for found in differences(ours, sdk):
        if not any(own.excuses(found) for own in USERS[name].own):
            yield str(found)


def _in_elements(name: str, ours: Any, sdk: Any) -> Iterator[str]:
    left, right = elements(name, ours), elements(name, sdk)
    if left != right:
        yield f"elements of our client alone: {[one for one in left if one not in right]}"
        yield f"elements of the SDK alone: {[one for one in right if one not in left]}"
        yield "the order of elements" if sorted(left) == sorted(right) else "the number of elements"
    one, two = (formats.read(name, "request", body).tools for body in (ours, sdk))
    for first, second in zip(one, two, strict=False):
        yield from map(str, compare_schemas(load_corpus(), first.schema, second.schema))
