"""Names of tools: unchanged where legal, rewritten everywhere alike, and restored on the way back."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.reference_bodies import REPLIES, open_way
from toolcall_reference.conversation.names import NameMap
from toolcall_reference.formats.openai_chat.api import NAMES


def request_with_tool(name: str) -> dict[str, Any]:
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": "ok"}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": name}]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}},
    }


@pytest.mark.parametrize("name", ["mcp.files:read", "a" * 64 + "b", "server/tool", "9lives"])
def test_one_rewrite_in_declaration_choice_and_history_and_the_way_back(name: str) -> None:
    session = open_way("gemini", "openai_chat")
    output = session.request(request_with_tool(name))
    used = output["tools"][0]["function"]["name"]
    assert NAMES.allows(used)
    assert output["tool_choice"] == {"type": "function", "function": {"name": used}}
    assert output["messages"][1]["tool_calls"][0]["function"]["name"] == used
    answer = copy.deepcopy(REPLIES["openai_chat"])
    answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = used
    parts = session.response(answer)["candidates"][0]["content"]["parts"]
    assert parts[1]["functionCall"]["name"] == name


@given(st.lists(st.text(min_size=1, max_size=100), min_size=1, max_size=8, unique=True))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_names_are_legal_distinct_and_reversible(names: list[str]) -> None:
    name_map = NameMap(NAMES)
    name_map.declare(names)
    targets = [name_map.target_name(name) for name in names]
    assert len(set(targets)) == len(names)
    assert all(NAMES.allows(target) for target in targets)
    assert [name_map.source_name(target) for target in targets] == names
    assert [name for name, target in zip(names, targets, strict=True) if NAMES.allows(name) and target != name] == []


def test_a_rewrite_never_takes_a_declared_name() -> None:
    first = NameMap(NAMES)
    new_name = first.target_name("a.b")
    second = NameMap(NAMES)
    second.declare(["a.b", new_name])
    assert second.target_name(new_name) == new_name
    assert second.target_name("a.b") != new_name
