"""Two declarations that say the same are one tool: OpenAI takes both, Anthropic refuses a name that occurs twice.

https://github.com/danny-avila/LibreChat/issues/13162 quotes Anthropic's answer.
"""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from reference.reference_bodies import open_way

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"name": "get_weather", "description": "Tell the weather.", "parameters": SCHEMA}


def chat_request(*functions: dict[str, Any]) -> dict[str, Any]:
    tools = [{"type": "function", "function": function} for function in functions]
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hot?"}], "max_tokens": 9, "tools": tools}


def translate(*functions: dict[str, Any]) -> dict[str, Any]:
    output: dict[str, Any] = open_way("openai_chat", "anthropic").request(chat_request(*functions))
    return output


def musts(source: Any, output: Any) -> list[str]:
    findings = judge(source, output, client="openai_chat", upstream="anthropic").findings
    return [finding.rule for finding in findings if finding.is_must]


def test_one_of_two_equal_declarations_may_go() -> None:
    output = translate(WEATHER, WEATHER)
    assert [tool["name"] for tool in output["tools"]] == ["get_weather"]
    assert musts(chat_request(WEATHER, WEATHER), output) == []


def test_both_are_refused_by_the_api() -> None:
    output = translate(WEATHER)
    output["tools"] *= 2
    assert musts(chat_request(WEATHER, WEATHER), output) == ["anthropic/tool-name-unique"]


@pytest.mark.parametrize(
    "other",
    [
        {**WEATHER, "description": "Tell the weather of tomorrow."},
        {**WEATHER, "parameters": {**SCHEMA, "required": []}},
        {**WEATHER, "strict": False},
        {**WEATHER, "name": "get_wind"},
    ],
)
def test_another_declaration_may_not(other: dict[str, Any]) -> None:
    assert "translation/tool-lost" in musts(chat_request(WEATHER, other), translate(WEATHER))


def test_of_three_the_two_that_differ_stay() -> None:
    wind = {**WEATHER, "name": "get_wind"}
    output = translate(WEATHER, wind, WEATHER)
    assert [tool["name"] for tool in output["tools"]] == ["get_weather", "get_wind"]
    assert musts(chat_request(WEATHER, wind, WEATHER), output) == []


@pytest.mark.parametrize("other", [{"name": "get_weather", "parameters": SCHEMA}, {**WEATHER, "strict": False}])
def test_of_two_tools_with_one_name_the_second_may_have_another(other: dict[str, Any]) -> None:
    """Whatever name it gets: Anthropic takes none twice, and the second may have no words to know it by."""
    output = translate(WEATHER, {**other, "name": "get_wind"})
    output["tools"][1]["name"] = "x"
    assert musts(chat_request(WEATHER, other), output) == []


def test_a_tool_that_could_keep_its_name_may_not() -> None:
    wind = {"name": "get_wind", "parameters": SCHEMA}
    output = translate(WEATHER, wind)
    output["tools"][1]["name"] = "x"
    assert "translation/tool-lost" in musts(chat_request(WEATHER, wind), output)


def test_a_strict_tool_without_parameters_is_closed() -> None:
    bare = {"name": "get_time", "description": "Tell the time.", "strict": True}
    output = translate(bare)
    assert output["tools"][0]["input_schema"]["additionalProperties"] is False
    assert musts(chat_request(bare), output) == []


def item(words: str, name: str = "get_weather", **more: Any) -> dict[str, Any]:
    tool = {"type": "function", "name": name, "description": words, "parameters": SCHEMA, "strict": False}
    return {"type": "additional_tools", "role": "developer", "tools": [tool], **more}


@pytest.mark.parametrize(
    ("again", "declaration", "lost"),
    [
        (item("Tell the weather of tomorrow."), {**WEATHER}, []),
        (item("Tell the weather of tomorrow."), {**WEATHER, "description": "Tell the weather of tomorrow."}, []),
        (item("Tell the wind.", "get_wind"), {**WEATHER}, ["translation/tool-lost"]),
    ],
    ids=["the first", "the last", "another name"],
)
def test_an_item_may_declare_a_tool_again(again: dict[str, Any], declaration: dict[str, Any], lost: list[str]) -> None:
    """Clients of Responses declare tools in the conversation, too: one of the two declarations is enough."""
    source = {"model": "gpt-4.1", "input": [item("Tell the weather."), again, {"role": "user", "content": "Hot?"}]}
    output = {**chat_request(declaration)}
    del output["max_tokens"]
    findings = judge(source, output, client="openai_responses", upstream="openai_chat").findings
    assert [finding.rule for finding in findings if finding.is_must] == lost
