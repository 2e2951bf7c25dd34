"""The memory of a provider whose API lets a request name an earlier reply, or items of it, by id.

The provider of the loop is scripted: its memory has the requests that it received, and its golden replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Tolerated
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.library import Exchange

Placed = TypeVar("Placed", Finding, Tolerated)
ProviderMemory = Mapping[str, list[Any]]
"""The entries of the conversation up to the end of a reply, by the id of that reply; each item of it, by its own id."""


@dataclass(frozen=True, slots=True)
class WholeRequest:
    """A request as the provider reads it, with ``added_entries`` entries of its memory before the request's own.

    ``pointer`` is the place in the request that names the earlier reply, None if it names none. ``unknown_id`` is that
    of a reply or an item that the provider does not have; ``pointer`` then is the place that names it.
    ``reference_pointers`` are those of the request's own entries that refer to items of the memory.
    """

    body: Any
    added_entries: int = 0
    pointer: str | None = None
    unknown_id: str | None = None
    reference_pointers: frozenset[str] = frozenset()

    def move_to_sent(self, finding: Placed, container: str) -> Placed:
        """Move a finding or a tolerated difference from the whole body to its place in the request that was sent."""
        parts: list[str] = finding.pointer.split("/")
        if len(parts) < 3 or parts[1] != container or not parts[2].isdigit():
            return finding
        place = int(parts[2]) - self.added_entries
        if place < 0:
            return replace(finding, pointer=self.pointer or "")
        entry = join("", container, place)
        return replace(finding, pointer=entry if entry in self.reference_pointers else "/".join([entry, *parts[3:]]))


def whole_request(upstream: str, body: Any, provider_memory: ProviderMemory) -> WholeRequest:
    """The request that the provider reads when it receives ``body``."""
    keeper = formats.get(upstream).conversation_state
    if keeper is None or not isinstance(body, dict):
        return WholeRequest(body)
    named, referred = keeper.previous_reply(body), keeper.item_references(body)
    for name, pointer in [*([named] if named else []), *referred]:
        if name not in provider_memory:
            return WholeRequest(body, pointer=pointer, unknown_id=name)
    places = frozenset(pointer for _, pointer in referred)
    resolved = keeper.resolve_references(body, provider_memory)
    if named is None:
        return WholeRequest(resolved, reference_pointers=places)
    history = provider_memory[named[0]]
    return WholeRequest(keeper.expand(resolved, history), len(history), named[1], reference_pointers=places)


def extend_memory(upstream: str, body: Any, reply: Any, provider_memory: ProviderMemory) -> ProviderMemory:
    """The memory with one more exchange: the request ``body`` as it was sent, and the provider's ``reply``."""
    keeper = formats.get(upstream).conversation_state
    resolved = whole_request(upstream, body, provider_memory)
    if keeper is None or resolved.unknown_id is not None or not isinstance(body, dict):
        return provider_memory
    new = keeper.stored_history(resolved.body, reply)
    if new is None:
        return provider_memory
    return {**provider_memory, **keeper.stored_items(resolved.body, reply), new[0]: new[1]}


def whole_exchanges(format_name: str, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges of a case in one format, their requests with everything that they refer to."""
    keeper = formats.get(format_name).conversation_state
    bodies = [exchange.request for exchange in exchanges if isinstance(exchange.request, dict)]
    if keeper is None or not any(keeper.previous_reply(body) or keeper.item_references(body) for body in bodies):
        return tuple(exchanges)  # nearly always: requests that name nothing need no memory
    provider_memory: ProviderMemory = {}
    complete_exchanges: list[Exchange] = []
    for exchange in exchanges:
        complete_exchanges.append(
            replace(exchange, request=whole_request(format_name, exchange.request, provider_memory).body)
        )
        provider_memory = extend_memory(format_name, exchange.request, exchange.response, provider_memory)
    return tuple(complete_exchanges)
