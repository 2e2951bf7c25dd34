"""Where our ideal client and the official SDK do not send the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.judge.translation.schemas.schemas import compare_schemas
from toolcall_conformance.library import load_corpus
from witnesses.conversation import USERS
from witnesses.differences import differences
from witnesses.elements import elements


def disagreements(name: str, ours: Iterable[Any], sdk: Iterable[Any]) -> list[str]:
    """What is to be mended in our client: unexcused differences of the bodies, then of what a reader finds in them.

    ``ours`` and ``sdk`` are the requests of one conversation.
    """
    messages: list[str] = []
    for number, (our_request, sdk_request) in enumerate(zip(ours, sdk, strict=True), 1):
        messages += [
            f"{number:02}-request: {difference}" for difference in _json_differences(name, our_request, sdk_request)
        ]
        messages += [
            f"{number:02}-request: {difference}" for difference in _element_differences(name, our_request, sdk_request)
        ]
    return messages


def _json_differences(name: str, ours: Any, sdk: Any) -> Iterator[str]:
    for difference in differences(ours, sdk):
        if not any(own.excuses(difference) for own in USERS[name].own):
            yield str(difference)


def _element_differences(name: str, ours: Any, sdk: Any) -> Iterator[str]:
    left, right = elements(name, ours), elements(name, sdk)
    if left != right:
        yield f"elements of our client alone: {[element for element in left if element not in right]}"
        yield f"elements of the SDK alone: {[element for element in right if element not in left]}"
        yield "the order of elements" if sorted(left) == sorted(right) else "the number of elements"
    our_tools, sdk_tools = (formats.read(name, "request", body).tools for body in (ours, sdk))
    for first, second in zip(our_tools, sdk_tools, strict=False):
        yield from map(str, compare_schemas(load_corpus(), first.schema, second.schema))
