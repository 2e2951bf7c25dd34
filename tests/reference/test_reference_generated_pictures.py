"""Pictures that the model draws: where a client of each API gets them, whole and streamed, and how they come back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reference.reference_bodies import open_way
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import load_corpus
from toolcall_reference.basics.jsontext import dump
from toolcall_reference.streaming.sse import frame

CASE = load_corpus().cases["media/drawn-picture"]
[FIRST, SECOND] = CASE.exchanges("gemini")
PICTURE = FIRST.response["candidates"][0]["content"]["parts"][1]["inlineData"]
WORDS = FIRST.response["candidates"][0]["content"]["parts"][0]["text"]
TOLD = "[image/png, 69 bytes, not shown]"
SHOWN = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE['data']}"}}


def replies(client: str) -> list[Any]:
    """The reply whole, and as its stream assembles."""
    whole = open_way(client, "gemini").response(copy.deepcopy(FIRST.response))
    stream = b"".join(open_way(client, "gemini").stream([FIRST.stream()]))
    return [whole, formats.assemble(client, parse(stream)).body]


def test_words_replace_it_where_replies_have_no_place() -> None:
    for reply in replies("anthropic"):
        assert [block["type"] for block in reply["content"]] == ["text", "text"]
        assert [block["text"] for block in reply["content"]] == [WORDS, TOLD]
    for reply in replies("openai_responses"):
        assert [part["text"] for item in reply["output"] for part in item["content"]] == [WORDS, TOLD]


def test_chat_has_it_next_to_the_content() -> None:
    for reply in replies("openai_chat"):
        message = reply["choices"][0]["message"]
        assert message["content"] == WORDS
        assert [{key: image[key] for key in SHOWN} for image in message["images"]] == [SHOWN]


def test_what_is_no_picture_is_reported_in_chat() -> None:
    reply = copy.deepcopy(FIRST.response)
    reply["candidates"][0]["content"]["parts"][1]["inlineData"]["mimeType"] = "audio/wav"
    message = open_way("openai_chat", "gemini").response(reply)["choices"][0]["message"]
    assert "images" not in message
    assert "[audio/wav, 69 bytes, not shown]" in message["content"]


def test_it_comes_back_from_chat() -> None:
    request = copy.deepcopy(CASE.exchanges("openai_chat")[1].request)
    request["messages"][1] = {**request["messages"][1], "images": [SHOWN]}
    parts = open_way("openai_chat", "gemini").request(request)["contents"][1]["parts"]
    assert parts == [{"text": WORDS}, {"inlineData": PICTURE}]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_vendor_of_chat_draws_for_gemini(streamed: bool) -> None:
    message = {"role": "assistant", "content": WORDS, "images": [{"index": 0, **SHOWN}]}
    choice = {"index": 0, "delta" if streamed else "message": message, "finish_reason": "stop"}
    body = {"id": "c", "created": 1, "model": "m", "choices": [choice]}
    session = open_way("gemini", "openai_chat")
    if streamed:
        stream = b"".join(session.stream([frame("", dump(body), "\n"), frame("", "[DONE]", "\n")]))
        reply_body: Any = formats.assemble("gemini", parse(stream)).body
    else:
        reply_body = session.response(body)
    assert reply_body["candidates"][0]["content"]["parts"][:2] == [{"text": WORDS}, {"inlineData": PICTURE}]


@pytest.mark.parametrize("upstream", ["anthropic", "openai_chat", "openai_responses"])
def test_in_a_history_the_user_shows_it(upstream: str) -> None:
    output = open_way("gemini", upstream).request(copy.deepcopy(SECOND.request))
    turns = formats.read(upstream, "request", output).turns
    assert [(turn.side, [type(item).__name__ for item in turn.items]) for turn in turns] == [
        ("user", ["Text"]),
        ("assistant", ["Text"]),
        ("user", ["Media", "Text"]),
    ]


@pytest.mark.parametrize("upstream", ["anthropic", "openai_chat", "openai_responses"])
def test_one_that_nothing_follows_becomes_the_user_s_turn(upstream: str) -> None:
    request = {"contents": SECOND.request["contents"][:2]}
    turns = formats.read(upstream, "request", open_way("gemini", upstream).request(copy.deepcopy(request))).turns
    assert [turn.side for turn in turns] == ["user", "assistant", "user"]
