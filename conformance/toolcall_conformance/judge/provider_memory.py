"""The memory of a provider whose API lets a request continue from an earlier reply by its id.

The provider of the loop is scripted: its memory holds the requests that it really received, and its golden replies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding

ProviderMemory = Mapping[str, list[Any]]
"""The entries of the conversation up to the end of a reply, by the id of that reply."""


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """A request as the provider reads it: ``added`` entries of its memory stand before the request's own.

    ``pointer`` is the place in the request that names the earlier reply, None where it names none. ``unknown`` is the
    id of a reply that the provider does not have.
    """

    body: Any
    added: int = 0
    pointer: str | None = None
    unknown: str | None = None

    def as_sent(self, finding: Finding, container: str) -> Finding:
        """Move a finding on the whole body to its place in the request that was sent."""
        parts = finding.pointer.split("/")
        if not self.added or len(parts) < 3 or parts[1] != container or not parts[2].isdigit():
            return finding
        place = int(parts[2]) - self.added
        if place < 0:
            return replace(finding, pointer=self.pointer or "")
        return replace(finding, pointer="/".join(["", container, str(place), *parts[3:]]))


def whole_request(upstream: str, body: Any, memory: ProviderMemory) -> WholeRequest:
    """The request that the provider reads when it receives ``body``."""
    keeper = formats.get(upstream).stored
    named = keeper.continues(body) if keeper is not None and isinstance(body, dict) else None
    if keeper is None or named is None:
        return WholeRequest(body)
    name, pointer = named
    if name not in memory:
        return WholeRequest(body, pointer=pointer, unknown=name)
    return WholeRequest(keeper.whole(body, memory[name]), len(memory[name]), pointer)


def memory_after(upstream: str, body: Any, reply: Any, memory: ProviderMemory) -> ProviderMemory:
    """The memory after one more exchange: the request ``body`` as it was sent, and the provider's ``reply``."""
    keeper = formats.get(upstream).stored
    read = whole_request(upstream, body, memory)
    if keeper is None or read.unknown is not None or not isinstance(body, dict):
        return memory
    new = keeper.kept(read.body, reply)
    return memory if new is None else {**memory, new[0]: new[1]}
