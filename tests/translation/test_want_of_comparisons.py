"""Every finding of a comparison says what should be there and what is, and from where in the source it came.

Asked of all broken doubles in ``corpus/verdicts/``. What nobody can know is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from corpus_judge import judge
from doubles.harness import HARNESS
from doubles.verdict_judge import judge_verdict
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Level, OneOf
from toolcall_conformance.basics.jsonvalue import equal, join
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.judge.translation.wire_words import choice_value
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts

CORPUS = load_corpus()
ANYTHING = "translation/"

NO_SOURCE = {
    "translation/call-invented": "the source has no such call",
    "translation/result-invented": "the source has no such result",
    "translation/tool-invented": "the source has no such tool",
    "translation/text-invented": "the source has no such text",
    "translation/citation-added": "the source names no such page",
    "translation/state-invented": "the source has no such state",
    "translation/setting-added": "the source has no such setting",
    "translation/foreign-key": "the key may belong to a third format",
    "translation/identity": "the source may lack the member",
    "translation/identity-spelling": "the source may lack the member",
    "translation/tool-choice": "the source may leave the choice unsaid",
    "translation/parallel-flag": "the source may leave the flag unsaid",
    "translation/model-of-route": "a route names the model, and the source's body may name none",
    "translation/stored-reply-known": "the reply is one that nobody gave",
    "translation/stream-error-told": "the source's stream ends there",
    "translation/stream-error-as-break": "the source's stream ends there",
    "translation/stream-cut-end": "the source's stream ends there",
    "translation/stream-cut-call": "the source may not have begun the call",
}
"""Rules of which a finding may have no place in the source, each with the reason."""


def findings_of_mutants() -> Iterator[tuple[str, Finding]]:
    """Every finding of a comparison on a broken double, with the double's name."""
    for verdict in read_verdicts(CORPUS.root):
        if verdict["kind"] == "broken" and "usual" not in verdict and "source" in verdict:
            yield from (
                (verdict["name"], finding) for finding in judge_verdict(verdict) if finding.rule.startswith(ANYTHING)
            )


@cache
def cached_findings() -> tuple[tuple[str, Finding], ...]:
    return tuple(findings_of_mutants())


def test_there_are_many() -> None:
    assert sum(finding.level is Level.MUST for _, finding in cached_findings()) > 1_500


def test_each_finding_wants_something() -> None:
    """A value, a choice of several, or that nothing should: in a comparison the source always says it."""
    assert [f"{name}: {finding.rule}" for name, finding in cached_findings() if finding.want is NOT_KNOWN] == []


def test_each_says_what_does() -> None:
    assert [f"{name}: {finding.rule}" for name, finding in cached_findings() if finding.got is NOT_KNOWN] == []


def test_the_two_differ() -> None:
    """Else a text shows one value twice, and nobody sees the fault."""
    assert [
        f"{name}: {finding.rule} {finding.want!r}"
        for name, finding in cached_findings()
        if _same(finding.want, finding.got)
    ] == []


def _same(want: Any, got: Any) -> bool:
    if want is MISSING or got is MISSING:
        return want is got
    values = want.values if isinstance(want, OneOf) else (want,)
    return any(equal(value, got) for value in values)


def test_each_says_where_in_the_source() -> None:
    without = {finding.rule: name for name, finding in cached_findings() if finding.source_pointer is None}
    assert without.keys() - NO_SOURCE.keys() == set(), without


@pytest.mark.parametrize("name", formats.names())
def test_the_words_of_reasons_are_read_back(name: str) -> None:
    """A reply with such a word at such a place says the reason (``tools`` and ``end`` differ by the calls)."""
    for reason, places in CORPUS.format(name)["wire_words"]["finish"].items():
        main, *beside = places.items()
        for word in main[1]:
            others = [(place, words[0]) for place, words in beside if "promptFeedback" not in place]
            body = _body([(main[0], word), *others])
            read = formats.read(name, "response", body).finish
            assert read is not None
            assert read.reason in (reason, "end" if reason == "tools" else reason), (name, word)


def _body(members: list[tuple[str, Any]]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    for pointer, value in members:
        *way, last = pointer.split("/")[1:]
        holder: Any = body
        for key, following in pairwise([*way, last]):
            empty: Any = [] if following == "0" else {}
            if isinstance(holder, list):
                holder.append(empty)
                holder = holder[-1]
            else:
                holder = holder.setdefault(key, empty)
        holder[last] = value
    return body


VALUES = {"stop": ["a"], "metadata": {"a": "b"}, "parallel_calls": True, "store": True, "stream": True}
PENALTIES = {"frequency_penalty", "presence_penalty"}
NUMBERS = {"max_output_tokens", "temperature", "top_p", "top_k", "seed", "reply_count", *PENALTIES}
OBJECTS = {"tool_choice", "reasoning", "response_format"}


@pytest.mark.parametrize("name", formats.names())
def test_settings_are_where_the_words_say(name: str) -> None:
    settings = CORPUS.format(name)["wire_words"]["settings"]
    for setting, pointer in settings.items():
        if setting not in OBJECTS:
            value = VALUES.get(setting, 1 if setting in NUMBERS else "a")
            read = formats.read(name, "request", _body([(pointer, value)])).settings
            assert setting in read, (name, setting)
            assert read[setting].pointer == pointer


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize(
    ("mode", "names"),
    [("auto", None), ("none", None), ("required", None), ("required", ["a"]), ("required", ["a", "b"])],
)
def test_a_choice_is_read_back(name: str, mode: str, names: list[str] | None) -> None:
    sides = judge_sides(name)
    pointer = CORPUS.format(name)["wire_words"]["settings"]["tool_choice"]
    body = _body([(pointer, choice_value(sides, mode, names))])
    read = formats.read(name, "request", body).settings["tool_choice"].value
    assert read["mode"] == mode
    if names and (len(names) == 1 or "subset" in CORPUS.format(name)["wire_words"]["choice"]):
        assert sorted(read["names"]) == names


def judge_sides(name: str) -> Any:
    from toolcall_conformance.judge.translation.pair import Sides

    reading = formats.read(name, "request", {})
    return Sides(CORPUS, reading, reading)


@pytest.mark.parametrize("name", formats.names())
def test_counts_are_where_the_words_say(name: str) -> None:
    for count, pointer in CORPUS.format(name)["wire_words"]["usage"].items():
        assert formats.read(name, "response", _body([(pointer, 7)])).usage.get(count) == 7, (name, count)


SENT: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "stop_sequences": ["END"],
    "tool_choice": {"type": "any"},
    "tools": [{"name": "a", "description": "d", "input_schema": {"type": "object", "properties": {}}}],
    "messages": [{"role": "user", "content": "What is it?"}],
}
MADE: dict[str, Any] = {
    "model": "m",
    "max_completion_tokens": 9,
    "stop": ["END"],
    "tool_choice": "required",
    "tools": [
        {
            "type": "function",
            "function": {"name": "a", "description": "d", "parameters": {"type": "object", "properties": {}}},
        }
    ],
    "messages": [{"role": "user", "content": "What is it?"}],
}


def judge_to_chat(source: Any, output: Any, direction: str = "request") -> tuple[Finding, ...]:
    return judge(source, output, client="anthropic", upstream="openai_chat", direction=direction).findings


def test_the_pair_as_it_is_has_no_fault() -> None:
    assert [finding for finding in judge_to_chat(SENT, MADE) if finding.is_must] == []


@pytest.mark.parametrize(
    ("key", "value", "rule", "want", "subject"),
    [
        ("stop", "THE END", "setting-changed", ["END"], "stop"),
        ("max_completion_tokens", 8, "setting-changed", 9, "max_completion_tokens"),
        ("max_completion_tokens", None, "setting-lost", 9, "max_completion_tokens"),
        ("tool_choice", "auto", "tool-choice", "required", ""),
        ("tool_choice", "any", "tool-choice", "required", ""),
        ("temperature", 0.5, "setting-added", MISSING, "temperature"),
        ("parallel_tool_calls", False, "parallel-flag", MISSING, "parallel_tool_calls"),
    ],
)
def test_settings_are_said_in_words_of_the_target(key: str, value: Any, rule: str, want: Any, subject: str) -> None:
    (finding,) = (
        finding for finding in judge_to_chat(SENT, {**MADE, key: value}) if finding.rule == f"translation/{rule}"
    )
    assert (finding.pointer, finding.want, finding.got, finding.subject) == (join("", key), want, value, subject)


def test_a_reason_is_said_in_words_of_the_target() -> None:
    source = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "So"}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    output = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "So"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    (finding,) = (finding for finding in judge_to_chat(source, output, "response") if finding.is_must)
    assert finding.rule == "translation/finish-reason"
    assert finding.want == OneOf(("max_tokens", "model_context_window_exceeded"))
    assert (finding.pointer, finding.got, finding.source_pointer) == (
        "/stop_reason",
        "end_turn",
        "/choices/0/finish_reason",
    )
    assert "stop_reason: max_tokens" in finding.message


def test_a_reason_that_is_no_word_is_wanted_as_what_says_it() -> None:
    """A refusal in Responses is a part of a completed message: the status of a cut reply is the second best."""
    source = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "No."}],
        "stop_reason": "refusal",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    part = {"type": "output_text", "text": "No.", "annotations": []}
    output = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}],
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
    }
    findings = HARNESS.judge.response(source, output, Ends("openai_responses", "anthropic")).findings
    (finding,) = (finding for finding in findings if finding.rule == "translation/finish-reason")
    assert finding.want == OneOf(
        ("a refusal part in a completed message", "incomplete, with /incomplete_details/reason 'content_filter'")
    )


def test_calls_and_counts_are_named_where_a_reply_lost_their_words() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    source = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6},
    }
    output = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "tool_use", "id": "call_1", "name": "read_file", "input": {}}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 1},
    }
    messages = {finding.rule: finding.message for finding in judge_to_chat(source, output, "response")}
    assert (
        "ended with 'tool_calls' and has calls, the translation ends with 'end_turn'"
        in messages["translation/finish-reason"]
    )
    assert messages["translation/usage-lost"].endswith("anthropic counts them at /usage/input_tokens")


def test_parameters_that_are_all_gone_are_reported_once() -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}}
    sent = {**SENT, "tools": [{**SENT["tools"][0], "input_schema": schema}]}
    findings = [finding for finding in judge_to_chat(sent, MADE) if finding.rule == "translation/schema-property-lost"]
    assert [(finding.want, finding.got) for finding in findings] == [("path, text", MISSING)]
    assert findings[0].source_pointer == "/tools/0/input_schema/properties"


@pytest.mark.parametrize("upstream", CORPUS.formats)
@pytest.mark.parametrize(
    ("client", "key", "choice"),
    [
        ("openai_chat", "tool_choice", "any"),
        ("openai_responses", "tool_choice", "ANY"),
        ("anthropic", "tool_choice", {"type": "whatever"}),
        ("gemini", "toolConfig", {"functionCallingConfig": {"mode": "EVERY"}}),
    ],
)
def test_a_choice_that_no_format_has(client: str, key: str, choice: Any, upstream: str) -> None:
    """A source may say anything; what it would be in the target's words is not known then."""
    case = CORPUS.cases["shell/seed"]
    source = {**case.exchanges(client)[0].request, key: choice}
    findings = judge(source, case.exchanges(upstream)[0].request, client=client, upstream=upstream).findings
    wants = [finding.want for finding in findings if finding.rule == "translation/tool-choice"]
    assert all(want is NOT_KNOWN or want is MISSING or isinstance(want, (str, dict, OneOf)) for want in wants)
