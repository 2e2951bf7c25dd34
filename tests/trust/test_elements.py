"""To which element a place belongs, and whether a finding is about it."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.elements import Elements, is_about
from toolcall_conformance.trust.mutation import SoundOutput
from toolcall_conformance.trust.sampling import Lot, Sampler
from toolcall_conformance.trust.table import MutationTable

REQUEST: dict[str, Any] = {
    "model": "gpt-4.1",
    "temperature": 0.5,
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "A cat."},
    ],
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}],
}
OF_REQUEST = [
    ("/temperature", "setting"),
    ("/messages/0/content", "system"),
    ("/messages/0", "system"),
    ("/messages/1", "turn"),
    ("/messages/1/role", "turn"),
    ("/messages/2/tool_calls/0/function/name", "name"),
    ("/messages/2/tool_calls/0/function/arguments", "arguments"),
    ("/messages/2/tool_calls/0/id", "id"),
    ("/messages/2/tool_calls/0/type", "call"),
    ("/messages/3/content", "result"),
    ("/tools/0/function/parameters/type", "schema"),
    ("/tools/0/type", "tool"),
    ("/tools", "tool"),
]


@pytest.mark.parametrize(("pointer", "element"), OF_REQUEST)
def test_the_element_of_a_place_in_a_request(pointer: str, element: str) -> None:
    assert Elements("openai_chat", "request", REQUEST, {}).at(pointer) == element


def test_the_element_of_a_place_in_a_reply() -> None:
    reply = {
        "id": "r1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3},
    }
    elements = Elements("openai_chat", "response", reply, MutationTable(load_corpus()).tops)
    names = [elements.at(at) for at in ("/id", "/usage/prompt_tokens", "/choices/0/finish_reason")]
    assert names == ["envelope", "usage", "finish"]


def test_an_event_belongs_to_what_the_reply_lacks_without_it(sampler: Sampler) -> None:
    lot = Lot("stream", "anthropic", "openai_chat", "drop", 1, 1)
    base = sampler.workshop.baseline(sampler.of_case(lot, "shell/seed")[0])
    assert isinstance(base, SoundOutput)
    elements_by_event: dict[str, set[str]] = {}
    for number, event in enumerate(base.place.output["events"]):
        elements_by_event.setdefault(event["event"], set()).add(base.element(f"/events/{number}"))
    assert elements_by_event["message_delta"] <= {"finish", "usage"}
    assert {"text", "arguments"} <= elements_by_event["content_block_delta"] <= {"text", "arguments", "frame"}
    assert elements_by_event["content_block_stop"] == {"frame"}


def test_what_a_finding_is_about() -> None:
    at = Finding("x/y", Level.MUST, "/messages/2/tool_calls/0", "", element="call")
    assert is_about(at, "/messages/7", ["call"]), "by its element"
    assert is_about(at, "/messages/2/tool_calls/0/id", ["id"]), "by its place"
    assert not is_about(at, "/messages/2/tool_calls/1", ["id"])
    assert not is_about(Finding("x/y", Level.MUST, "", "", element="body"), "/id", ["id"]), "the whole body is no place"
