"""The seam between the checks and whatever medium a translator is reached through."""

from __future__ import annotations

from typing import Any, Protocol

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.outcomes import OpenOutcome, Outcome
from toolcall_conformance.drivers.streams import Source, StreamOutcome

OPERATIONS = ("request", "response", "error", "stream")


class SessionDriver(Protocol):
    """One conversation on one route. Its methods never raise for what the translator does: they return outcomes."""

    @property
    def operations(self) -> frozenset[str]:
        """The operations that this session has."""

    @property
    def own_history(self) -> bool:
        """Whether it can only continue conversations that it started (``history = "own"``)."""

    @property
    def costly_pieces(self) -> bool:
        """Whether each piece of a stream is a message to another process; checks then cut streams less finely."""

    def request(self, body: dict[str, Any], /) -> Outcome:
        """Translate a client request into an upstream request. ``body`` is never changed."""

    def response(self, body: dict[str, Any], /) -> Outcome:
        """Translate an upstream reply into a client reply. ``body`` is never changed."""

    def error(self, reply: dict[str, Any], /) -> Outcome:
        """Translate an upstream error into the client's; both are ``{"status", "headers", "body"}``.

        ``reply`` is never changed. What comes has headers only if the translator has to do with them.
        """

    def stream(self, source: Source, /) -> StreamOutcome:
        """Translate an upstream's stream, in the pieces in which it comes, into the client's."""

    def finish_exchange(self, reply: dict[str, Any], /) -> None:
        """Let the exchange of the last request end, unjudged; ``reply`` is ``{"status", "headers", "body"}``.

        For media in which a request stays open until it is answered; the others have nothing to do.
        """


class Driver(Protocol):
    """A translator as the checks see it."""

    @property
    def spec(self) -> str:
        """What the user wrote to name the translator."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    @property
    def carries(self) -> frozenset[str]:
        """The operations that this medium can carry at all."""

    def begin_item(self, case: str, /) -> None:
        """An item begins: the id of the case that its sessions play, for whoever writes logs."""

    def open(self, route: Route, /) -> OpenOutcome:
        """Open a fresh session."""

    def end_item(self) -> None:
        """An item is over: the sessions opened so far are not used again."""

    def close(self) -> None:
        """Let go of whatever the driver holds; nothing is opened after this."""
