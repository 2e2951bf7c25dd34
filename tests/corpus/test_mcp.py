"""What cases say of MCP servers: as the protocol's own types have it, and the same that their conversations say."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from toolcall_conformance.library import Case, load_corpus, read_json

CORPUS = load_corpus()
CASES = {case.id: case for case in CORPUS.cases.values() if "mcp" in case.scenario}
NEW = "2026-07-28"
OLD = "2025-11-25"


def validate(body: Any, definition: str) -> None:
    """Check a body by the revision that it is of: the newer one says in each result of which type it is."""
    schema = read_json(CORPUS.root / "mcp" / f"{NEW if 'resultType' in body else OLD}.json")
    jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{definition}"}).validate(body)


def calls(case: Case) -> dict[str, Any]:
    turns = case.scenario["conversation"]
    return {part["call"]["key"]: part["call"] for turn in turns for part in turn["content"] if "call" in part}


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_what_a_server_may_send(name: str) -> None:
    server = CASES[name].scenario["mcp"]
    validate(server["tools"], "ListToolsResult")
    for result in server["results"].values():
        validate(result, "CallToolResult")


@pytest.mark.parametrize("name", CASES)
def test_a_case_declares_the_tools_of_its_server(name: str) -> None:
    case = CASES[name]
    declared = [read_json(CORPUS.root / "tools" / f"{tool}.json") for tool in case.scenario["tools"]]
    listed = case.scenario["mcp"]["tools"]["tools"]
    assert [tool["name"] for tool in declared] == [tool["name"] for tool in listed]
    assert [tool["parameters"] for tool in declared] == [tool["inputSchema"] for tool in listed]
    for tool, own in zip(declared, listed, strict=True):
        assert tool.get("description") == own.get("description", own.get("title"))


@pytest.mark.parametrize("name", CASES)
def test_every_call_has_its_result(name: str) -> None:
    case = CASES[name]
    assert case.scenario["mcp"]["results"].keys() == calls(case).keys()
    failed = {
        part["result"]["call"]
        for turn in case.scenario["conversation"]
        for part in turn["content"]
        if part.get("result", {}).get("error")
    }
    assert {key for key, result in case.scenario["mcp"]["results"].items() if result.get("isError")} == failed
