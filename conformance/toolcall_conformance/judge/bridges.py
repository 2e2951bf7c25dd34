"""Judges what a bridge makes of a server of the Model Context Protocol: declarations, and entries with results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement
from toolcall_conformance.basics.reading import Media, Reading, Result, Turn
from toolcall_conformance.judge.adapters import without_further_words
from toolcall_conformance.judge.comparisons import HISTORY, compare
from toolcall_conformance.judge.excuses.inherited import excused
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.judge.mcp import ToolResult, parts_told, read_result, read_tools
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.results.failures import looks_like_error
from toolcall_conformance.judge.translation.state.state import model_circumstances
from toolcall_conformance.judge.translation.tools.tool_twins import map_tools, names_of
from toolcall_conformance.judge.translation.tools.tools import compare_tools
from toolcall_conformance.library import Corpus


def judge_tools(corpus: Corpus, name: str, golden: Any, listed: Any, tools: Any, *, model: str) -> Judgement:
    """Judge the tools that a session made of a ListToolsResult; see ``Judge.mcp_tools``."""
    output = {**(golden if isinstance(golden, dict) else {}), "tools": tools}
    sides = replace(_sides(corpus, name, listed, output), circumstances=model_circumstances(corpus, name, model))
    own = [finding for finding in check_body(corpus, name, "request", output, model=model) if _is_of_tools(finding)]
    return Judgement(
        (*own, *(finding for finding in compare_tools(align_sides(sides)) if not _is_prefixed(corpus, finding)))
    )


def declared_names(corpus: Corpus, name: str, listed: Any, request: Any) -> dict[str, str]:
    """The names under which a request of the format ``name`` declares the tools of a ListToolsResult, by their own."""
    sides = _sides(corpus, name, listed, request)
    return names_of(sides, map_tools(sides))


def _sides(corpus: Corpus, name: str, listed: Any, request: Any) -> Sides:
    return Sides(corpus, replace(read_tools(listed), format=name), formats.read(name, "request", request))


def _is_of_tools(finding: Finding) -> bool:
    return finding.pointer.split("/")[1:2] == ["tools"]


def _is_prefixed(corpus: Corpus, finding: Finding) -> bool:
    """Whether a name stands behind that of its server, which tells the tools of several servers apart."""
    got, want = str(finding.got), str(finding.want)
    if finding.rule != "translation/tool-name-kept" or not got.endswith(want):
        return False
    return any(corpus.alignment.patterns["server_prefix"].matches(got.removesuffix(want)))


def judge_result(
    corpus: Corpus, name: str, golden: Any, output: Any, results: Mapping[int, Any], *, model: str
) -> Judgement:
    """Judge a request with a session's entries for some CallToolResults; see ``Judge.mcp_result``."""
    after = formats.read(name, "request", output)
    tool_results = {ordinal: read_result(result) for ordinal, result in results.items()}
    before = _as_the_server_said(corpus, formats.read(name, "request", golden), after, tool_results)
    pair = align_sides(Sides(corpus, before, after, circumstances=model_circumstances(corpus, name, model)))
    own = [finding for finding in check_body(corpus, name, "request", output, model=model) if not _is_of_tools(finding)]
    if own:
        own = excused(corpus, own, check_body(corpus, name, "request", golden, model=model), pair, golden, output)
    return Judgement((*own, *_weighed(corpus, pair, compare(pair, HISTORY))))


def _weighed(corpus: Corpus, pair: Pair, findings: list[Finding]) -> Iterator[Finding]:
    """The findings as they weigh in a format that may have no mark for failures: there words are the way to tell it."""
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


def _as_the_server_said(
    corpus: Corpus, golden: Reading, output: Reading, tool_results: Mapping[int, ToolResult]
) -> Reading:
    """A golden request whose results for these calls are the server's, and behind which the user says nothing."""
    produced = {result.call: result for result in output.results}
    astray = [result for result in output.results if result.call is None]
    last = max((place for place, turn in enumerate(output.turns) if turn.side == "assistant"), default=-1)
    media = [item for turn in output.turns[last + 1 :] for item in turn.items if isinstance(item, Media)]

    def told(result: Result) -> Result:
        tool_result = tool_results.get(-1 if result.call is None else result.call)
        if tool_result is None:
            return result
        counterpart = produced.get(result.call) or (astray[0] if len(astray) == len(tool_results) == 1 else None)
        parts = (
            tool_result.parts
            if counterpart is None
            else parts_told(corpus, output.format, tool_result, counterpart, media)
        )
        return replace(result, parts=parts, error=tool_result.error)

    golden = without_further_words(golden)
    turns = [
        Turn(turn.side, turn.pointer, [told(item) if isinstance(item, Result) else item for item in turn.items])
        for turn in golden.turns
    ]
    return replace(golden, turns=turns)
