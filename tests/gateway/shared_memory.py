"""The reference in this process, with the one memory for all sessions that a gateway has for all clients of one key."""

from __future__ import annotations

from toolcall_reference import ReferenceTranslator, Session, formats
from toolcall_reference.basics.store import Store
from toolcall_reference.sessions.memory import Memory
from toolcall_reference.translator import Route


class Translator:
    name, version = "shared-memory", "1"

    def __init__(self) -> None:
        self._store = Store(64_000_000)

    def open(self, route: Route) -> Session:
        """A session as a gateway opens it."""
        return ReferenceTranslator().open(route, Memory.of(formats.get(route.client), self._store))
