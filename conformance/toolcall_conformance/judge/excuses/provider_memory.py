"""The memory of a provider whose API lets a request name an earlier reply, or items of it, by id.

The provider of the loop is scripted: its memory holds the requests that it really received, and its golden replies.
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
    """A request as the provider reads it: ``added`` entries of its memory stand before the request's own.

    ``pointer`` is the place in the request that names the earlier reply, None where it names none. ``unknown`` is the
    id of a reply or an item that the provider does not have, ``pointer`` then the place that names it. ``looked_up``
    are the places of the request's own entries that stand for items of the memory.
    """

    body: Any
    added: int = 0
    pointer: str | None = None
    unknown: str | None = None
    looked_up: frozenset[str] = frozenset()

    def as_sent(self, finding: Placed, container: str) -> Placed:
        """Move a finding on the whole body, or what was tolerated there, to its place in the request that was sent."""
        parts: list[str] = finding.pointer.split("/")
        if len(parts) < 3 or parts[1] != container or not parts[2].isdigit():
            return finding
        place = int(parts[2]) - self.added
        if place < 0:
            return replace(finding, pointer=self.pointer or "")
        entry = join("", container, place)
        return replace(finding, pointer=entry if entry in self.looked_up else "/".join([entry, *parts[3:]]))


def whole_request(upstream: str, body: Any, memory: ProviderMemory) -> WholeRequest:
    """The request that the provider reads when it receives ``body``."""
    keeper = formats.get(upstream).conversation_state
    if keeper is None or not isinstance(body, dict):
        return WholeRequest(body)
    named, referred = keeper.previous_reply(body), keeper.item_references(body)
    for name, pointer in [*([named] if named else []), *referred]:
        if name not in memory:
            return WholeRequest(body, pointer=pointer, unknown=name)
    places = frozenset(pointer for _, pointer in referred)
    whole = keeper.resolve_references(body, memory)
    if named is None:
        return WholeRequest(whole, looked_up=places)
    history = memory[named[0]]
    return WholeRequest(keeper.expand(whole, history), len(history), named[1], looked_up=places)


def memory_after(upstream: str, body: Any, reply: Any, memory: ProviderMemory) -> ProviderMemory:
    """The memory after one more exchange: the request ``body`` as it was sent, and the provider's ``reply``."""
    keeper = formats.get(upstream).conversation_state
    read = whole_request(upstream, body, memory)
    if keeper is None or read.unknown is not None or not isinstance(body, dict):
        return memory
    new = keeper.stored_history(read.body, reply)
    return memory if new is None else {**memory, **keeper.stored_items(read.body, reply), new[0]: new[1]}


def whole_exchanges(name: str, exchanges: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """The exchanges of a case in the format ``name`` with all that their requests name in the requests themselves."""
    keeper = formats.get(name).conversation_state
    bodies = [exchange.request for exchange in exchanges if isinstance(exchange.request, dict)]
    if keeper is None or not any(keeper.previous_reply(body) or keeper.item_references(body) for body in bodies):
        return tuple(exchanges)  # so nearly all: nothing need be kept for requests that name nothing
    memory: ProviderMemory = {}
    complete_exchanges: list[Exchange] = []
    for exchange in exchanges:
        complete_exchanges.append(replace(exchange, request=whole_request(name, exchange.request, memory).body))
        memory = memory_after(name, exchange.request, exchange.response, memory)
    return tuple(complete_exchanges)
