"""Small inputs after public bug reports: what their threads take for right passes, and what they call wrong is named.

The cases are looked for next to the checkout: ``source``, ``right-…`` and ``wrong-…``, each with its thread in a note.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus_judge import judge, judge_stream
from reference.reference_bodies import open_way
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_reference import Refused, mcp_result

CASES = Path(__file__).parents[3] / "shared" / "field" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the cases after bug reports are not beside this checkout")


class KnownCase(NamedTuple):
    """Which way a case is translated, and by which rules each wrong output is found.

    ``left_out`` are outputs that are right only for a provider that the request does not name.
    """

    client: str
    upstream: str
    direction: str
    wrong: dict[str, str]
    request: Any = None
    upstream_request: Any = None
    left_out: tuple[str, ...] = ()


def request_with_schema(parameters: Any) -> dict[str, Any]:
    """A Chat request with the tool of the cases about schemas."""
    tool = {"type": "function", "function": {"name": "get_weather", "parameters": parameters}}
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Oslo?"}], "tools": [tool]}


CITY = {"type": "string"}
NULLABLE = {
    "type": "object",
    "properties": {"city": CITY, "unit": {"type": ["string", "null"]}},
    "required": ["city", "unit"],
    "additionalProperties": False,
}
AS_TEXTS = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING"}, "level": {"type": "STRING", "enum": ["1", "2"]}},
}
LATE_NAME = {"wrong-empty-name": "anthropic/stream-block-start"}
WITHOUT_TOOLS = {
    "wrong-choice-kept": "openai_chat/tool-choice-needs-tools",
    "wrong-parallel-kept": "openai_chat/parallel-flag-needs-tools",
    "wrong-tools-empty": "openai_chat/tools-not-empty",
}
KNOWN = {
    "additional-tools": KnownCase(
        "openai_responses",
        "openai_chat",
        "request",
        dict.fromkeys(("wrong-as-text", "wrong-custom-only-lost", "wrong-dropped"), "translation/tool-lost"),
        left_out=("right-hoisted-as-functions",),
    ),
    "tools-loaded-by-search": KnownCase(
        "openai_responses",
        "openai_chat",
        "request",
        dict.fromkeys(("wrong-all-lost", "wrong-loaded-tool-lost"), "translation/tool-lost"),
    ),
    "compaction-dropped": KnownCase(
        "openai_responses",
        "openai_chat",
        "request",
        dict.fromkeys(("wrong-encrypted-as-text", "wrong-silently-dropped"), "translation/stored-history"),
    ),
    "id-before-name": KnownCase("anthropic", "openai_chat", "stream", LATE_NAME),
    "choice-without-tools": KnownCase("openai_responses", "openai_chat", "request", WITHOUT_TOOLS),
    "phantom-tool-stop": KnownCase(
        "anthropic", "openai_chat", "stream", {"wrong-tool_use": "anthropic/finish-agrees-with-calls"}
    ),
    "finish-empty-string": KnownCase(
        "anthropic", "openai_chat", "stream", {"wrong-end_turn": "translation/finish-reason"}
    ),
    "cut-call-dropped": KnownCase(
        "anthropic",
        "openai_chat",
        "response",
        dict.fromkeys(("wrong-emptied+max_tokens", "wrong-repaired+max_tokens"), "translation/cut-call-as-whole"),
    ),
    "refusal-end-turn": KnownCase(
        "anthropic",
        "openai_chat",
        "response",
        dict.fromkeys(("wrong-empty-text", "wrong-nothing"), "translation/text-lost"),
    ),
    "same-tool-twice-declared": KnownCase(
        "openai_chat", "anthropic", "request", {"wrong-both": "anthropic/tool-name-unique"}
    ),
    "null-of-strict-tool": KnownCase(
        "openai_chat",
        "openai_responses",
        "response",
        {"wrong-null-kept": "translation/arguments-undone"},
        request_with_schema(
            {"type": "object", "properties": {"city": CITY, "unit": {"type": "string"}}, "required": ["city"]}
        ),
        {
            "model": "gpt-4.1",
            "input": "Oslo?",
            "tools": [{"type": "function", "name": "get_weather", "strict": True, "parameters": NULLABLE}],
        },
    ),
    "text-of-number-enum": KnownCase(
        "openai_chat",
        "gemini",
        "response",
        {"wrong-text-kept": "translation/arguments-undone"},
        request_with_schema(
            {"type": "object", "properties": {"city": CITY, "level": {"type": "integer", "enum": [1, 2]}}}
        ),
        {
            "contents": [{"role": "user", "parts": [{"text": "Oslo?"}]}],
            "tools": [{"functionDeclarations": [{"name": "get_weather", "parameters": AS_TEXTS}]}],
        },
    ),
}


def read(path: Path) -> Any:
    return parse(path.read_bytes()) if path.suffix == ".sse" else json.loads(path.read_bytes())


def judge_case(case: KnownCase, source: Any, output: Any, upstream_request: Any = None) -> list[Finding]:
    ends: dict[str, Any] = {"client": case.client, "upstream": case.upstream}
    if case.direction == "stream":
        return list(judge_stream(output, source=source, **ends).findings)
    requests = {"request": case.request, "upstream_request": upstream_request or case.upstream_request}
    return list(judge(source, output, direction=case.direction, **ends, **requests).findings)


@pytest.mark.parametrize("name", KNOWN)
def test_right_passes_and_wrong_is_named(name: str) -> None:
    case = KNOWN[name]
    paths = {path.stem: path for path in (CASES / name).iterdir() if path.suffix in (".sse", ".json")}
    source = read(paths["source"])
    for stem, path in paths.items():
        if stem in case.left_out:
            continue
        musts = {finding.rule for finding in judge_case(case, source, read(path)) if finding.is_must}
        if stem.startswith("right"):
            assert musts == set(), stem
        if stem.startswith("wrong"):
            assert case.wrong[stem] in musts, stem


@pytest.mark.parametrize("name", KNOWN)
def test_the_reference_is_right(name: str, corpus: Corpus) -> None:
    case = KNOWN[name]
    suffix = "sse" if case.direction == "stream" else "json"
    path = CASES / name / f"source.{suffix}"
    way = open_way(case.client, case.upstream)
    upstream_request = way.request(case.request) if case.request is not None else None
    if case.direction == "stream":
        output: Any = parse(b"".join(way.stream([path.read_bytes()])))
    else:
        try:
            output = getattr(way, case.direction)(read(path))
        except Refused:
            assert Judge(corpus).may_refuse(Route(case.client, case.upstream, "", ""), read(path))
            return
    assert [finding for finding in judge_case(case, read(path), output, upstream_request) if finding.is_must] == []


MCP_ERROR = CASES / "mcp-structured-error"
CALLED: dict[str, Any] = {
    **request_with_schema({"type": "object"}),
    "messages": [
        {"role": "user", "content": "Oslo?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
            ],
        },
    ],
}


RIGHT = [{"role": "tool", "tool_call_id": "call_1", "content": "Error: the tool failed."}]


def must_rules_of_answer(result: Any, entries: Any) -> set[str]:
    """The MUSTs that the answer to a call breaks, when an MCP server returned ``result``."""
    golden, body = ({**CALLED, "messages": [*CALLED["messages"], *some]} for some in (RIGHT, entries))
    findings = Judge(load_corpus()).mcp_result("openai_chat", golden, body, {0: result}, model="gpt-4.1").findings
    return {finding.rule for finding in findings if finding.is_must}


def test_a_failed_result_of_mcp_keeps_its_structured_content() -> None:
    result = read(MCP_ERROR / "source.json")
    call = {"id": "call_1", "name": "get_weather", "arguments": {}}
    assert must_rules_of_answer(result, read(MCP_ERROR / "right-entries.json")) == set()
    assert "translation/error-message" in must_rules_of_answer(result, read(MCP_ERROR / "wrong-entries.json"))
    assert must_rules_of_answer(result, mcp_result(call, result, "openai_chat")) == set()
