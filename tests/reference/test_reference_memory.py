"""A memory that many sessions share: bounded, apart for each owner, and no two conversations mistaken."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reference.reference_bodies import REPLIES, Way
from toolcall_reference import ReferenceTranslator, Session, formats
from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.store import Store
from toolcall_reference.sessions.memory import Memory

ASK = {"model": "m", "input": "Which files are there?"}
SECRET = "ZW5jcnlwdGVk"


def open_session(store: Store, client: str, upstream: str, owner: str = "") -> Session:
    """A session for one exchange, with the memory that the store has for an owner."""
    way = Way(client, upstream, "mine", "theirs")
    return ReferenceTranslator().open(way, Memory.of(formats.get(client), store, owner))


def stored_reply(store: Store, owner: str = "", **more: Any) -> dict[str, Any]:
    session = open_session(store, "openai_responses", "anthropic", owner)
    session.request(ASK | more)
    return session.response(REPLIES["anthropic"])


def continue_from(store: Store, reply: dict[str, Any], owner: str = "") -> dict[str, Any]:
    results = [
        {"type": "function_call_output", "call_id": item["call_id"], "output": "ok"}
        for item in reply["output"]
        if item["type"] == "function_call"
    ]
    request = {"model": "m", "previous_response_id": reply["id"], "input": results}
    return open_session(store, "openai_responses", "anthropic", owner).request(request)


def test_one_session_goes_on_from_another() -> None:
    store = Store(100_000)
    assert "Which files are there?" in str(continue_from(store, stored_reply(store)))


def test_a_chain_is_kept_once_each() -> None:
    store = Store()
    session = open_session(store, "openai_responses", "openai_chat")
    session.request(ASK | {"input": "x" * 10_000})
    reply = session.response({**REPLIES["openai_chat"], "id": "chatcmpl-1"})
    first = store.size
    calls = [item["call_id"] for item in reply["output"] if item["type"] == "function_call"]
    results = [{"type": "function_call_output", "call_id": call, "output": "ok"} for call in calls]
    session.request({"model": "m", "previous_response_id": reply["id"], "input": results})
    session.response({**REPLIES["openai_chat"], "id": "chatcmpl-2"})
    assert 10_000 < first < store.size < first + 5_000


def test_other_owners_see_nothing() -> None:
    store = Store()
    reply = stored_reply(store, "mine")
    with pytest.raises(Refused, match="not kept here"):
        continue_from(store, reply, "another's")
    assert continue_from(store, reply, "mine")


def test_what_was_used_longest_ago_is_dropped() -> None:
    store = Store(20_000)
    replies = []
    for number in range(30):
        session = open_session(store, "openai_responses", "anthropic")
        session.request(ASK | {"input": f"{number} " + "x" * 1000})
        replies.append(session.response({**REPLIES["anthropic"], "id": f"msg_{number}"}))
        assert store.size <= 20_000
        if number < 29:
            assert continue_from(store, replies[0])  # used again and again, it stays
    assert continue_from(store, replies[-1])
    with pytest.raises(Refused, match="send the whole input"):
        continue_from(store, replies[1])


def test_what_is_larger_than_the_store_is_not_kept() -> None:
    store = Store(5_000)
    small = stored_reply(store)
    session = open_session(store, "openai_responses", "anthropic")
    session.request(ASK | {"input": "x" * 10_000})
    large = session.response({**REPLIES["anthropic"], "id": "msg_large"})
    assert continue_from(store, small)
    with pytest.raises(Refused, match="not kept here"):
        continue_from(store, large)


def reply_with_thinking(text: str) -> dict[str, Any]:
    """A reply of Anthropic's in words, with thinking before."""
    reply = copy.deepcopy(REPLIES["anthropic"])
    thinking = {"type": "thinking", "thinking": "hm", "signature": SECRET}
    return reply | {"content": [thinking, {"type": "text", "text": text}], "stop_reason": "end_turn"}


@pytest.mark.parametrize(("question", "returned"), [("Which one?", True), ("Are you there?", False)])
def test_an_answer_at_another_place_is_another_answer(question: str, returned: bool) -> None:
    store = Store()
    session = open_session(store, "openai_chat", "anthropic")
    session.request({"model": "m", "messages": [{"role": "user", "content": "Which one?"}]})
    message = session.response(reply_with_thinking("The first."))["choices"][0]["message"]
    history = [{"role": "user", "content": question}, message, {"role": "user", "content": "Why?"}]
    later = open_session(store, "openai_chat", "anthropic").request({"model": "m", "messages": history})
    assert (SECRET in str(later)) is returned


def test_overlapping_exchanges_keep_what_is_theirs() -> None:
    store = Store()
    first, second = (open_session(store, "openai_responses", "anthropic") for _ in range(2))
    first.request(ASK | {"input": "first"})
    second.request(ASK | {"input": "second"})
    replies = [each.response({**REPLIES["anthropic"], "id": f"msg_{each is first}"}) for each in (first, second)]
    assert "first" in str(continue_from(store, replies[0]))
    assert "second" in str(continue_from(store, replies[1]))


@pytest.mark.parametrize("client", formats.names())
def test_equal_answers_without_end_do_not_grow(client: str) -> None:
    store = Store()
    sizes = []
    for _ in range(200):
        session = open_session(store, client, "anthropic")
        session.request(copy.deepcopy(BEGINNINGS[client]))
        session.response(reply_with_thinking("Yes."))
        sizes.append(store.size)
    assert sizes[-1] == sizes[100]


BEGINNINGS: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Really?"}]},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "Really?"}]}]},
    "openai_chat": {"model": "m", "messages": [{"role": "user", "content": "Really?"}]},
    "openai_responses": {"model": "m", "input": "Really?"},
}
