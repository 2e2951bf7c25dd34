"""The record of a wire format: all that the code outside its package knows of it."""

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
from toolcall_reference.formats.observer import Observer
from toolcall_reference.streaming.streams import Decoder, Encoder


class ReplyMemory(Protocol):
    """Remembers the replies that a client of the format goes on from without sending them again."""

    def needs_conversation(self, request: Body, /) -> bool: ...

    def complete_request(self, body: Body, /) -> Body: ...

    def keep_reply(self, request: Body, reply: Body, /) -> None: ...


class NoMemory:
    """The memory of formats whose clients send the whole conversation in every request."""

    def __init__(self, shelf: Shelf) -> None:
        del shelf

    def needs_conversation(self, request: Body, /) -> bool:
        """Always False."""
        del request
        return False

    def complete_request(self, body: Body, /) -> Body:
        """The request itself."""
        return body

    def keep_reply(self, request: Body, reply: Body, /) -> None:
        """Do nothing."""
        del request, reply


def _append_tools(request: Body, hosted: list[Body]) -> None:
    request["tools"] = [*request.get("tools", []), *hosted]


def _keep_items(request: Body, replies: list[Body]) -> None:
    del request, replies


def _no_signature(model: str, scenario: str, step: int) -> None:
    del model, scenario, step


@dataclass(frozen=True, slots=True)
class Provider:
    """What a provider adds to its replies; the renderer writes the corpus's bodies with it.

    ``dress_reply(reply, seed, request)`` and ``dress_error(reply, kind, seed)`` add the ids and keys that a provider
    sends and no translation needs. ``render_stream(reply, seed)`` is the reply as streamed bytes. Equal seeds give
    equal results.
    """

    default_model: str
    """The model of scenarios that name none."""

    call_id: Callable[[str, str, str], str | None]
    """Makes a call's id from model, scenario and the call's key in it; None if the provider gives calls no ids."""

    dress_reply: Callable[[Body, str, Body], Body]
    dress_error: Callable[[Body, str, str], Body]
    render_stream: Callable[[Body, str], bytes]

    signature_key: str | None = None
    """The key of the signature that the provider puts on a text or a call."""

    file_vendor: str = ""
    """The vendor that stores the files which a request names by id."""

    lent_signature: tuple[str, str] = ("", "")
    """The format whose signatures this format's clients may send back in a vendor's dialect, and its key for them."""

    make_signature: Callable[[str, str, int], str | None] = _no_signature
    """Makes the signature of a step's first call from model, scenario and step number; None if it is not signed."""

    declare_hosted: Callable[[Body, list[Body]], None] = _append_tools
    """Adds the declarations of provider-run tools to a request."""

    put_references: Callable[[Body, list[Body]], None] = _keep_items
    """Replaces the items of earlier replies in a request by references to them."""

    cites_blocks: bool = False
    """Whether citations apply to whole blocks, so that a text is split where its sources change."""

    object_results: bool = False
    """Whether a tool result may be an object; otherwise it is written as JSON text."""


@dataclass(frozen=True, slots=True)
class Format:
    """One wire format. Each package in ``formats/`` exports its record as ``FORMAT``."""

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
    observer: Observer

    request_model_key: str | None
    """The request's key for the model; None if the URL names it."""

    reply_model_key: str
    """The reply's key for the model."""

    stream_model_path: tuple[str, ...]
    """The path of keys to the model in an event of a stream."""

    newline: str
    """The line end of its streams."""

    notations: frozenset[str]
    """The words that :attr:`Target.notations` may hold."""

    conversation_key: str
    """The request's key for the conversation."""

    follow_up: Callable[[Body, Body, list[str], list[Body]], Body]
    """Makes the next request from ``(request, reply, call_ids, entries)``: the reply unchanged, then the entries.

    ``call_ids`` are the ids of the reply's calls, generated where it has none.
    """

    memory: Callable[[Shelf], ReplyMemory] = NoMemory
    """Makes the reply memory of one client, which stores what it remembers on a shelf."""
