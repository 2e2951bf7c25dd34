"""A whole conversation twice: as an official SDK puts it on the wire, and as our ideal client builds it."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Protocol

import pytest

from toolcall_conformance import formats
from toolcall_conformance.checks.conversation.client import ClientHabit, continue_from_reply
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.library import Case, Exchange
from witnesses.anthropic_user import AnthropicUser
from witnesses.calls import Unanswered
from witnesses.differences import Own
from witnesses.google_user import GoogleUser
from witnesses.openai_users import ChatUser, ResponsesUser
from witnesses.wire import Wire

# What the SDKs warn of and we know: models of the corpus grow old, and vendors' replies are not of the SDK's types.
QUIET = [
    pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
]


class User(Protocol):
    """A user of one SDK. History and replies are the SDK's own objects."""

    echoes: bool  # whether the SDK sends back keys of a reply that it does not know
    own: tuple[Own, ...]

    def __init__(self, wire: Wire, /) -> None: ...

    def first_history(self, body: dict[str, Any], /) -> list[Any]:
        """The conversation of a first request."""

    def ask(self, body: dict[str, Any], history: list[Any], model: str, /) -> Any:
        """Send ``history`` with the settings and tools of ``body``; the reply."""

    def history_of_reply(self, reply: Any, /) -> list[Any]:
        """What of a reply goes into the history."""

    def calls(self, reply: Any, /) -> list[Any]:
        """The tool calls of a reply."""

    def is_the_models(self, entry: Any, /) -> bool:
        """Whether an entry of a golden request's conversation is the model's."""

    def answers(self, tail: list[Any], calls: Unanswered, /) -> list[Any]:
        """What the user says next, by the words of a golden request's ``tail``, for the SDK's own calls."""


USERS: dict[str, type[User]] = {
    "anthropic": AnthropicUser,
    "openai_chat": ChatUser,
    "openai_responses": ResponsesUser,
    "gemini": GoogleUser,
}


@cache
def user(name: str) -> tuple[User, Wire]:
    """The user of a format's SDK, with the wire it sends on. Skips where the SDK is not installed."""
    wire = Wire()
    return USERS[name](wire), wire


def answered_exchanges(case: Case, name: str) -> tuple[Exchange, ...]:
    """The exchanges that end with a reply: no conversation goes on from an upstream's error.

    No SDK sends references to what it was given; that is the choice of the program above it.
    """
    return tuple(exchange for exchange in whole_exchanges(name, case.exchanges(name)) if exchange.response is not None)


@cache
def sdk_bodies(case: Case, name: str) -> tuple[Any, ...]:
    """The bodies that the SDK puts on the wire, one for each exchange."""
    return tuple(play_conversation(name, answered_exchanges(case, name), case.model(name)))


def play_conversation(name: str, exchanges: Sequence[Exchange], model: str) -> Iterator[Any]:
    """Play a conversation through the SDK; yields each body that goes on the wire."""
    someone, wire = user(name)
    container = formats.get(name).client.CONTAINER
    calls = Unanswered()
    history: list[Any] = []
    for number, exchange in enumerate(exchanges):
        golden = copy.deepcopy(exchange.request)
        if number == 0:
            history += someone.first_history(golden)
        else:
            history += someone.answers(_tail(someone, golden[container]), calls)
        wire.reply = exchange.response
        reply = someone.ask(golden, history, model)
        yield wire.body
        calls.add(someone.calls(reply))
        history += someone.history_of_reply(reply)


def _tail(someone: User, entries: list[Any]) -> list[Any]:
    """What comes after the last entry of the model."""
    last = max((index for index, entry in enumerate(entries) if someone.is_the_models(entry)), default=-1)
    return entries[last + 1 :]


def client_bodies(name: str, exchanges: Sequence[Exchange]) -> list[Any]:
    """The bodies that our ideal client sends, one for each exchange."""
    habit = ClientHabit(echo=USERS[name].echoes)
    bodies = [exchange.request for exchange in exchanges[:1]]
    for exchange, following in itertools.pairwise(exchanges):
        bodies.append(continue_from_reply(name, bodies[-1], exchange.response, following, habit))
    return bodies
