"""Keys that an SDK does not know: what it sends back of them is what our echoing and our stripping client send back.

The anthropic and openai SDKs keep such keys of a reply and send them again; google-genai drops them. A client that
strips is, for the first two, one that sends what the SDK's own request types name, and for the third one that uses the
SDK.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.library import Case, Exchange, load_corpus
from witnesses.conversation import QUIET, USERS, answered_exchanges, user
from witnesses.differences import differences
from witnesses.request_types import known_keys

pytestmark = QUIET

CORPUS = load_corpus()
UNKNOWN = "x_unknown"


def add_unknown_keys(value: Any) -> Any:
    """``value`` with a key that nobody knows in every object."""
    if isinstance(value, list):
        return [add_unknown_keys(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: add_unknown_keys(member) for key, member in value.items()} | {UNKNOWN: {"of": "nobody"}}


def shape(value: Any) -> Any:
    """The keys of a value without what they hold: replies of one shape need to be tried once only."""
    if isinstance(value, list):
        return frozenset(map(shape, value))
    return frozenset((key, shape(member)) for key, member in value.items()) if isinstance(value, dict) else None


def replies(name: str) -> Iterator[tuple[Case, Exchange]]:
    """The corpus's replies in one format that another exchange follows, the first of each shape."""
    client, forms = formats.get(name).client, set()
    for case in CORPUS.cases.values():
        for exchange in answered_exchanges(case, name)[:-1] if name in case.formats else ():
            form = shape(client.as_history(exchange.response, echo=True))
            if form not in forms:
                forms.add(form)
                yield case, dataclasses.replace(exchange, response=add_unknown_keys(exchange.response))


def reply_in_next_request(name: str, exchange: Exchange, model: str) -> list[Any]:
    """What of a reply the SDK sends back in the next request, as it is there."""
    someone, wire = user(name)
    wire.reply = exchange.response
    history = someone.first_history(copy.deepcopy(exchange.request))
    reply = someone.ask(exchange.request, history, model)
    someone.ask(exchange.request, [*history, *someone.history_of_reply(reply)], model)
    return list(wire.body[formats.get(name).client.CONTAINER][len(history) :])


@pytest.mark.parametrize("name", USERS)
def test_an_sdk_sends_back_what_our_client_does(name: str) -> None:
    client, sdk = formats.get(name).client, USERS[name]
    for case, exchange in replies(name):
        ours = client.as_history(exchange.response, echo=sdk.echoes)
        changes = differences(ours, reply_in_next_request(name, exchange, case.model(name)))
        assert [str(change) for change in changes if not any(own.excuses(change) for own in sdk.own)] == [], case.id
        assert (ours == client.as_history(exchange.response, echo=True)) is sdk.echoes, case.id


def _anthropic() -> Any:
    return pytest.importorskip("anthropic.types").MessageParam


def _openai_chat() -> Any:
    return pytest.importorskip("openai.types.chat").ChatCompletionAssistantMessageParam


def _openai_responses() -> Any:
    return pytest.importorskip("openai.types.responses").ResponseInputItemParam


@pytest.mark.parametrize("hint", [_anthropic, _openai_chat, _openai_responses], ids=lambda hint: hint.__name__[1:])
def test_the_stripping_client_keeps_what_the_request_types_name(hint: Any) -> None:
    name = hint.__name__[1:]
    client = formats.get(name).client
    for case, exchange in replies(name):
        everything = client.as_history(exchange.response, echo=True)
        expected = known_keys(everything, hint())
        assert client.as_history(exchange.response, echo=False) == expected != everything, case.id
