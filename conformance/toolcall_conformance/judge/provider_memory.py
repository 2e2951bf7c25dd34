"""What a provider remembers of a conversation, where its API lets a request go on from an earlier reply by its id.

The provider of the loop is scripted: what it would remember are the requests that it really got, and its golden
replies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding

Held = Mapping[str, list[Any]]
"""By the id of a reply, the entries of the conversation up to its end."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A request with all that the provider reads: ``added`` entries of its memory stand before the request's own.

    ``pointer`` is the place in the request that names the earlier reply, None where it names none; ``unknown`` the id
    of a reply that the provider does not have.
    """

    body: Any
    added: int = 0
    pointer: str | None = None
    unknown: str | None = None

    def as_sent(self, finding: Finding, container: str) -> Finding:
        """A finding on the whole body, at its place in the request that was sent."""
        parts = finding.pointer.split("/")
        if not self.added or len(parts) < 3 or parts[1] != container or not parts[2].isdigit():
            return finding
        place = int(parts[2]) - self.added
        if place < 0:
            return replace(finding, pointer=self.pointer or "")
        return replace(finding, pointer="/".join(["", container, str(place), *parts[3:]]))


def whole(upstream: str, body: Any, held: Held) -> Whole:
    """What the provider reads when it gets ``body``."""
    keeper = formats.get(upstream).stored
    named = keeper.continues(body) if keeper is not None and isinstance(body, dict) else None
    if keeper is None or named is None:
        return Whole(body)
    name, pointer = named
    if name not in held:
        return Whole(body, pointer=pointer, unknown=name)
    return Whole(keeper.whole(body, held[name]), len(held[name]), pointer)


def remember(upstream: str, body: Any, reply: Any, held: Held) -> Held:
    """The memory after one more exchange: a request as it was sent, and the provider's reply to it."""
    keeper = formats.get(upstream).stored
    read = whole(upstream, body, held)
    if keeper is None or read.unknown is not None or not isinstance(body, dict):
        return held
    new = keeper.kept(read.body, reply)
    return held if new is None else {**held, new[0]: new[1]}
