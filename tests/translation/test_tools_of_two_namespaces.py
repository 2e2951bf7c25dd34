"""Two servers' tools of one name, each in its namespace: other formats must distinguish them, and calls name theirs."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge
from reference.reference_bodies import FORMATS, MODELS, open_way
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.judge import Ends, Judge, Requests
from toolcall_conformance.library import load_corpus

OTHERS = [name for name in FORMATS if name != "openai_responses"]
LOOK = {
    "type": "function",
    "name": "look",
    "description": "Look at a thing.",
    "strict": False,
    "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
}


def group(name: str) -> dict[str, Any]:
    return {"type": "namespace", "name": name, "description": f"Tools of {name}.", "tools": [copy.deepcopy(LOOK)]}


REQUEST: dict[str, Any] = {
    "model": MODELS["openai_responses"],
    "tools": [group("mall"), group("shop")],
    "input": [
        {"role": "user", "content": "Look at the hat in the shop."},
        {
            "type": "function_call",
            "call_id": "call_1",
            "name": "look",
            "namespace": "shop",
            "arguments": '{"at": "hat"}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "a red hat"},
    ],
}


def reference_output() -> dict[str, Any]:
    return open_way("openai_responses", "openai_chat").request(copy.deepcopy(REQUEST))


def musts(output: dict[str, Any]) -> list[Finding]:
    findings = judge(REQUEST, output, client="openai_responses", upstream="openai_chat").findings
    return [finding for finding in findings if finding.is_must]


def test_each_tool_is_declared_and_the_call_names_its_own() -> None:
    output = reference_output()
    assert [tool["function"]["name"] for tool in output["tools"]] == ["mall__look", "shop__look"]
    assert output["messages"][1]["tool_calls"][0]["function"]["name"] == "shop__look"
    assert musts(output) == []


def test_any_name_that_distinguishes_them_will_do() -> None:
    output = reference_output()
    output["tools"][0]["function"]["name"] = "look"
    assert musts(output) == []


def test_a_call_of_the_other_tool_is_found() -> None:
    output = reference_output()
    output["messages"][1]["tool_calls"][0]["function"]["name"] = "mall__look"
    assert [(finding.rule, finding.want) for finding in musts(output)] == [("translation/call-name", "shop__look")]


def test_one_tool_for_both_is_found() -> None:
    output = reference_output()
    output["tools"] = output["tools"][1:]
    assert "translation/tool-lost" in {finding.rule for finding in musts(output)}


@pytest.mark.parametrize("upstream", OTHERS)
def test_the_reference_leads_a_call_back_to_its_namespace(upstream: str) -> None:
    session = open_way("openai_responses", upstream)
    sent = session.request(copy.deepcopy(REQUEST))
    read = formats.read(upstream, "request", sent)
    assert [tool.name for tool in read.tools] == ["mall__look", "shop__look"]
    chat_reply = {
        "id": "r", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None,
            "tool_calls": [{"id": "call_2", "type": "function",
                            "function": {"name": "mall__look", "arguments": '{"at": "cap"}'}}]}}],
    }  # fmt: skip
    reply = chat_reply if upstream == "openai_chat" else open_way(upstream, "openai_chat").response(chat_reply)
    back = session.response(copy.deepcopy(reply))
    call = next(item for item in back["output"] if item["type"] == "function_call")
    assert (call["name"], call["namespace"]) == ("look", "mall")
    ends = Ends("openai_responses", upstream)
    findings = Judge(load_corpus()).response(reply, back, ends, requests=Requests(REQUEST, sent)).findings
    assert [finding for finding in findings if finding.is_must] == []
    call["name"] = "mall__look"
    findings = Judge(load_corpus()).response(reply, back, ends, requests=Requests(REQUEST, sent)).findings
    assert "translation/call-name" in {finding.rule for finding in findings if finding.is_must}


@pytest.mark.parametrize("upstream", OTHERS)
def test_instructions_after_tools_that_an_item_brings_are_instructions(upstream: str) -> None:
    body = {
        "model": MODELS["openai_responses"],
        "input": [
            {"type": "additional_tools", "role": "developer", "tools": [LOOK]},
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Look at the hat."},
        ],
    }
    output = open_way("openai_responses", upstream).request(copy.deepcopy(body))
    read = formats.read(upstream, "request", output)
    assert [tool.name for tool in read.tools] == ["look"]
    findings = judge(body, output, client="openai_responses", upstream=upstream).findings
    assert [finding for finding in findings if finding.is_must] == []
