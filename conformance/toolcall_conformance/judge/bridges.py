"""Judges a bridge for a server of the Model Context Protocol: its declarations, and its entries with results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.basics.reading import Media, Reading, Result
from toolcall_conformance.judge.adapters import drop_trailing_words
from toolcall_conformance.judge.comparisons import HISTORY, compare
from toolcall_conformance.judge.excuses.inherited import excuse_inherited
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.mcp import ToolResult, expected_parts, read_result, read_tools
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.results.failures import looks_like_error
from toolcall_conformance.judge.translation.state.state import model_circumstances
from toolcall_conformance.judge.translation.tools.tool_pairs import map_tool_names, pair_tools
from toolcall_conformance.judge.translation.tools.tools import compare_tools
from toolcall_conformance.library import Corpus


def judge_tools(
    corpus: Corpus, format_name: str, golden: Any, list_tools_result: Any, tools: Any, *, model: str
) -> Judgement:
    """Judge a session's translation of a ListToolsResult; see ``Judge.mcp_tools``."""
    output = {**(golden if isinstance(golden, dict) else {}), "tools": tools}
    sides = replace(
        _tool_sides(corpus, format_name, list_tools_result, output),
        circumstances=model_circumstances(corpus, format_name, model),
    )
    body_findings = [
        finding for finding in check_body(corpus, format_name, "request", output, model=model) if _is_in_tools(finding)
    ]
    return Judgement(
        (
            *body_findings,
            *(finding for finding in compare_tools(align_sides(sides)) if not _has_server_prefix(corpus, finding)),
        )
    )


def mcp_tool_names(corpus: Corpus, format_name: str, list_tools_result: Any, request: Any) -> dict[str, str]:
    """The names under which a request declares the tools of a ListToolsResult, by the server's names."""
    sides = _tool_sides(corpus, format_name, list_tools_result, request)
    return map_tool_names(sides, pair_tools(sides))


def _tool_sides(corpus: Corpus, format_name: str, list_tools_result: Any, request: Any) -> Sides:
    return Sides(
        corpus,
        replace(read_tools(list_tools_result), format=format_name),
        formats.read(format_name, "request", request),
    )


def _is_in_tools(finding: Finding) -> bool:
    return finding.pointer.split("/")[1:2] == ["tools"]


def _has_server_prefix(corpus: Corpus, finding: Finding) -> bool:
    """Whether a tool's name has its server's name as a prefix, which tells the tools of several servers apart."""
    got, want = str(finding.got), str(finding.want)
    if finding.rule != "translation/tool-name-kept" or not got.endswith(want):
        return False
    return any(corpus.alignment.patterns["server_prefix"].matches(got.removesuffix(want)))


def judge_result(
    corpus: Corpus, format_name: str, golden: Any, output: Any, results: Mapping[int, Any], *, model: str
) -> Judgement:
    """Judge a request with a session's entries for some CallToolResults; see ``Judge.mcp_result``."""
    after = formats.read(format_name, "request", output)
    tool_results = {ordinal: read_result(result) for ordinal, result in results.items()}
    before = _put_server_results(corpus, formats.read(format_name, "request", golden), after, tool_results)
    pair = align_sides(Sides(corpus, before, after, circumstances=model_circumstances(corpus, format_name, model)))
    body_findings = [
        finding
        for finding in check_body(corpus, format_name, "request", output, model=model)
        if not _is_in_tools(finding)
    ]
    if body_findings:
        body_findings = excuse_inherited(
            corpus, body_findings, check_body(corpus, format_name, "request", golden, model=model), pair, golden, output
        )
    return Judgement((*body_findings, *_weigh_error_marks(corpus, pair, compare(pair, HISTORY))))


def _weigh_error_marks(corpus: Corpus, pair: Pair, findings: list[Finding]) -> Iterator[Finding]:
    """The findings, lowered in a format without an error mark: there a failure is reported in words."""
    if corpus.expresses(pair.output.format, "error-mark") == "native":
        yield from findings
        return
    pointers = {result.pointer for result in pair.output.results if looks_like_error(corpus, result)}
    for finding in findings:
        if finding.rule == "translation/error-mark-in-words" or (
            finding.rule == "translation/error-mark" and finding.pointer in pointers
        ):
            continue
        yield apply_circumstances(corpus, finding, ["failure-in-words-only"])


def _put_server_results(
    corpus: Corpus, golden: Reading, output: Reading, tool_results: Mapping[int, ToolResult]
) -> Reading:
    """The golden request with the server's results for these calls, and nothing of the user after them."""
    produced = {result.call: result for result in output.results}
    astray = [result for result in output.results if result.call is None]
    last = max((place for place, turn in enumerate(output.turns) if turn.side == "assistant"), default=-1)
    media = [item for turn in output.turns[last + 1 :] for item in turn.items if isinstance(item, Media)]

    def put_server_result(result: Result) -> Result:
        tool_result = tool_results.get(-1 if result.call is None else result.call)
        if tool_result is None:
            return result
        counterpart = produced.get(result.call) or (astray[0] if len(astray) == len(tool_results) == 1 else None)
        parts = (
            tool_result.parts
            if counterpart is None
            else expected_parts(corpus, output.format, tool_result, counterpart, media)
        )
        return replace(result, parts=parts, error=tool_result.error)

    golden = drop_trailing_words(golden)
    turns = [
        replace(turn, items=[put_server_result(item) if isinstance(item, Result) else item for item in turn.items])
        for turn in golden.turns
    ]
    return replace(golden, turns=turns)
