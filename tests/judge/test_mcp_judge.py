"""The judge of bridges, and the reference as one: whatever comes is judged, and what is no result is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_reference import Refused, Unsupported, mcp_result, mcp_tools

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
CASE = CORPUS.cases["mcp_results/resource-link"]
KEYS = ["tools", "name", "inputSchema", "content", "type", "text", "resource", "uri", "blob", "annotations", "isError"]
WORDS = ["text", "image", "resource", "resource_link", "x", ""]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=15,
)


@settings(max_examples=40, deadline=None)
@given(listed=JSON, result=JSON, body=JSON)
def test_nothing_that_comes_breaks_the_judge(listed: Any, result: Any, body: Any) -> None:
    for name in CASE.formats:
        golden = CASE.exchanges(name)[-1].request
        findings = [
            *JUDGE.mcp_tools(name, golden, listed, body, model="m").findings,
            *JUDGE.mcp_result(name, golden, golden, {0: result}, model="m").findings,
            *JUDGE.mcp_result(name, golden, body, {0: result}, model="m").findings,
        ]
        assert {finding.rule for finding in findings} <= CORPUS.rules.keys()


def test_an_unknown_block_is_refused() -> None:
    call = {"id": "c1", "name": "f", "arguments": {}}
    with pytest.raises(Refused, match="no content of type 'video'"):
        mcp_result(call, {"content": [{"type": "video"}]}, "anthropic")


def test_a_list_of_nothing_declares_nothing() -> None:
    assert mcp_tools({"tools": []}, "gemini") == []
    with pytest.raises(Unsupported, match="no such format: 'gemeni'"):
        mcp_tools({"tools": []}, "gemeni")


def test_structured_content_is_alone_where_there_is_no_text() -> None:
    call = {"name": "f", "arguments": {}}
    (entry,) = mcp_result(call, {"content": [], "structuredContent": {"a": 1}}, "gemini")
    assert entry["parts"] == [{"functionResponse": {"name": "f", "response": {"a": 1}}}]
