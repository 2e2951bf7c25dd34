"""Judges the output of a session for one format: the calls of a reply, and the entries with their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, Finding, Form, Judgement
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Reading, Result, Turn
from toolcall_conformance.judge.comparisons import HISTORY, compare
from toolcall_conformance.judge.excuses.inherited import excuse_inherited
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.calls import compare_calls
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.state.state import model_circumstances
from toolcall_conformance.library import Corpus


def judge_calls(corpus: Corpus, format_name: str, reply: Any, calls: Any) -> Judgement:
    """Judge the calls that a session extracted from a reply; see ``Judge.tool_calls``."""
    before = formats.read(format_name, "response", reply)
    turns = [replace(turn, items=[item for item in turn.items if isinstance(item, Call)]) for turn in before.turns]
    after = Reading(format_name, "response", turns=[Turn("assistant", "", [*_read_calls(calls)])], body=calls)
    pair = align_sides(Sides(corpus, replace(before, turns=turns), after))
    return Judgement(
        (*_report_non_calls(pair, calls), *(_rephrase_text_arguments(finding) for finding in compare_calls(pair)))
    )


_ID_FORM = Form({"type": "string", "pattern": r"\S"})


def _report_non_calls(pair: Pair, calls: Any) -> Iterator[Finding]:
    """Report the entries of a session's list that are no calls, or have no id by which a result could answer them."""
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        pointer = join("", place)
        if not isinstance(call, dict):
            yield pair.finding("translation/bad-output", pointer, "a call is an object", got=call)
        elif not _is_id(call.get("id")):
            at = join(pointer, "id") if "id" in call else pointer
            message = "every call has an id, made where its provider gives none"
            yield pair.finding("translation/bad-output", at, message, want=_ID_FORM, got=call.get("id", MISSING))


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _rephrase_text_arguments(finding: Finding) -> Finding:
    """The finding, with a message of its own if the arguments are text: here they are an object in every format."""
    if finding.rule == "translation/arguments" and isinstance(finding.got, str):
        return replace(finding, message="the arguments are text; they must be an object")
    return finding


def _read_calls(calls: Any) -> Iterator[Call]:
    """Read the entries of a session's list as calls."""
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        if isinstance(call, dict):
            pointer = join("", place)
            at = {key: join(pointer, key) for key in ("id", "name", "arguments") if key in call}
            kind, arguments = call.get("kind", "function"), call.get("arguments", {})
            if kind == "custom" and isinstance(arguments, dict) and len(arguments) == 1:
                (arguments,) = arguments.values()  # free text, as the object that every call has
            yield Call(
                place,
                0,
                call.get("name"),
                arguments,
                call.get("id") if _is_id(call.get("id")) else None,
                pointer,
                at.get("name"),
                at.get("arguments"),
                at.get("id"),
                kind=kind,
            )


def judge_results(corpus: Corpus, format_name: str, golden: Any, output: Any, *, model: str) -> Judgement:
    """Judge a request with a session's entries; see ``Judge.tool_results``."""
    before, after = formats.read(format_name, "request", golden), formats.read(format_name, "request", output)
    before = drop_trailing_words(before)
    pair = align_sides(Sides(corpus, before, after, circumstances=model_circumstances(corpus, format_name, model)))
    body_findings = check_body(corpus, format_name, "request", output, model=model)
    if body_findings:
        body_findings = excuse_inherited(
            corpus, body_findings, check_body(corpus, format_name, "request", golden, model=model), pair, golden, output
        )
    return Judgement((*body_findings, *compare(pair, HISTORY)))


def drop_trailing_words(golden: Reading) -> Reading:
    """The golden request, with only the results left in the turns after the last reply."""
    last = max((place for place, turn in enumerate(golden.turns) if turn.side == "assistant"), default=-1)
    tail = [
        replace(turn, items=[item for item in turn.items if isinstance(item, Result)])
        for turn in golden.turns[last + 1 :]
    ]
    return replace(golden, turns=[*golden.turns[: last + 1], *(turn for turn in tail if turn.items)])
