"""What is remembered for one client from one exchange to the next."""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_reference.basics.store import Store
from toolcall_reference.conversation.ids import IdMemory
from toolcall_reference.formats import Format
from toolcall_reference.formats.format import MemoryNeeds as Replies
from toolcall_reference.sessions.state import StateMemory


@dataclass(slots=True)
class Memory:
    """Replies that the client may go on from, opaque state that it has no place for, ids that it does not take."""

    replies: Replies
    state: StateMemory
    ids: IdMemory

    @classmethod
    def of(cls, client: Format, store: Store | None = None, owner: str = "") -> Memory:
        """The memory of the client ``owner`` in a store; without a store a new one.

        Clients of one owner see what was kept for each other: give each credential an owner of its own.
        """
        store = Store() if store is None else store
        name = (owner, client.name)
        return cls(
            client.memory(store.shelf(*name, "replies")),
            StateMemory(store.shelf(*name, "state")),
            IdMemory(store.shelf(*name, "ids")),
        )
