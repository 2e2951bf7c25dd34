"""The record of a wire format: all that the rest of this package knows of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from toolcall_reference.basics.store import Shelf
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body, Conversation, Reply
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.http import Http
from toolcall_reference.formats.observer import Observed
from toolcall_reference.streaming.streams import Decoder, Encoder


class MemoryNeeds(Protocol):
    """What the clients of a format expect to be remembered from one request to the next."""

    def keeps(self, request: Body, /) -> bool: ...

    def whole(self, body: Body, /) -> Body: ...

    def keep(self, request: Body, reply: Body, /) -> None: ...


class NoMemory:
    """Clients of most formats say everything again."""

    def __init__(self, shelf: Shelf) -> None:
        del shelf

    def keeps(self, request: Body, /) -> bool:
        """Whether the conversation is needed when its reply is there: never."""
        del request
        return False

    def whole(self, body: Body, /) -> Body:
        """The request as it is."""
        return body

    def keep(self, request: Body, reply: Body, /) -> None:
        """Remember nothing."""
        del request, reply


def _beside_functions(request: Body, hosted: list[Body]) -> None:
    request["tools"] = [*request.get("tools", []), *hosted]


def _in_full(request: Body, replies: list[Body]) -> None:
    del request, replies


def _unsigned(model: str, scenario: str, step: int) -> None:
    del model, scenario, step


@dataclass(frozen=True, slots=True)
class Provider:
    """How the provider itself speaks: what it sends, and what the renderer writes into the corpus.

    ``dress_reply(reply, seed, request)`` and ``dress_error(reply, kind, seed)`` give an encoded body the ids and keys
    that no translation needs; ``stream_of(reply, seed)`` is a reply as it is streamed. Equal seeds give equal results.
    """

    default_model: str
    """The model of a scenario that names none."""

    call_id: Callable[[str, str, str], str | None]
    """The id of a call, by model, scenario and the call's key there; None where the provider gives none."""

    dress_reply: Callable[[Body, str, Body], Body]
    dress_error: Callable[[Body, str, str], Body]
    stream_of: Callable[[Body, str], bytes]

    signature_key: str | None = None
    """The key beside a text or a call that holds the provider's signature of it."""

    files_of: str = ""
    """Who keeps the files that a request names by an id."""

    lent_signature: tuple[str, str] = ("", "")
    """Whose signatures this format's clients may bring back in a vendor's dialect: the format, and its key for them."""

    sign: Callable[[str, str, int], str | None] = _unsigned
    """The signature of a step's first call, by model, scenario and number of the step; None where there is none."""

    declare: Callable[[Body, list[Body]], None] = _beside_functions
    """Adds to a request the declarations of tools that the provider runs itself."""

    refer: Callable[[Body, list[Body]], None] = _in_full
    """Puts into a request, for what earlier replies gave, the names under which the provider keeps it."""

    cites_blocks: bool = False
    """Whether a source is said of a whole block, so that a text is split where its sources change."""

    object_results: bool = False
    """Whether a result of a tool may be an object; elsewhere it is written as JSON text."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format. Each package in ``formats/`` has one as ``FORMAT``."""

    name: str
    decode_request: Callable[[Body, Losses], Conversation]
    encode_request: Callable[[Conversation, Target], Body]
    decode_response: Callable[[Body, Losses], Reply]
    encode_response: Callable[[Reply, Target], Body]
    decode_error: Callable[[int, Body, Mapping[str, str], Losses], Failure]
    encode_error: Callable[[Failure], tuple[int, Body]]
    stream_decoder: Callable[[Losses], Decoder]
    stream_encoder: Callable[[Target], Encoder]
    provider: Provider
    http: Http
    observed: Observed

    request_model: str | None
    """The key of a request that names the model; None where it stands in the URL."""

    reply_model: str
    """The key of a reply that names the model."""

    stream_model: tuple[str, ...]
    """The keys that lead to the model in an event of a stream."""

    newline: str
    """How lines of a stream end."""

    spellings: frozenset[str]
    """The words that :attr:`Target.spelling` may hold."""

    entries: str
    """The key of a request that holds the conversation."""

    follow_up: Callable[[Body, Body, list[str], list[Body]], Body]
    """The request that follows ``(request, reply, call_ids, entries)``: the reply as it came, then the entries.

    ``call_ids`` are those of the reply's calls, made where it has none.
    """

    memory: Callable[[Shelf], MemoryNeeds] = NoMemory
    """Makes the memory of one client, which keeps what it remembers on a shelf."""
