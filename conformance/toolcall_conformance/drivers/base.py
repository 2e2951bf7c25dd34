"""The protocols between the checks and the drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.outcomes import (
    Crashed,
    Outcome,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.streams import Source, StreamOutcome

OPERATIONS = ("request", "response", "error", "stream")

# The operations within one format, for sessions whose route has it on both ends, with the type of what they return.
FORMAT_OPERATIONS: Mapping[str, type] = MappingProxyType(
    {"tool_calls": list, "tool_results": list, "mcp_tools": list, "mcp_result": list, "otel": dict}
)


class SessionDriver(Protocol):
    """One conversation on one route. Its methods return outcomes and never raise for what the translator does."""

    @property
    def operations(self) -> frozenset[str]:
        """The operations that this session has."""

    @property
    def own_history(self) -> bool:
        """Whether it can only continue conversations that it started (``history = "own"``)."""

    @property
    def made_up(self) -> Mapping[str, tuple[str, ...]]:
        """By operation, the places of the body it makes that the adapter itself fills in; see ``declarations``."""

    @property
    def costly_pieces(self) -> bool:
        """Whether each piece of a stream is a message to another process; checks then cut streams less finely."""

    def request(self, body: dict[str, Any], /) -> Outcome:
        """Translate a client request into an upstream request. ``body`` is never changed."""

    def response(self, body: dict[str, Any], /) -> Outcome:
        """Translate an upstream reply into a client reply. ``body`` is never changed."""

    def error(self, reply: dict[str, Any], /) -> Outcome:
        """Translate an upstream error into the client's; both are ``{"status", "headers", "body"}``.

        ``reply`` is never changed. The result has headers only if the translator handles headers.
        """

    def stream(self, source: Source, /) -> StreamOutcome:
        """Translate an upstream's stream, in the pieces of ``source``, into the client's."""

    def stream_interleaved(
        self, source: Source, other: SessionDriver, other_source: Source, /
    ) -> tuple[StreamOutcome, StreamOutcome]:
        """Translate two interleaved streams: this session's, and that of ``other``, a session of the same driver.

        A piece of each is read in turn, from the middle of the first on; see ``streams.lead_count``.
        """

    def call(self, operation: str, /, *arguments: Any) -> Outcome:
        """Call one of FORMAT_OPERATIONS with JSON values, which are never changed."""

    def finish_exchange(self, reply: dict[str, Any], /) -> None:
        """End the exchange of the last request, unjudged; ``reply`` is ``{"status", "headers", "body"}``.

        Needed where a request stays open until it is answered; other drivers do nothing.
        """


@dataclass(frozen=True, slots=True)
class Opened:
    """A session on a route."""

    session: SessionDriver


OpenOutcome = Opened | RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | ProtocolError


class Driver(Protocol):
    """A translator as the checks see it."""

    @property
    def spec(self) -> str:
        """The user's text that names the translator."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str | None: ...

    @property
    def carries(self) -> frozenset[str]:
        """The operations that this driver supports."""

    def begin_item(self, case: str, /) -> None:
        """Begin an item; ``case`` is the id of the case that its sessions play, for logs."""

    def open(self, route: Route, /) -> OpenOutcome:
        """Open a fresh session."""

    def end_item(self) -> None:
        """End an item: the sessions opened so far are not used again."""

    def close(self) -> None:
        """Release what the driver holds; nothing is opened after this."""
