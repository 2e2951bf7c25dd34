"""The official ``mcp`` package as a witness: what a real server sends fits our schemas, our goldens are what it could
send, and the reference's bridge takes all of it.

It runs in the environments of two published bridges, one with each version of the package: see ``TOOLCALL_ADAPTERS`` in
``tests/adapters/test_published.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolcall_conformance import Judge, Level, load_corpus, read
from toolcall_conformance.checks.adapter import put_entries
from toolcall_reference import mcp_result, mcp_tools

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
FORMATS = ["anthropic", "gemini", "openai_chat", "openai_responses"]
CASE = CORPUS.cases["mcp_results/failing-tool"]
SAID = {case.id: case.scenario["mcp"] for case in CORPUS.cases.values() if "mcp" in case.scenario}


@pytest.fixture(scope="module", params=["anthropic-mcp", "langchain-mcp"])
def witness(request: pytest.FixtureRequest) -> Any:
    """What the client in an environment printed, of the server's tools and of the corpus's bodies."""
    folder = os.environ.get("TOOLCALL_ADAPTERS", "")
    python = Path(folder, request.param, "bin", "python")
    if not folder or not python.exists():
        pytest.skip(f"TOOLCALL_ADAPTERS names no folder with {request.param} in it")
    bodies = {
        "tools": [entry["tools"] for entry in SAID.values()],
        "results": [result for entry in SAID.values() for result in entry.get("results", {}).values()],
    }
    client = str(Path(__file__).with_name("client.py"))
    ran = subprocess.run([python, client], input=json.dumps(bodies), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return {**json.loads(ran.stdout), "bodies": bodies}


def _schema(revision: str, name: str) -> Any:
    schema = json.loads((CORPUS.root / "mcp" / f"{revision}.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})


def test_what_a_server_sends_fits_the_schema_of_its_revision(witness: Any) -> None:
    for revision, sent in witness["sent"].items():
        _schema(revision, "ListToolsResult").validate(sent["tools"])
        for result in sent["results"].values():
            _schema(revision, "CallToolResult").validate(result)


def test_a_server_sends_each_kind_of_content(witness: Any) -> None:
    """Else the other tests show less than they say."""
    for sent in witness["sent"].values():
        blocks = [block for result in sent["results"].values() for block in result["content"]]
        assert {block["type"] for block in blocks} == {"text", "image", "audio", "resource_link", "resource"}
        assert any("structuredContent" in result for result in sent["results"].values())
        assert any(result["isError"] for result in sent["results"].values())
        assert any("$defs" in tool["inputSchema"] for tool in sent["tools"]["tools"])


def test_the_package_knows_all_that_the_goldens_say(witness: Any) -> None:
    """Version 2 drops what it does not know; version 1 keeps it, and knows no revision after 2025-11-25."""
    assert len(witness["read"]["results"]) > 0
    if "2026-07-28" in witness["sent"]:
        assert witness["read"] == witness["bodies"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_reference_bridges_all_of_it(witness: Any, name: str) -> None:
    golden, model = CASE.exchanges(name)[1].request, CASE.scenario["models"][name]
    golden_call = read(name, "request", golden).calls[0]
    call = {"id": golden_call.id, "name": golden_call.name, "arguments": golden_call.arguments}
    for sent in witness["sent"].values():
        tools = mcp_tools(sent["tools"], name, model=model)
        findings = [*JUDGE.mcp_tools(name, golden, sent["tools"], tools, model=model).findings]
        for result in sent["results"].values():
            output = put_entries(name, golden, mcp_result(call, result, name, model=model), {})
            findings += JUDGE.mcp_result(name, golden, output, {0: result}, model=model).findings
        assert [finding for finding in findings if finding.level is not Level.NOTE] == []
