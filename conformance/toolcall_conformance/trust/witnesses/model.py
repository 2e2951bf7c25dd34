"""What an official client saw of a body, in words of no format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from toolcall_conformance.trust.witnesses.wire import Wire


@dataclass(frozen=True, slots=True)
class ClientResult:
    """What an official client did with a body.

    ``client`` is its package and version (``openai 3.54.0``). ``accepted``: it raised nothing, and its user sees what
    was meant. ``says`` are one to three short phrases.
    """

    client: str
    accepted: bool
    says: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        return f"client {self.client}: {'accepted it: ' if self.accepted else ''}{'; '.join(self.says)}"


@dataclass(frozen=True, slots=True)
class NotParsed:
    """Arguments that the user's ``json.loads`` refuses: the ``text``, and what it says of it."""

    text: str
    problem: str


@dataclass(frozen=True, slots=True)
class ClientCall:
    """A call as the client's user sees it. ``arguments`` is a JSON value or NotParsed; ``id`` is None without one.

    ``is_reported``: the client has an event for its end in a stream. ``is_own_tool``: it is an item of its own type,
    for a tool that the API itself defines, and its arguments are members of that. ``free``: its arguments are free
    text; None where the API has no such calls.
    """

    name: str
    arguments: Any
    id: str | None
    is_reported: bool = True
    is_own_tool: bool = False
    free: bool | None = None


@dataclass(frozen=True, slots=True)
class ClientView:
    """A reply as the client's user sees it.

    ``ended`` is the word by which it ended, None without one; ``tokens`` the sum of the prompt's and the answer's.
    """

    calls: tuple[ClientCall, ...]
    text: str
    ended: str | None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """The reply that a client's accumulator assembled: ``reply`` is the client's own object.

    ``handed`` are the calls that it told its user to be done, in that order; None where it has no such events.
    ``remarks`` are phrases of what its events said otherwise than the reply.
    """

    reply: Any
    handed: tuple[ClientCall, ...] | None = None
    remarks: tuple[str, ...] = ()


class MistypedError(Exception):
    """The client gives its user something else than its types promise."""


class UnraisedError(Exception):
    """The client raises nothing for an error in a stream, and hands its user the event; the text is its message."""


class UnreadKindError(Exception):
    """The client reads no body of this kind at all, however right; the message says which, of the client."""


class Sdk(Protocol):
    """An official client for one format; it gets what was laid on its wire. What it raises is its own."""

    name: str
    """The name of its package."""

    wire: Wire

    def reply(self) -> Any:
        """Ask; the reply as the client's own object."""

    def stream(self) -> StreamedReply:
        """Request a stream; the reply that the client's accumulator assembled."""

    def see(self, reply: Any, /) -> ClientView:
        """Walk through a reply as the client's documentation shows it. Raises what that raises."""

    def insist(self) -> Any:
        """Ask, and where the client wants to ask again, once more."""

    def error_message(self, error: Exception, /) -> Any:
        """The upstream's message, where an exception of the client has it."""

    def reply_type(self) -> Any:
        """The client's type of a reply."""

    def request_problems(self, body: Any, /) -> list[tuple[str, str]]:
        """What the client's types do not take of a request: pointers, and what is wrong there."""


def text_at(value: Any, place: str) -> str:
    """A text that the types promise; ``place`` names it as the user writes it. Raises MistypedError."""
    if not isinstance(value, str):
        raise MistypedError(f"{place} is {_kind(value)}, where its types promise a text")
    return value


def number_at(value: Any, place: str) -> int:
    """The same for a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise MistypedError(f"{place} is {_kind(value)}, where its types promise a number")
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    kinds = {dict: "an object", list: "a list", bool: "a boolean", int: "a number", float: "a fraction", str: "a text"}
    return kinds.get(type(value), f"of type {type(value).__name__}")
