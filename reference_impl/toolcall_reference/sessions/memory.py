"""The memory of one client between exchanges."""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_reference.basics.store import Store
from toolcall_reference.conversation.ids import IdMemory
from toolcall_reference.formats import Format
from toolcall_reference.formats.format import ReplyMemory as Replies
from toolcall_reference.sessions.state import StateMemory


@dataclass(slots=True)
class Memory:
    """Replies that the client may continue, opaque state that its format cannot hold, ids that it does not allow."""

    reply_memory: Replies
    state_memory: StateMemory
    id_memory: IdMemory

    @classmethod
    def of(cls, client: Format, store: Store | None = None, owner: str = "") -> Memory:
        """The memory of the client ``owner`` in ``store``, or in a new store.

        Clients of one owner share their memory: give each credential an owner of its own.
        """
        store = Store() if store is None else store
        name = (owner, client.name)
        return cls(
            client.memory(store.shelf(*name, "replies")),
            StateMemory(store.shelf(*name, "state")),
            IdMemory(store.shelf(*name, "ids")),
        )
