"""Arguments: exact JSON values; text that is no JSON is kept, never made up; free-text tools wrapped and unwrapped."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.reference_bodies import REPLIES, ask, open_way, reply


def history(arguments: str) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ],
    }


def input_of(arguments: str) -> Any:
    return ask("openai_chat", "anthropic", history(arguments))["messages"][1]["content"][0]["input"]


def test_integers_are_exact() -> None:
    assert input_of('{"n": 9223372036854775807, "m": 1e3, "f": 1.5}') == {"n": 2**63 - 1, "m": 1000.0, "f": 1.5}


@pytest.mark.parametrize("blank", ["", "  ", "\n", "{}", "{ }"])
def test_blank_means_no_arguments(blank: str) -> None:
    assert input_of(blank) == {}
    item = ask("openai_chat", "openai_responses", history(blank))["input"][1]
    assert json.loads(item["arguments"]) == {}


@pytest.mark.parametrize("empty", ["null", "[]", " [ ] ", '""'])
def test_what_says_nothing_is_an_empty_object(empty: str) -> None:
    assert input_of(empty) == {}
    item = ask("openai_chat", "openai_responses", history(empty))["input"][1]
    assert item["arguments"] == empty


@pytest.mark.parametrize("broken", ['{"a": ', "[1]", "nonsense", '{"a": NaN}', '{"a": 1e999}', '{"a":1}}'])
def test_what_is_no_object_is_kept_and_comes_back(broken: str) -> None:
    assert input_of(broken) == {"_raw_arguments": broken}
    items = ask("openai_chat", "openai_responses", history(broken))["input"]
    assert json.loads(items[1]["arguments"]) == {"_raw_arguments": broken}
    there = ask("openai_chat", "anthropic", history(broken))
    back = ask("anthropic", "openai_chat", there)
    assert back["messages"][1]["tool_calls"][0]["function"]["arguments"] == broken


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.sampled_from(["openai_chat", "openai_responses", "gemini"]))
@settings(derandomize=True, max_examples=200, deadline=None)
def test_arguments_survive_there_and_back(arguments: dict[str, Any], upstream: str) -> None:
    source = ask("openai_chat", "anthropic", history(json.dumps(arguments)))
    assert source["messages"][1]["content"][0]["input"] == arguments
    there = ask("anthropic", upstream, source)
    back = ask(upstream, "anthropic", json.loads(json.dumps(there)))
    assert back["messages"][1]["content"][0]["input"] == arguments


def custom_request() -> dict[str, Any]:
    return {
        "model": "m",
        "input": [
            {"role": "user", "content": "x"},
            {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "*** {not json"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "done"},
        ],
        "tools": [{"type": "custom", "name": "patch", "description": "P.", "format": {"type": "text"}}],
    }


def test_free_text_tools_are_native_between_the_openai_formats() -> None:
    output = ask("openai_responses", "openai_chat", custom_request())
    assert output["tools"] == [
        {"type": "custom", "custom": {"name": "patch", "description": "P.", "format": {"type": "text"}}}
    ]
    assert output["messages"][1]["tool_calls"] == [
        {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** {not json"}}
    ]
    back = ask("openai_chat", "openai_responses", output)
    assert back["input"][1:] == custom_request()["input"][1:]


@pytest.mark.parametrize("upstream", ["anthropic", "gemini"])
def test_free_text_tools_are_wrapped_and_unwrapped(upstream: str) -> None:
    session = open_way("openai_responses", upstream)
    output = session.request(custom_request())
    assert json.dumps({"input": "*** {not json"}) in json.dumps(output)
    answer = copy.deepcopy(REPLIES[upstream])
    if upstream == "anthropic":
        answer["content"][1] |= {"name": "patch", "input": {"input": "+ line"}}
    else:
        call = answer["candidates"][0]["content"]["parts"][1]["functionCall"]
        call |= {"name": "patch", "args": {"input": "+ line"}}
    item = session.response(answer)["output"][1]
    assert (item["type"], item["input"], item["id"][:4]) == ("custom_tool_call", "+ line", "ctc_")
    assert "arguments" not in item


def test_empty_arguments_to_clients() -> None:
    answer = copy.deepcopy(REPLIES["gemini"])
    del answer["candidates"][0]["content"]["parts"][1]["functionCall"]["args"]
    assert reply("anthropic", "gemini", answer)["content"][1]["input"] == {}
    message = reply("openai_chat", "gemini", answer)["choices"][0]["message"]
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"
