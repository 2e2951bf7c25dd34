"""Conversations that are kept for the client: resolved within the session that made them, refused in others."""

from __future__ import annotations

from typing import Any

import pytest

from reference.reference_bodies import REPLIES, open_way
from toolcall_reference.basics.errors import Refused

ASK = {"model": "m", "instructions": "Be brief.", "input": "Which files are there?", "tools": []}
UPSTREAMS = ["anthropic", "openai_chat", "gemini"]


def continue_from_reply(upstream: str, **first: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """A session, its first reply, and a request that goes on from it."""
    session = open_way("openai_responses", upstream)
    session.request(ASK | first)
    reply = session.response(REPLIES[upstream])
    calls = [item["call_id"] for item in reply["output"] if item["type"] == "function_call"]
    results = [{"type": "function_call_output", "call_id": call, "output": "ok"} for call in calls]
    return session, reply, {"model": "m", "previous_response_id": reply["id"], "input": results}


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_what_was_said_before_is_put_before(upstream: str) -> None:
    session, reply, more = continue_from_reply(upstream)
    output = str(session.request(more))
    assert "Which files are there?" in output
    assert "ok" in output
    assert "Be brief." not in output  # instructions are those of each request
    assert reply["id"] not in output
    again = session.response(REPLIES[upstream])
    assert again["previous_response_id"] == reply["id"]


def test_a_reply_of_nobody_is_refused() -> None:
    session, _, more = continue_from_reply("anthropic")
    with pytest.raises(Refused, match="not kept here"):
        session.request(more | {"previous_response_id": "resp_unknown"})
    with pytest.raises(Refused, match="not kept here"):
        open_way("openai_responses", "anthropic").request(more)


def test_what_was_not_to_be_stored_is_not_kept() -> None:
    session, _, more = continue_from_reply("anthropic", store=False)
    with pytest.raises(Refused, match="not kept here"):
        session.request(more)


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("kind", [{"type": "item_reference"}, {"type": None}, {}])
def test_items_are_put_where_they_are_named(upstream: str, kind: dict[str, Any]) -> None:
    session, reply, more = continue_from_reply(upstream)
    named = [{**kind, "id": item["id"]} for item in reply["output"]]
    question = {"role": "user", "content": ASK["input"]}
    whole = {"model": "m", "input": [question, *reply["output"], *more["input"]]}
    assert session.request({"model": "m", "input": [question, *named, *more["input"]]}) == session.request(whole)
    with pytest.raises(Refused, match="held by OpenAI"):
        open_way("openai_responses", upstream).request({"model": "m", "input": [question, *named]})


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_items_that_were_not_to_be_stored_are_not_known(upstream: str) -> None:
    session, reply, _ = continue_from_reply(upstream, store=False)
    with pytest.raises(Refused, match="held by OpenAI"):
        session.request({"model": "m", "input": [{"type": "item_reference", "id": reply["output"][0]["id"]}]})


@pytest.mark.parametrize(
    "body",
    [
        {"conversation": "conv_1", "input": "And now?"},
        {"input": [{"type": "item_reference", "id": "fc_1"}]},
        {"input": [{"id": "fc_1"}]},
        {"prompt": {"id": "pmpt_1"}, "input": "And now?"},
    ],
)
def test_what_only_openai_holds_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="held by OpenAI"):
        open_way("openai_responses", "gemini").request({"model": "m", **body})
