"""The check ``stream`` plays, ``Judge.stream`` judges: the two never differ, and no second place judges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from corpus_judge import judge_stream
from toolcall_conformance import Judgement, formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Level, Verdict
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.basics.streaming.cuts import Fineness
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.stream import run
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
LIMIT = "streaming/limit-amid-arguments"


class Session:
    """The reference with other streams: ``change`` has the bytes that the reference makes."""

    def __init__(self, route: Route, change: Any) -> None:
        self._inner = ReferenceTranslator().open(route)
        self._change = change
        self.request = self._inner.request

    def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield from self._change(b"".join(self._inner.stream(chunks)))


class Changed:
    def __init__(self, change: Any) -> None:
        self._change = change

    def open(self, route: Route) -> Session:
        return Session(route, self._change)


def play(case: str, client: str, upstream: str, change: Any, variant: str = "") -> ItemResult:
    driver = PythonDriver(Changed(change), "changed")
    try:
        route = route_of(CORPUS.cases[case], client, upstream)
        return run(CORPUS.cases[case], route, driver.open, HARNESS, variant)
    finally:
        driver.close()


def drop_end(data: bytes) -> Iterable[bytes]:
    return [data.partition(b"event: message_delta")[0]]


def complete_stream(data: bytes) -> Iterable[bytes]:
    """Ends every stream as a whole one ends."""
    end = (
        b'event: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn", '
        b'"stop_sequence": null}, "usage": {"output_tokens": 1}}\n\n'
        b'event: message_stop\ndata: {"type": "message_stop"}\n\n'
    )
    return [data] if b"message_stop" in data else [data.partition(b"event: error")[0] + end]


@pytest.mark.parametrize(
    ("case", "change", "variant"),
    [
        ("write_file/unicode-arguments", drop_end, ""),
        ("streaming/limit-amid-arguments", drop_end, ""),
        ("streaming/error-amid-arguments", complete_stream, ""),
        ("write_file/unicode-arguments", complete_stream, "cut"),
    ],
)
def test_a_judge_that_finds_nothing_in_streams_leaves_no_other_that_does(
    case: str, change: Any, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert play(case, "anthropic", "openai_chat", change, variant).verdict is Verdict.FAIL
    monkeypatch.setattr(Judge, "stream", lambda *_arguments, **_more: Judgement())
    monkeypatch.setattr(Judge, "stream_end", lambda *_arguments: ())
    left = play(case, "anthropic", "openai_chat", change, variant).findings
    # What compares the translator with itself is no judgement of a stream.
    assert {finding.rule for finding in left} <= {"translation/stream-equals-reply", "translation/stream-at-once"}


@pytest.mark.parametrize("client", ["openai_chat", "gemini"])
@pytest.mark.parametrize("has_begun", [False, True])
def test_a_reply_that_fails_may_raise_before_the_first_byte_or_after(client: str, has_begun: bool) -> None:
    def raising(data: bytes) -> Iterator[bytes]:
        if case == "errors/reply-fails" and b'"error"' not in data:
            yield data  # the first reply of the case is a whole one
            return
        if has_begun:
            yield data[: data.index(b"\n\n") + 2]
        raise RuntimeError("the model did not answer")

    case = "errors/reply-fails"
    result = play(case, client, "openai_responses", raising)
    assert not [finding for finding in result.findings if finding.is_must]
    assert "an error, as this reply allows" in result.reason
    case = "shell/seed"
    assert play(case, client, "openai_responses", raising).verdict is Verdict.FAIL


def broken_stream(name: str) -> bytes:
    return (CORPUS.root / "scenarios" / LIMIT / name / "01-broken.sse").read_bytes()


def translate_stream(client: str, upstream: str, source: bytes) -> bytes:
    return b"".join(ReferenceTranslator().open(route_of(CORPUS.cases[LIMIT], client, upstream)).stream([source]))


@pytest.mark.parametrize("client", ["openai_chat", "openai_responses", "gemini"])
def test_a_call_that_the_limit_cuts_is_judged_by_the_text_that_was_sent(client: str) -> None:
    """In a whole body of Anthropic the cut arguments are an empty object: not what the model wrote."""
    source = broken_stream("anthropic")
    output = translate_stream(client, "anthropic", source)
    findings = judge_stream(output, client=client, upstream="anthropic", source=source).findings
    assert not [finding for finding in findings if finding.is_must]


def test_a_call_that_the_limit_cuts_and_the_translator_empties_is_reported() -> None:
    source = broken_stream("anthropic")
    output = parse(translate_stream("openai_chat", "anthropic", source))
    fragments = [
        call["function"]
        for event in output["events"]
        for choice in (event["data"]["choices"] if isinstance(event["data"], dict) else ())
        for call in choice["delta"].get("tool_calls", ())
        if call["index"] == 1
    ]
    assert "".join(fragment["arguments"] for fragment in fragments) == '{"number": "5-0'
    for fragment in fragments:
        fragment["arguments"] = ""
    fragments[0]["arguments"] = "{}"
    findings = judge_stream(output, client="openai_chat", upstream="anthropic", source=source).findings
    assert [finding.rule for finding in findings if finding.element == "call"] == ["translation/stream-cut-call"]


def test_bytes_are_judged_as_what_is_parsed_of_them() -> None:
    case = CORPUS.cases["parallel/three-tools"]
    source = case.exchanges("gemini")[0].stream()
    output = case.exchanges("anthropic")[0].stream().replace(b"tool_use", b"tool_usage", 1)
    route = route_of(case, "anthropic", "gemini")
    judge = HARNESS.judge
    of_bytes = judge.stream(source, output, route)
    assert (
        of_bytes == judge.stream(parse(source), parse(output), route) == judge.stream(bytearray(source), output, route)
    )
    assert [finding.rule for finding in of_bytes.findings if finding.is_must]


@pytest.mark.parametrize("upstream", ["anthropic", "gemini", "openai_responses"])
def test_a_stream_that_stops_where_its_source_failed_is_no_more_than_a_warning(upstream: str) -> None:
    """Servers end a stream of Chat with ``[DONE]`` whatever came before; that no reason precedes it is its break."""
    case = "streaming/error-amid-arguments"
    source = (CORPUS.root / "scenarios" / case / upstream / "01-broken.sse").read_bytes()
    output = parse(
        b"".join(ReferenceTranslator().open(route_of(CORPUS.cases[case], "openai_chat", upstream)).stream([source]))
    )
    events = [event for event in output["events"] if isinstance(event["data"], dict) and "error" not in event["data"]]
    for end in ([], [{"data": "[DONE]"}]):
        stopped = {"events": [*events, *end], "rest": ""}
        findings = judge_stream(stopped, client="openai_chat", upstream=upstream, source=source).findings
        assert [finding.rule for finding in findings if not finding.is_note] == ["translation/stream-error-as-break"]
        assert not [finding for finding in findings if finding.is_must]
    # One that breaks another rule on its way is reported for it.
    wrong = {"events": [{"data": {**events[0]["data"], "object": "chat.completion"}}, *events[1:]], "rest": ""}
    findings = judge_stream(wrong, client="openai_chat", upstream=upstream, source=source).findings
    assert "openai_chat/stream-chunk" in {finding.rule for finding in findings if finding.is_must}


@pytest.mark.parametrize("wrapped", ['{"raw": %s}', '{"error": {"not_json": %s}}', '{"error": ["cut", %s]}'])
def test_cut_arguments_that_stay_readable_inside_an_object_are_no_whole_call(wrapped: str) -> None:
    source = broken_stream("openai_chat")
    output = translate_stream("anthropic", "openai_chat", source)
    cut_text = formats.assemble_bytes("openai_chat", source).calls[-1].text
    text = json.dumps(wrapped % json.dumps(cut_text)).encode()
    events = [event for event in output.split(b"\n\n") if not (b'"index":2' in event and b"input_json_delta" in event)]
    place = next(
        number for number, event in enumerate(events) if b"content_block_stop" in event and b'"index":2' in event
    )
    delta = b'{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":%b}}' % text
    events.insert(place, b"event: content_block_delta\ndata: " + delta)
    findings = judge_stream(b"\n\n".join(events), client="anthropic", upstream="openai_chat", source=source).findings
    assert not [finding for finding in findings if finding.is_must]
    repaired = b"\n\n".join(events).replace(text, json.dumps('{"number": "5-0"}').encode())
    (cut,) = judge_stream(repaired, client="anthropic", upstream="openai_chat", source=source).findings
    assert (cut.rule, cut.element) == ("translation/stream-cut-call", "call")
    assert cut.source_pointer is not None
    assert parse(source)["events"][int(cut.source_pointer.split("/")[2])]["data"]["choices"][0]["delta"]["tool_calls"]


def test_the_bytes_of_a_unary_reply_are_one() -> None:
    case = CORPUS.cases["parallel/three-tools"]
    reply, output = case.exchanges("gemini")[0].response, case.exchanges("anthropic")[0].stream()
    route = route_of(case, "anthropic", "gemini")
    judge = HARNESS.judge
    assert judge.stream(json.dumps(reply).encode(), output, route) == judge.stream(reply, output, route)
    assert not [finding for finding in judge.stream(reply, output, route).findings if finding.is_must]
    assert [finding for finding in judge.stream(b"no stream", output, route).findings if finding.is_must]


class HandsOn:
    """Hands every piece on, and ends where the pieces end, however they do."""

    def open(self, route: Route) -> Any:
        request = ReferenceTranslator().open(route).request

        class HandingOn:
            def request(self, body: Any) -> Any:
                return request(body)

            def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
                with suppress(Exception):
                    yield from chunks

        return HandingOn()


@pytest.mark.parametrize("case", ["streaming/lost-amid-arguments", "parallel/text-around"])
def test_what_the_source_breaks_itself_ends_no_play(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note is no reason to leave out the other ways in which a stream breaks off."""
    played: list[str] = []
    real = Judge.stream

    def record_call(judge: Judge, source: Any, output: Any, route: Any, **more: Any) -> Judgement:
        played.append(more.get("how", ""))
        note = Finding("openai_chat/stream-finish", Level.NOTE, "/events", "the source says so")
        return replace(real(judge, source, output, route, **more), findings=(note,))

    monkeypatch.setattr(Judge, "stream", record_call)
    variant = "" if case.startswith("streaming") else "cut"
    fine = replace(HARNESS, fineness=Fineness(cuts=2, ends=1, failures=3))
    driver = PythonDriver(HandsOn(), "hands on")
    run(CORPUS.cases[case], route_of(CORPUS.cases[case], "openai_chat", "openai_chat"), driver.open, fine, variant)
    driver.close()
    if variant:
        assert len([how for how in played if how.startswith("failed after")]) == 3
    else:
        assert {"ended", "was lost"} <= {*played}
