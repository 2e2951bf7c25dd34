"""Which declared tool is which, where names changed hands: the map that calls, choices and scripted replies go by."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import declared_names, judge
from toolcall_conformance.basics.findings import Level

PATH: dict[str, Any] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
QUERY: dict[str, Any] = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
#: Two tools whose names are one when the dot is cleaned away; Gemini takes both.
DOTTED = {"name": "fs.read_file", "description": "Read a file of the project.", "schema": PATH}
PLAIN = {"name": "fs_read_file", "description": "Read a file of the sandbox.", "schema": PATH}


def gemini(*tools: dict[str, Any]) -> dict[str, Any]:
    declared = [
        {"name": tool["name"], "description": tool["description"], "parametersJsonSchema": tool["schema"]}
        for tool in tools
    ]
    return {
        "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        "tools": [{"functionDeclarations": declared}],
        "generationConfig": {"maxOutputTokens": 100},
    }


def anthropic(*tools: dict[str, Any]) -> dict[str, Any]:
    declared = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["schema"]} for tool in tools
    ]
    return {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Go."}],
        "tools": declared,
    }


def levels_by_rule(source: dict[str, Any], output: dict[str, Any]) -> dict[str, Level]:
    return {
        finding.rule: finding.level for finding in judge(source, output, client="gemini", upstream="anthropic").findings
    }


def names(golden: dict[str, Any], output: dict[str, Any]) -> dict[str, str]:
    return dict(declared_names(golden, output, upstream="anthropic"))


def test_a_tool_may_get_the_name_that_another_had() -> None:
    """Cleaned in the order of the declarations and numbered where taken: a clumsy habit, and no damage."""
    source = gemini(DOTTED, PLAIN)
    output = anthropic(DOTTED | {"name": "fs_read_file"}, PLAIN | {"name": "fs_read_file_2"})
    assert levels_by_rule(source, output) == {"translation/tool-name-kept": Level.SHOULD}


def test_the_map_follows_descriptions_where_names_changed_hands() -> None:
    plain = PLAIN | {"schema": QUERY}
    golden = anthropic(DOTTED | {"name": "fs_read_file_2"}, plain)
    output = anthropic(DOTTED | {"name": "fs_read_file"}, plain | {"name": "fs_read_file_2"})
    assert names(golden, output) == {"fs_read_file_2": "fs_read_file", "fs_read_file": "fs_read_file_2"}


def test_exchanged_declarations_are_exchanged_names() -> None:
    read, search = (
        {"name": "docs__read", "description": "Read a page of the manual.", "schema": PATH},
        {"name": "docs__search", "description": "Search the manual.", "schema": QUERY},
    )
    golden = anthropic(read, search)
    output = anthropic(search | {"name": "docs__read"}, read | {"name": "docs__search"})
    assert names(golden, output) == {"docs__read": "docs__search", "docs__search": "docs__read"}


@pytest.mark.parametrize("schema", [PATH, QUERY], ids=["same-schema", "other-schema"])
def test_exchanged_descriptions_are_no_exchanged_names(schema: dict[str, Any]) -> None:
    """The names and the schemas stayed: the descriptions are wrong, and the map must not hide it."""
    read, search = (
        {"name": "docs__read", "description": "Read a page of the manual.", "schema": PATH},
        {"name": "docs__search", "description": "Search the manual.", "schema": schema},
    )
    output = anthropic(read | {"description": search["description"]}, search | {"description": read["description"]})
    assert names(anthropic(read, search), output) == {name: name for name in ("docs__read", "docs__search")}
    assert levels_by_rule(gemini(read, search), output).get("translation/tool-description") is Level.MUST


def test_tools_that_are_alike_in_all_but_the_name_keep_their_order() -> None:
    """The same tool of two servers, both names too long for the target: only their order distinguishes them."""
    long: list[dict[str, Any]] = [
        {"name": f"{server}.{'x' * 70}", "description": "Search.", "schema": QUERY} for server in ("home", "work")
    ]
    output = anthropic(*(tool | {"name": f"t_{number}"} for number, tool in enumerate(long)))
    golden = anthropic(*(tool | {"name": tool["name"].replace(".", "_")} for tool in long))
    assert names(golden, output) == {f"home_{'x' * 70}": "t_0", f"work_{'x' * 70}": "t_1"}


def test_a_tool_that_is_not_declared_has_no_name_there() -> None:
    golden = anthropic(DOTTED | {"name": "fs-read_file"}, PLAIN)
    assert names(golden, anthropic(PLAIN)) == {"fs_read_file": "fs_read_file"}
