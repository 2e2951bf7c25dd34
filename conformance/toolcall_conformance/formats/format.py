"""A format as the judge sees it: one record of everything that its package provides.

Members that are modules have a protocol as their type, so that the type checker checks every package. The contract of a
module's functions is in its protocol; the module's own docstrings say what is special to the format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.formats.rule import RuleCheck

Reader = Callable[[Any], Reading]
"""Reads a body into neutral elements, whatever JSON it gets. Never raises."""

Habit = Callable[[Any], Any]
"""Takes a reply, or the events of a stream, which it may change, and returns what a compatible server sends instead."""


class Dialect(Protocol):
    """The habits in which compatible servers differ from an API: a package's module ``dialect``."""

    STREAM_HABITS: Mapping[str, Habit]
    """Habits of streams, by name."""

    REPLY_HABITS: Mapping[str, Habit]
    """Habits of replies that are not streamed, by name."""


class Client(Protocol):
    """The ideal client of an API: a package's module ``client``."""

    CONTAINER: str
    """The key of a request that holds the conversation."""

    def entries(self, body: dict[str, Any], /) -> list[Any]:
        """Return the conversation of a request as a new list: messages, contents or items."""

    def as_history(self, reply: dict[str, Any], /, *, echo: bool) -> list[Any]:
        """Return the entries that the client sends back for a reply; empty if the reply has no message.

        ``echo`` keeps the keys that the client does not know.
        """

    def relink(self, result: dict[str, Any], call: dict[str, Any], /) -> bool:
        """Make a result answer another call, in place. Return False if the client has no result for such a call."""

    def reverse_results(self, tail: list[Any], /) -> None:
        """Reverse the results among the last entries, in place, where ids link them to their calls."""

    def merge_results(self, tail: list[Any], /) -> list[Any]:
        """Merge entries that hold one result each as the client sends several results: results first."""

    def add_instruction(self, body: dict[str, Any], instruction: str, /) -> None:
        """Add a text to the end of a request's system prompt, in place."""

    def set_tool_choice_auto(self, body: dict[str, Any], /) -> None:
        """Leave the choice of a tool to the model, in place. The request has a tool choice."""


class StreamReader(Protocol):
    """Assembles a streamed reply and reports what is wrong with its events: a package's module ``stream``.

    A stream is what ``streaming.parse`` makes of its bytes.
    """

    RULES: tuple[str, ...]
    """The ids of the rules that it reports by, in the order of their findings."""

    def assemble(self, stream: Any, /) -> Assembled:
        """Assemble the reply of a stream, whatever JSON it gets. Never raises."""


class ConversationState(Protocol):
    """The conversations that a provider stores for its clients: a package's module ``conversation_state``.

    A *complete* request holds its whole conversation. A *short* one names an earlier reply, whose conversation the
    provider puts before it. An *item reference* names a single entry of an earlier reply. No function changes its
    arguments.
    """

    def is_stored(self, body: Any, /) -> bool:
        """Whether the provider stores the conversation of a request and its reply."""

    def previous_reply(self, body: dict[str, Any], /) -> tuple[str, str] | None:
        """Return the id of the reply that a short request continues from, and its pointer; None if it is complete."""

    def expand(self, body: dict[str, Any], history: list[Any], /) -> dict[str, Any]:
        """Return a short request as a complete one; ``history`` are the stored entries of its previous reply."""

    def stored_history(self, body: dict[str, Any], reply: Any, /) -> tuple[str, list[Any]] | None:
        """Return the id of a reply and the entries that the provider stores under it; None if it stores none.

        ``body`` is the complete request that ``reply`` answers; the entries of the reply come last.
        """

    def item_references(self, body: dict[str, Any], /) -> list[tuple[str, str]]:
        """Return the id and the pointer of each item reference in a request."""

    def resolve_references(self, body: dict[str, Any], items: Mapping[str, list[Any]], /) -> dict[str, Any]:
        """Return a request with the entries themselves in place of its item references; ``items`` has them by id."""

    def stored_items(self, body: dict[str, Any], reply: Any, /) -> dict[str, list[Any]]:
        """Return the entries of a reply that item references may name, by id; empty if the reply is not stored."""

    def replace_items_by_references(self, body: dict[str, Any], /) -> dict[str, Any]:
        """Return a complete request with item references in place of the provider's own entries that have an id."""

    def shorten(self, body: dict[str, Any], reply: dict[str, Any], count: int, /) -> dict[str, Any] | None:
        """Return a complete request as a short one that continues from ``reply``; None if the reply has no id.

        ``count`` is the number of entries that the provider has stored: they are left out.
        """


def event_type(data: dict[str, Any]) -> str:
    """Return the ``type`` of an event."""
    kind = data.get("type")
    return kind if isinstance(kind, str) else "no type"


def no_undocumented_key(pointer: str) -> str:
    """Return an empty text: each key of the format has only its documented spelling."""
    del pointer
    return ""


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format."""

    name: str
    """The name of its package, and of its folder in the corpus."""

    read_request: Reader
    read_response: Reader
    read_error: Reader
    """Reads an error reply: ``{"status", "headers", "body"}``."""

    rules: tuple[RuleCheck, ...]
    """Checks of the rules that schemas cannot express, in the order of their findings; those of streams: ``stream``."""

    client: Client

    stream: StreamReader | None = None
    """Assembles its streams; None if they cannot be read."""

    conversation_state: ConversationState | None = None
    """The conversations that its provider stores; None if it stores none."""

    dialect: Dialect | None = None
    """The habits of compatible servers; None if none are known."""

    event_kind: Callable[[dict[str, Any]], str] = event_type
    """Returns the kind of an event of a stream, in a word."""

    undocumented_key: Callable[[str], str] = no_undocumented_key
    """Returns the first key of a pointer that is not in its documented spelling; empty if all are."""
