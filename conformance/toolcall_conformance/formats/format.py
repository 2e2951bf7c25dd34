"""A format as the judge sees it: one record of everything that its package provides.

Members that are modules have a protocol as their type, so that the type checker checks every package.
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
    """What servers that are compatible with an API do otherwise, habit by habit: a package's module ``dialect``."""

    STREAM_HABITS: Mapping[str, Habit]
    """Habits of streams, by name."""

    REPLY_HABITS: Mapping[str, Habit]
    """Habits of replies that are not streamed, by name."""


class Client(Protocol):
    """The ideal client of an API: a package's module ``client``."""

    CONTAINER: str
    """The key of a request that holds the conversation."""

    def entries(self, body: dict[str, Any], /) -> list[Any]: ...

    def as_history(self, reply: dict[str, Any], /, *, echo: bool) -> list[Any]: ...

    def relink(self, result: dict[str, Any], call: dict[str, Any], /) -> bool: ...

    def reverse_results(self, tail: list[Any], /) -> None: ...

    def merge_results(self, tail: list[Any], /) -> list[Any]: ...

    def add_instruction(self, body: dict[str, Any], words: str, /) -> None: ...

    def set_tool_choice_auto(self, body: dict[str, Any], /) -> None: ...


class StreamReader(Protocol):
    """Assembles a streamed reply and reports what is wrong with its events: a package's module ``stream``.

    A stream is what ``streaming.parse`` makes of its bytes.
    """

    RULES: tuple[str, ...]
    """The ids of the rules that it reports by, in the order of their findings."""

    def assemble(self, stream: Any, /) -> Assembled: ...


class ConversationState(Protocol):
    """How a provider keeps conversations for its clients: a package's module ``stored``."""

    def is_stored(self, body: Any, /) -> bool: ...

    def previous_reply(self, body: dict[str, Any], /) -> tuple[str, str] | None: ...

    def expand(self, body: dict[str, Any], history: list[Any], /) -> dict[str, Any]: ...

    def stored_history(self, body: dict[str, Any], reply: Any, /) -> tuple[str, list[Any]] | None: ...

    def item_references(self, body: dict[str, Any], /) -> list[tuple[str, str]]: ...

    def resolve_references(self, body: dict[str, Any], items: Mapping[str, list[Any]], /) -> dict[str, Any]: ...

    def stored_items(self, body: dict[str, Any], reply: Any, /) -> dict[str, list[Any]]: ...

    def replace_items_by_references(self, body: dict[str, Any], /) -> dict[str, Any]: ...

    def shorten(self, body: dict[str, Any], reply: dict[str, Any], count: int, /) -> dict[str, Any] | None: ...


def event_type(data: dict[str, Any]) -> str:
    """The kind of an event that says by ``type`` what it is."""
    kind = data.get("type")
    return kind if isinstance(kind, str) else "no type"


def no_undocumented_key(pointer: str) -> str:
    """Each member has one spelling."""
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
    """How it streams its replies; None for one whose streams we cannot read."""

    conversation_state: ConversationState | None = None
    """How its provider keeps conversations; None where it keeps none."""

    dialect: Dialect | None = None
    """What compatible servers do otherwise; None where we know of none."""

    event_kind: Callable[[dict[str, Any]], str] = event_type
    """What kind of event of a stream an object is, in a word."""

    undocumented_key: Callable[[str], str] = no_undocumented_key
    """The first member on the way to a place that has another spelling than the documented one; empty if none has."""
