"""Tools that a search brought into the history: a format that cannot hold them there declares them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.library import load_corpus, read_json

FOLDER = load_corpus().root / "scenarios" / "server_tools" / "tool-search" / "openai_responses"
FOUND = "convert_currency"


def search_request() -> dict[str, Any]:
    """A request whose client searched, and so declares the tool that it found in the history alone."""
    body: dict[str, Any] = read_json(FOLDER / "02-request.json")
    body["tools"] = [tool for tool in body["tools"] if tool.get("name") != FOUND]
    for item in body["input"]:
        if item.get("type", "").startswith("tool_search"):
            item |= {"execution": "client", "call_id": "call_Kq2WmT7"}
    for tool in body["tools"]:
        if tool["type"] == "tool_search":
            tool |= {"execution": "client", "description": "Find tools.", "parameters": {"type": "object"}}
    return body


def chat_request_with_tools(*tools: dict[str, Any]) -> dict[str, Any]:
    """The same for Chat, with these tools."""
    items = search_request()["input"]
    call, result = items[3], items[4]
    function = {"name": call["name"], "arguments": call["arguments"]}
    calls = [{"id": call["call_id"], "type": "function", "function": function}]
    messages = [
        items[0],
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": call["call_id"], "content": result["output"]},
    ]
    return {
        "model": "gpt-5.4",
        "messages": messages,
        "tools": [{"type": "function", "function": function} for function in tools],
    }


def tools() -> tuple[dict[str, Any], dict[str, Any]]:
    """The declared tool and the found one, as Chat has them."""
    body = search_request()
    search_tool = next(item for item in body["input"] if item.get("type") == "tool_search_output")["tools"][0]
    keys = ("name", "description", "parameters", "strict")
    both = [{key: tool[key] for key in keys} for tool in (body["tools"][0], search_tool)]
    return both[0], both[1]


def rules(*declarations: dict[str, Any]) -> set[str]:
    findings = judge(
        search_request(), chat_request_with_tools(*declarations), client="openai_responses", upstream="openai_chat"
    ).findings
    return {finding.rule for finding in findings if not finding.is_note}


def test_searches_that_are_done_may_be_left_out() -> None:
    """What they brought is declared."""
    assert rules(*tools()) == set()


def test_a_searched_tool_may_be_in_the_history_alone() -> None:
    body = search_request()
    assert judge(body, body, client="openai_responses", upstream="openai_responses").findings == ()


def test_a_lost_searched_tool_is_a_fault() -> None:
    declared_tool, _ = tools()
    assert "translation/tool-lost" in rules(declared_tool)


def as_function(**changes: Any) -> dict[str, Any]:
    """The request for Chat, in which the search is a function: declared, called, and answered by the names found."""
    search = {"name": "tool_search", "description": "Find tools.", "parameters": {"type": "object", "properties": {}}}
    body = chat_request_with_tools(search, *tools())
    arguments = next(item for item in search_request()["input"] if item.get("type") == "tool_search_call")["arguments"]
    function = {"name": "tool_search", "arguments": json.dumps(arguments)} | changes
    call = {"id": "call_Kq2WmT7", "type": "function", "function": function}
    answer = {"role": "tool", "tool_call_id": call["id"], "content": json.dumps({"tools": [FOUND]})}
    body["messages"][1:1] = [{"role": "assistant", "content": None, "tool_calls": [call]}, answer]
    return body


def rules_of(body: dict[str, Any]) -> set[str]:
    findings = judge(search_request(), body, client="openai_responses", upstream="openai_chat").findings
    return {finding.rule for finding in findings if not finding.is_note}


def test_a_search_of_the_client_may_be_a_function() -> None:
    assert rules_of(as_function()) == set()


def test_a_search_with_other_arguments() -> None:
    assert rules_of(as_function(arguments='{"query": "trains"}')) == {"translation/arguments"}


def test_the_result_of_a_search_names_what_it_loads() -> None:
    body = as_function()
    body["messages"][2]["content"] = "done"
    assert rules_of(body) == {"translation/result-content"}


def test_a_search_says_itself_what_it_does_and_takes() -> None:
    body = as_function()
    body["tools"][0]["function"] |= {
        "description": "Search.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    }
    assert {"translation/tool-description", "translation/schema-narrowed"} <= rules_of(body)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"name": "convert_weights", "description": "Convert a weight."}, "translation/tool-invented"),
        ({"description": "Convert a weight."}, "translation/tool-description"),
        ({"parameters": {"type": "object", "properties": {}}}, "translation/schema-property-lost"),
    ],
)
def test_what_no_search_brought_is_new(changes: dict[str, Any], rule: str) -> None:
    body = as_function()
    body["tools"][2]["function"] |= changes
    assert rule in rules_of(body)
