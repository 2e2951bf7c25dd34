"""Drift: an outdated golden is reported with provider, case and pointer; a model's own choice of words is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import re2

from cassettes import goldens
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats import event_kind
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.cases import load
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange
from toolcall_conformance.recording.cassettes.replay.drift import drift_findings
from toolcall_conformance.recording.cassettes.replay.shapes import ReplyPlaces

CASE = "shell/realistic"


def record_today(
    corpus: Corpus, folder: Path, name: str, *, streamed: bool = False, case: str | None = CASE, number: int = 1
) -> RecordedExchange:
    """An exchange of a case as it would be recorded today, that is, as its golden says."""
    about = {"case": case, "date": "2026-11-22"} if case else {}
    goldens.write(folder / f"{name}.json", goldens.exchanges(corpus, CASE, name, streamed=streamed), **about)
    cases = load(corpus, [folder / f"{name}.json"]).cases
    return cases[f"recorded/{name}.json#{number}"].recorded


def rule_pointers(findings: list[Finding]) -> set[tuple[str, str]]:
    assert all(finding.level is Level.SHOULD for finding in findings)
    return {(finding.rule, finding.pointer) for finding in findings}


@pytest.mark.parametrize("case", [CASE, None])
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", goldens.URLS)
def test_what_is_as_the_golden_says_has_not_drifted(
    name: str, streamed: bool, case: str | None, corpus: Corpus, tmp_path: Path
) -> None:
    for number in (1, 2):
        assert (
            drift_findings(corpus, record_today(corpus, tmp_path, name, streamed=streamed, case=case, number=number))
            == []
        )


def corpus_with_changed_golden(
    corpus: Corpus, tmp_path: Path, name: str, change: Callable[[Any], None], *, part: str = "response.json"
) -> Corpus:
    """A corpus whose golden of this case has been changed."""
    (tmp_path / "scenarios").mkdir(parents=True)
    root = tmp_path / "aged"
    root.mkdir()
    for entry in corpus.root.iterdir():
        if entry.name != "scenarios":
            (root / entry.name).symlink_to(entry)
    copy = root / "scenarios" / CASE
    copy.mkdir(parents=True)
    for path in (corpus.root / "scenarios" / CASE).rglob("*"):
        target = copy / path.relative_to(corpus.root / "scenarios" / CASE)
        target.mkdir(exist_ok=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    golden = copy / name / f"01-{part}"
    if part.endswith(".sse"):
        stream = parse(golden.read_bytes())
        change(stream["events"])
        golden.write_bytes(dump(stream["events"]))
    else:
        body = json.loads(golden.read_text(encoding="utf-8"))
        change(body)
        golden.write_text(json.dumps(body), encoding="utf-8")
    return Corpus(root)


def without_stop(body: Any) -> None:
    del body["stop_reason"]


def usage_as_text(body: Any) -> None:
    body["usage"]["total_tokens"] = "120"


def with_safety(body: Any) -> None:
    body["candidates"][0]["safetyRatings"] = []


@pytest.mark.parametrize(
    ("name", "change", "rule", "pointer"),
    [
        ("anthropic", without_stop, "drift/new-member", "/stop_reason"),
        ("openai_responses", usage_as_text, "drift/type-changed", "/usage/total_tokens"),
        ("openai_chat", usage_as_text, "drift/type-changed", "/usage/total_tokens"),
        ("gemini", with_safety, "drift/member-gone", "/candidates/0"),
    ],
)
def test_an_aged_golden_is_reported(
    name: str, change: Callable[[Any], None], rule: str, pointer: str, corpus: Corpus, tmp_path: Path
) -> None:
    today = record_today(corpus, tmp_path, name)
    [finding] = drift_findings(corpus_with_changed_golden(corpus, tmp_path, name, change), today)
    assert (finding.rule, finding.pointer) == (rule, pointer)
    assert f"({CASE}, {name}; {today.host}, 2026-11-22)" in finding.message


def ping_first(events: list[Any]) -> None:
    events.insert(0, next(event for event in events if event["event"] == "ping"))


def stop_before_delta(events: list[Any]) -> None:
    places = [index for index, event in enumerate(events) if event["event"] in ("content_block_stop", "message_delta")]
    events[places[-2]], events[places[-1]] = events[places[-1]], events[places[-2]]


def without_in_progress(events: list[Any]) -> None:
    events[:] = [event for event in events if event["event"] != "response.in_progress"]


def without_role(events: list[Any]) -> None:
    del events[0]["data"]["choices"][0]["delta"]["role"]


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("anthropic", ping_first, set()),
        ("anthropic", stop_before_delta, {"drift/event-order"}),
        ("openai_responses", without_in_progress, {"drift/new-event"}),
        ("openai_chat", without_role, {"drift/new-event"}),
    ],
)
def test_another_order_of_events_is_reported(
    name: str, change: Callable[[list[Any]], None], expected: set[str], corpus: Corpus, tmp_path: Path
) -> None:
    today = record_today(corpus, tmp_path, name, streamed=True)
    findings = drift_findings(corpus_with_changed_golden(corpus, tmp_path, name, change, part="response.sse"), today)
    assert expected <= {finding.rule for finding in findings} <= expected | {"drift/event-order", "drift/new-member"}
    assert all(CASE in finding.message and name in finding.message for finding in findings)
    assert bool(findings) == bool(expected)


def test_recordings_of_anything_are_compared_with_all_goldens(corpus: Corpus, tmp_path: Path) -> None:
    today = record_today(corpus, tmp_path, "anthropic", case=None)
    response = json.loads(json.dumps(today.response))
    response["shiny"] = {"deep": 1}
    response["content"][0]["text"] = ["Let me see."]
    del response["role"]
    changed = replace(today, response=response)
    assert rule_pointers(drift_findings(corpus, changed)) == {
        ("drift/new-member", "/shiny"),
        ("drift/type-changed", "/content/0/text"),
        ("drift/member-gone", ""),
    }
    # What only some goldens have may be missing, and what a tool is called with is nobody's shape.
    response = json.loads(json.dumps(today.response))
    response["content"] = [{"type": "tool_use", "id": "toolu_1", "name": "x", "input": {"any": {"thing": 1}}}]
    assert drift_findings(corpus, replace(today, response=response)) == []


def test_kinds_of_events() -> None:
    assert event_kind("openai_chat", {"data": "[DONE]"}) == "[DONE]"
    assert event_kind("anthropic", {"data": {"type": "ping"}}) == "ping"
    assert event_kind("openai_responses", {"data": {"type": 3}}) == "no type"
    assert event_kind("gemini", {"data": [1]}) == "no object"
    assert event_kind("openai_chat", {"data": {"choices": []}}) == "no choice"
    delta = {"role": "assistant", "content": "", "tool_calls": None}
    chunk: dict[str, Any] = {"choices": [{"delta": delta, "finish_reason": None}]}
    assert event_kind("openai_chat", {"data": chunk}) == "delta.content+delta.role"
    part: dict[str, Any] = {"functionCall": {"name": "x"}, "thoughtSignature": "s"}
    chunk = {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}
    assert event_kind("gemini", {"data": chunk}) == "finish+part.functionCall"
    assert event_kind("gemini", {"data": {"usageMetadata": {}}}) == "no part"


@pytest.mark.parametrize(("name", "alive"), [("anthropic", "ping"), ("openai_responses", "keepalive")])
def test_keep_alives_may_be_anywhere(corpus: Corpus, name: str, alive: str) -> None:
    events = [{"data": {"type": kind}} for kind in ("a", alive, "a", alive, "b")]
    successions = list(ReplyPlaces.of(corpus, name).successions(events))
    assert successions == [("(start)", "a", 0), ("a", "b", 4), ("b", "(end)", 5)]


def test_null_is_no_other_type(corpus: Corpus, tmp_path: Path) -> None:
    today = record_today(corpus, tmp_path, "anthropic", case=None)
    response = json.loads(json.dumps(today.response))
    response["stop_reason"] = None
    assert drift_findings(corpus, replace(today, response=response)) == []


def test_other_vendors_replies_are_no_goldens_of_the_provider(corpus: Corpus, tmp_path: Path) -> None:
    """An OpenAI that answered as OpenRouter does would have changed."""
    today = record_today(corpus, tmp_path, "openai_chat", case=None)
    vendor = corpus.cases["shell/dialect-absent-arguments"].exchanges("openai_chat")[0].response
    assert drift_findings(corpus, replace(today, response=vendor))


def drift_of_change(
    corpus: Corpus, tmp_path: Path, name: str, change: Callable[[Any], None], **about: Any
) -> list[Finding]:
    """The drift findings on a recording whose reply was changed."""
    today = record_today(corpus, tmp_path, name, case=None)
    response = json.loads(json.dumps(today.response))
    change(response)
    return drift_findings(corpus, replace(today, response=response, **about))


def add_filter_results(body: Any) -> None:
    body["prompt_filter_results"] = []


def test_what_one_host_adds_is_known_there_alone(corpus: Corpus, tmp_path: Path) -> None:
    assert drift_of_change(corpus, tmp_path, "openai_chat", add_filter_results, host="team.openai.azure.com") == []
    assert rule_pointers(drift_of_change(corpus, tmp_path, "openai_chat", add_filter_results)) == {
        ("drift/new-member", "/prompt_filter_results")
    }


def add_conversation(body: Any) -> None:
    body["conversation"] = {"id": "conv_68f1c2d4a7b38190b6e5"}


def test_what_a_setting_brings_is_known_where_it_was_requested(corpus: Corpus, tmp_path: Path) -> None:
    for request, expected in (
        ({"conversation": "conv_68f1c2d4a7b38190b6e5"}, set()),
        ({"input": "conversation"}, {"drift/new-member"}),
    ):
        findings = drift_of_change(corpus, tmp_path, "openai_responses", add_conversation, request=request)
        assert {finding.rule for finding in findings} == expected


@pytest.mark.parametrize("has_usage", [True, False])
def test_usage_is_gone_only_where_it_was_requested(corpus: Corpus, tmp_path: Path, has_usage: bool) -> None:
    today = record_today(corpus, tmp_path, "openai_chat", case=None, streamed=True)
    assert today.stream is not None
    events = [event for event in parse(today.stream)["events"] if event["data"] == "[DONE]" or event["data"]["choices"]]
    request = {"stream_options": {"include_usage": has_usage}}
    findings = drift_findings(corpus, replace(today, stream=dump(events), request=request))
    assert {finding.rule for finding in findings} == ({"drift/event-order"} if has_usage else set())


def test_a_null_is_no_news(corpus: Corpus, tmp_path: Path) -> None:
    assert drift_of_change(corpus, tmp_path, "anthropic", lambda body: body.update(shiny=None)) == []


def test_another_vendor_has_ways_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    [finding] = drift_of_change(
        corpus, tmp_path, "openai_chat", lambda body: body.update(cost=1), official=False, host="gw.test"
    )
    assert (finding.rule, finding.level, finding.pointer) == ("drift/new-member", Level.NOTE, "/cost")
    assert "(openai_chat; gw.test, not the provider's own host, no date)" in finding.message


@pytest.mark.parametrize("official", [True, False])
def test_a_recording_may_lack_its_host(corpus: Corpus, tmp_path: Path, official: bool) -> None:
    [finding] = drift_of_change(
        corpus, tmp_path, "openai_chat", lambda body: body.update(cost=1), official=official, host="", date="2026-11-22"
    )
    assert "openai_chat; no host, " in finding.message


def test_a_corpus_may_do_without_what_is_known(corpus: Corpus, tmp_path: Path) -> None:
    for entry in corpus.root.iterdir():
        if entry.name != "drift":
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "drift").mkdir()
    (tmp_path / "drift" / "rules").symlink_to(corpus.root / "drift" / "rules")
    small = Corpus(tmp_path)
    assert drift_of_change(small, tmp_path, "openai_chat", add_filter_results, host="team.openai.azure.com")


@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_patterns_are_read_alike_everywhere(corpus: Corpus, name: str) -> None:
    """Engines without look-around and back references read them, too."""
    for entry in json.loads((corpus.root / "drift" / "known" / f"{name}.json").read_text("utf-8"))["known"]:
        of_places = [pattern for patterns in entry["places"].values() for pattern in patterns]
        for pattern in (*entry.get("asked", ()), *entry.get("unasked", ()), *of_places):
            re2.compile(pattern)


def test_a_report_shows_where_a_recording_differs_from_its_golden(corpus: Corpus, pytester: pytest.Pytester) -> None:
    sent = goldens.exchanges(corpus, CASE, "anthropic")
    grown = [
        replace(exchange, answer=json.dumps({**json.loads(exchange.answer), "news": {"a": 1}}).encode())
        for exchange in sent
    ]
    goldens.write(pytester.path / "kept" / "a.json", grown, case=CASE, date="2026-11-22")
    run = ["-p", "no:hypothesispytest", "--toolcall-cassettes=kept"]
    run += ["--toolcall-report=r.json", "--toolcall-report=r.html"]
    pytester.runpytest_inprocess(*run, "--toolcall-artifacts=bodies", "toolcall::recorded", "-k", "check:drift")
    items = json.loads((pytester.path / "r.json").read_text(encoding="utf-8"))["items"]
    differences = [body["differs"] for item in items for body in item.get("bodies", ())]
    assert differences
    assert all(lines == ['/news is unexpected, got {"a": 1}'] for lines in differences)
