"""Pictures that cannot stay in their result: where they go, and what says which call they come from."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from corpus_judge import judge
from reference.reference_bodies import REPLIES, ask, open_way, reply
from reference.stream_bodies import assemble
from toolcall_conformance.library import load_corpus
from toolcall_reference.conversation.media import registered_mime
from toolcall_reference.formats.openai_chat.transcripts import MAX_COMPARED
from toolcall_reference.render import render

RED = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
BLUE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADAgH/eL9wtQAAAABJRU5ErkJggg=="


def inline(data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": "image/png", "data": data}}


def image(data: str) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


def gemini(*responses: dict[str, Any], ids: bool = False) -> dict[str, Any]:
    id_members: list[dict[str, Any]] = [{"id": f"g{n}"} if ids else {} for n in range(len(responses))]
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "look"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "look", **each}} for each in id_members]},
            {
                "role": "user",
                "parts": [
                    *(
                        {"functionResponse": {"name": "look", **a, **b}}
                        for a, b in zip(id_members, responses, strict=True)
                    ),
                    {"text": "Go on."},
                ],
            },
        ]
    }


def test_a_failed_result_of_anthropic_holds_text_only() -> None:
    body = gemini(
        {"response": {"error": "timed out"}, "parts": [inline(RED)]}, {"response": {"output": "fine"}}, ids=True
    )
    assert ask("gemini", "anthropic", body)["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "g0", "content": "timed out", "is_error": True},
        {"type": "tool_result", "tool_use_id": "g1", "content": "fine"},
        {"type": "text", "text": "From the result of look (g0):"},
        image(RED),
        {"type": "text", "text": "Go on."},
    ]


def test_a_failed_result_of_anthropic_that_is_a_picture_says_so() -> None:
    body = gemini({"response": {"error": ""}, "parts": [inline(RED)]}, ids=True)
    content = ask("gemini", "anthropic", body)["messages"][2]["content"]
    assert [block["type"] for block in content] == ["tool_result", "text", "image", "text"]


@pytest.mark.parametrize("ids", [True, False])
def test_pictures_after_the_results_of_chat_name_their_call(ids: bool) -> None:
    body = gemini(
        {"response": {"output": "a"}, "parts": [inline(RED)]},
        {"response": {"output": "b"}, "parts": [inline(BLUE)]},
        ids=ids,
    )
    messages = ask("gemini", "openai_chat", body)["messages"]
    texts = [part["text"] for part in messages[-2]["content"] if part["type"] == "text"]
    assert texts == [f"From the result of look ({call['id']}):" for call in messages[1]["tool_calls"]]


def test_pictures_next_to_results_of_gemini_without_ids_go_by_number() -> None:
    media = [{"media": {"kind": "image", "mime": "image/png", "data": data}} for data in (RED, BLUE)]
    calls: list[Any] = [{"call": {"key": key, "name": "look", "arguments": {}}} for key in ("a", "b")]
    results = [{"result": {"call": key, "content": [each]}} for key, each in zip(("a", "b"), media, strict=True)]
    scenario = {
        "id": "x/y",
        "conversation": [
            {"role": "user", "content": [{"text": "look"}]},
            {"role": "assistant", "content": calls},
            {"role": "user", "content": results},
            {"role": "assistant", "content": [{"text": "Red and blue."}]},
        ],
    }
    parts = render(scenario, {}, "gemini")["02-request.json"]["contents"][2]["parts"]
    assert [part.get("text") for part in parts[2:]] == ["From result 1, look:", None, "From result 2, look:", None]


def audio() -> dict[str, Any]:
    return {"id": "audio_1", "data": "UklGRg==", "expires_at": 1760000900, "transcript": "It rains."}


def test_what_the_assistant_says_aloud_arrives_as_text() -> None:
    body = copy.deepcopy(REPLIES["openai_chat"])
    body["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": None, "audio": audio()}
    assert reply("anthropic", "openai_chat", body)["content"] == [{"type": "text", "text": "It rains."}]


def test_what_the_assistant_says_aloud_is_streamed_as_text() -> None:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant", "content": None, "audio": {"id": "audio_1", "transcript": "It "}}, None),
        ({"audio": {"transcript": "rains."}}, None),
        ({"audio": {"data": "UklGRg=="}}, None),
        ({"audio": {"expires_at": 1760000900}}, None),
        ({}, "stop"),
    ]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    sent = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"
    session = open_way("anthropic", "openai_chat", stream=True)
    output = b"".join(session.stream([sent])).decode()
    assert '"text":"It "' in output
    assert '"text":"rains."' in output
    assert "audio" in {loss.element for loss in session.losses}


def transcript_texts(*deltas: dict[str, Any]) -> tuple[list[str], str]:
    """The texts that a client of Anthropic gets of a Chat stream of these deltas, and all that came."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1760000000, "model": "m"}
    ends = [*((delta, None) for delta in ({"role": "assistant"}, *deltas)), ({}, "stop")]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in ends]
    sent = b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"
    output = b"".join(open_way("anthropic", "openai_chat", stream=True).stream([sent]))
    return [block["text"] for block in assemble("anthropic", output)["content"]], output.decode()


def transcript_delta(text: str) -> dict[str, Any]:
    return {"audio": {"transcript": text}}


@pytest.mark.parametrize(
    ("content", "texts"),
    [("It rains.", ["It rains."]), ("It rains.\n", ["It rains.\n"]), ("Listen:", ["Listen:", "It rains."])],
)
def test_a_sentence_in_text_and_in_audio_is_one_text(content: str, texts: list[str]) -> None:
    body = copy.deepcopy(REPLIES["openai_chat"])
    body["choices"][0]["message"] = {"role": "assistant", "content": content, "refusal": None, "audio": audio()}
    assert [block["text"] for block in reply("anthropic", "openai_chat", body)["content"]] == texts
    assert transcript_texts({"content": content}, transcript_delta("It "), transcript_delta("rains."))[0] == texts


def test_whichever_way_begins_is_streamed() -> None:
    texts, output = transcript_texts(
        transcript_delta("It "), {"content": "It "}, transcript_delta("rains."), {"content": "rains."}
    )
    assert texts == ["It rains."]
    assert '"text":"rains."' in output


def test_long_texts_are_passed_on_both() -> None:
    """What is kept for the comparison has a bound."""
    texts, _ = transcript_texts({"content": "a" * MAX_COMPARED}, transcript_delta("b"), {"content": "c"})
    assert texts == ["a" * MAX_COMPARED, "b", "c"]


def test_other_names_of_a_type_become_the_registered_one() -> None:
    """A picture that is named ``image/jpg`` stays a picture: https://github.com/NousResearch/hermes-agent/issues/55432"""
    names = load_corpus().equivalence("media-type-alias").parameters["names"]
    assert {name: registered_mime(f"{name.upper()}; q=1") for name in names} == names
    assert [registered_mime(name) for name in ("image/PNG; q=1", "text/plain; charset=utf-8", None)] == [
        *("image/png", "text/plain; charset=utf-8", None)
    ]
    url = f"data:image/x-png;base64,{RED}"
    source = {
        "model": "m",
        "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}],
    }
    output = ask("openai_chat", "anthropic", source)
    assert [block["source"]["media_type"] for block in output["messages"][0]["content"]] == ["image/png"]
    findings = judge(source, output, client="openai_chat", upstream="anthropic").findings
    assert [finding.rule for finding in findings if finding.is_must] == []
    output["messages"][0]["content"][0]["source"]["media_type"] = "image/x-png"
    findings = judge(source, output, client="openai_chat", upstream="anthropic").findings
    assert "anthropic/image-type" in {finding.rule for finding in findings}
