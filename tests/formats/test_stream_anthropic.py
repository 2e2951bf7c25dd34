"""Streams of the Messages API: what they assemble to, as the official SDK has it, and what their grammar must find."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from every import every
from formats.test_mutations import JUNK
from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats.anthropic.stream import assemble
from toolcall_conformance.formats.anthropic.stream.partial_json import parse_beginning
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json
from witnesses.wire import Wire

RULES = {
    rule["id"].removeprefix("anthropic/"): rule
    for rule in map(read_json, sorted((default_root() / "formats" / "anthropic" / "rules").glob("*.json")))
    if rule["direction"] == "stream"
}

MESSAGE: dict[str, Any] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 1},
}


def event(kind: str, **more: Any) -> dict[str, Any]:
    return {"event": kind, "data": {"type": kind, **more}}


def delta(index: Any, kind: str, **piece: Any) -> dict[str, Any]:
    return event("content_block_delta", index=index, delta={"type": f"{kind}_delta", **piece})


def stop(index: int) -> dict[str, Any]:
    return event("content_block_stop", index=index)


def block_start(index: int, kind: str = "tool_use", **more: Any) -> dict[str, Any]:
    block = {"id": f"toolu_{index}", "name": "read_file", "input": {}} if kind == "tool_use" else {}
    return event("content_block_start", index=index, content_block={"type": kind, **block, **more})


def call(index: int, *fragments: str) -> list[dict[str, Any]]:
    return [block_start(index), *(delta(index, "input_json", partial_json=piece) for piece in fragments), stop(index)]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return [block_start(index, "text", text=""), *(delta(index, "text", text=piece) for piece in pieces), stop(index)]


def finish(reason: Any = "tool_use") -> dict[str, Any]:
    return event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 20})


START, STOP, PING = event("message_start", message=MESSAGE), event("message_stop"), event("ping")
CUT = [block_start(0), delta(0, "input_json", partial_json='{"path": "a.p'), stop(0)]
SIGNED = [block_start(0, "thinking", thinking="", signature=""), delta(0, "signature", signature="c2ln"), stop(0)]
FAILED = event("error", error={"type": "overloaded_error", "message": "Overloaded"})


def stream(*events: Any, **more: Any) -> dict[str, Any]:
    return {
        "events": [deep_copy(item) for some in events for item in (some if isinstance(some, list) else [some])],
        **more,
    }


def broken_places(corpus: Corpus, body: Any) -> list[tuple[str, str]]:
    """Each finding's rule and pointer."""
    return [
        (finding.rule.removeprefix("anthropic/"), finding.pointer)
        for finding in check_body(corpus, "anthropic", "stream", body)
    ]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([START, text(0, "Hello"), finish("end_turn"), STOP], id="text"),
        pytest.param([START, text(0, "I", " look"), call(1, "", "{}"), call(2), finish(), STOP], id="text and calls"),
        pytest.param([START, *(call(n, "") for n in range(3)), finish(), STOP], id="three calls without arguments"),
        pytest.param([START, call(0, *'{"path": "\u2028\U0001f600"}'), finish(), STOP], id="a character a fragment"),
        pytest.param([PING, START, PING, call(0, "{}"), PING, finish(), PING, STOP, PING], id="pings"),
        pytest.param([START, text(0, "a"), CUT[:0], finish("end_turn"), finish("end_turn"), STOP], id="two deltas"),
        pytest.param([START, finish(None), text(0, "a"), finish("end_turn"), STOP], id="a delta without a reason"),
        pytest.param([START, SIGNED, call(1, "{}"), finish(), STOP], id="only a signature"),
        pytest.param([START, finish("end_turn"), STOP], id="no content"),
        pytest.param([START, CUT, finish("max_tokens"), STOP], id="cut amid the arguments"),
        pytest.param([START, block_start(0), FAILED], id="an error"),
        pytest.param([FAILED], id="nothing but an error"),
    ],
)
def test_what_is_legal(corpus: Corpus, events: list[Any]) -> None:
    assert broken_places(corpus, stream(*events)) == []


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [("stream-start", "")], id="nothing"),
        pytest.param([START, START, finish("end_turn"), STOP], [("stream-start", "/events/1/data")], id="twice"),
        pytest.param(
            [START, block_start(0, input={"path": "a"}), stop(0), finish(), STOP],
            [("stream-input-in-deltas", "/events/1/data/content_block/input")],
            id="the input at the start",
        ),
        pytest.param([START, text(0, "a")], [("stream-end", "/events/3")], id="broken off"),
        pytest.param([START, text(0, "a"), STOP], [("stream-finish", "/events/4/data")], id="no stop_reason"),
        pytest.param(
            [START, finish("end_turn"), finish(None), STOP], [("stream-finish", "/events/3/data")], id="taken back"
        ),
        pytest.param(
            [START, call(0, "{}"), call(0, "{}"), finish(), STOP],
            [
                ("stream-block-index", "/events/4/data/index"),
                ("stream-block-index", "/events/5/data/index"),
                ("stream-arguments-json", "/events/5/data/delta/partial_json"),
                ("stream-block-closed", "/events/4/data"),
            ],
            id="an index used twice",
        ),
        pytest.param(
            [START, call(1, "{}"), finish(), STOP],
            [
                ("stream-block-index", "/events/1/data/index"),
                ("stream-block-index", "/events/2/data/index"),
            ],
            id="the first index is 1",
        ),
        pytest.param(
            [
                START,
                block_start(0),
                delta(1, "input_json", partial_json="{"),
                delta(1, "input_json", partial_json="}"),
                stop(1),
                finish(),
                STOP,
            ],
            [("stream-block-open", "/events/2/data/index")],
            id="a block goes on at an index of none",
        ),
        pytest.param(
            [START, block_start(0), delta(1, "text", text="a"), stop(0), finish(), STOP],
            [("stream-block-open", "/events/2/data/index")],
            id="a piece of another kind goes on with no block",
        ),
        pytest.param(
            [START, call(0), stop(0), finish(), STOP],
            [("stream-block-open", "/events/3/data/index")],
            id="stopped twice",
        ),
        pytest.param(
            [START, call(0), delta(0, "input_json", partial_json="{}"), finish(), STOP],
            [("stream-block-open", "/events/3/data/index")],
            id="a delta after the stop",
        ),
        pytest.param(
            [START, block_start(0), block_start(1), stop(1), stop(0), finish(), STOP],
            [("stream-block-overlap", "/events/2/data")],
            id="overlapping",
        ),
        pytest.param(
            [START, CUT, finish(), STOP],
            [("stream-arguments-json", "/events/2/data/delta/partial_json")],
            id="half the arguments",
        ),
        pytest.param(
            [START, CUT, call(1, "{}"), finish("max_tokens"), STOP],
            [("stream-arguments-json", "/events/2/data/delta/partial_json")],
            id="cut, but not the last",
        ),
        pytest.param(
            [START, call(0, '"{}"'), finish(), STOP],
            [("stream-arguments-json", "/events/2/data/delta/partial_json")],
            id="encoded twice",
        ),
        pytest.param(
            [START, call(0), finish("end_turn"), STOP],
            [("stream-finish-agrees", "/events/3/data/delta/stop_reason")],
            id="end_turn beside a call",
        ),
        pytest.param(
            [START, text(0, "a"), finish(), STOP],
            [("stream-finish-agrees", "/events/4/data/delta/stop_reason")],
            id="tool_use without a call",
        ),
        pytest.param([START, FAILED, STOP], [("stream-after-end", "/events/2/data")], id="stop after an error"),
        pytest.param(
            [START, finish("end_turn"), STOP, FAILED], [("stream-after-end", "/events/3/data")], id="late error"
        ),
        pytest.param(
            [
                START,
                block_start(0, "text", text=""),
                delta(0, "reasoning", fields="x"),
                stop(0),
                finish("end_turn"),
                STOP,
            ],
            [("stream-unknown", "/events/2/data/delta")],
            id="an unknown delta",
        ),
        pytest.param(
            [
                START,
                block_start(0, "text", text=""),
                delta(0, "reasoning", text="x"),
                stop(0),
                finish("end_turn"),
                STOP,
            ],
            [("stream-delta-type", "/events/2/data/delta/type")],
            id="an unknown delta with a text",
        ),
    ],
)
def test_broken_rules_and_places(corpus: Corpus, events: list[Any], expected: list[tuple[str, str]]) -> None:
    assert sorted(broken_places(corpus, stream(*events))) == sorted(expected)


def test_a_piece_is_wanted_in_the_block_that_was_started_with_its_wrong_index(corpus: Corpus) -> None:
    """The kind of the piece is right; only its index, and that of its block's start, name the text before."""
    events = [START, text(0, "a"), call(0, "{}", "{}"), finish(), STOP]
    findings = check_body(corpus, "anthropic", "stream", stream(*events))
    wrong = [
        (finding.pointer, finding.want, finding.got)
        for finding in findings
        if finding.rule == "anthropic/stream-block-index"
    ]
    assert wrong == [("/events/4/data/index", 1, 0), ("/events/5/data/index", 1, 0)]
    assert not {finding.rule for finding in findings} & {"anthropic/stream-delta-kind", "anthropic/stream-block-open"}


def test_streams_without_names_are_read_all_the_same(corpus: Corpus) -> None:
    body = stream(START, call(0, "{}"), finish(), STOP)
    bare = stream(*({"data": item["data"]} for item in body["events"]))
    assert broken_places(corpus, bare) == [("stream-event-name", "/events/0")]
    assert assemble(bare).body == assemble(body).body


def test_a_name_that_is_not_the_type(corpus: Corpus) -> None:
    body = stream(START, finish("end_turn"), STOP)
    body["events"][1]["event"] = "message_stop"
    assert broken_places(corpus, body) == [("stream-event-name", "/events/1/event")]


def test_bytes_that_are_no_stream(corpus: Corpus) -> None:
    whole = dump(stream(START, text(0, "a\u00e9"), finish("end_turn"), STOP)["events"])
    assert broken_places(corpus, parse(whole)) == []
    assert [rule for rule, _ in broken_places(corpus, parse(whole.replace("\u00e9".encode(), b"\xc3")))] == [
        "stream-text"
    ]
    assert [rule for rule, _ in broken_places(corpus, parse(whole[:-1]))] == ["stream-last-event", "stream-end"]
    assert broken_places(corpus, parse(whole + b": bye")) == []


def test_the_call_under_way() -> None:
    events = stream(START, text(0, "a"), call(1, "", '{"path"', ': "a"}'), call(2), finish(), STOP)["events"]
    states = {}
    for count in range(len(events) + 1):
        assembled = assemble({"events": events[:count]})
        states[count] = (assembled.end, [(call.closed, "".join(call.fragments)) for call in assembled.calls])
    assert states[0] == ("open", [])
    assert states[7] == ("open", [(False, '{"path"')])
    assert states[8] == ("open", [(False, '{"path": "a"}')])
    assert states[9] == ("open", [(True, '{"path": "a"}')])
    assert states[12] == ("open", [(True, '{"path": "a"}'), (True, "")])
    assert states[13] == ("whole", [(True, '{"path": "a"}'), (True, "")])


def test_the_error_is_that_of_an_error_reply() -> None:
    assembled = assemble(stream(START, block_start(0), FAILED))
    assert assembled.end == "failed"
    failure = formats.read("anthropic", "error", {"status": 529, "body": assembled.error}).failure
    assert failure is not None
    assert failure.message == "Overloaded"
    assert [call.closed for call in assembled.calls] == [False]


def test_counts_are_totals_and_null_says_nothing() -> None:
    delta = {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20, "input_tokens": None}}
    assembled = assemble(stream(START, finish("end_turn"), event("message_delta", **delta), STOP))
    assert assembled.body is not None
    assert assembled.body["usage"] == {"input_tokens": 9, "output_tokens": 20}


def test_the_content_that_a_message_starts_with(corpus: Corpus) -> None:
    """As with calls made by a program that goes on: deltas and indices count from there."""
    before = {**MESSAGE, "content": [{"type": "text", "text": "So far."}]}
    body = stream(event("message_start", message=before), call(1, "{}"), finish(), STOP)
    assert broken_places(corpus, body) == []
    assembled = assemble(body)
    assert assembled.body is not None
    assert [block["type"] for block in assembled.body["content"]] == ["text", "tool_use"]


@every("junk", [*JUNK, {"events": JUNK}, {"events": None}], id=repr)
def test_no_stream_at_all(corpus: Corpus, junk: Any) -> None:
    assert assemble(junk).body is None
    assert ("stream-start", "") in broken_places(corpus, junk)


# The official SDK.


def final(wire: Wire, body: bytes) -> Any:
    """What the SDK's accumulator has at the end, as a JSON object; raises what it raises."""
    anthropic = pytest.importorskip("anthropic", reason="the SDK is not installed (extra `dev`)")
    client = anthropic.Anthropic(api_key="key", http_client=wire.client, max_retries=0)
    wire.reply = body
    ask = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "x"}]}
    with warnings.catch_warnings(action="ignore"), client.beta.messages.stream(**ask) as events:
        return events.get_final_message().to_dict(mode="json")


def essence(body: Any) -> Any:
    """A reply without what the SDK adds or leaves out: nulls and keys of its own."""
    if isinstance(body, dict):
        dropped = ("parsed_output", "__json_buf")
        return {key: essence(value) for key, value in body.items() if value is not None and key not in dropped}
    return [essence(entry) for entry in body] if isinstance(body, list) else body


needs_traffic = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")


@needs_traffic
def test_recorded_streams_amount_to_what_the_sdk_makes_of_them() -> None:
    wire = Wire()
    stream_records = [record for record in records("anthropic") if record.content["sse"]]
    assert len(stream_records) > 90
    for record in stream_records:
        data = record.content["sse"].encode()
        mine, theirs = essence(assemble(parse(data)).body), essence(final(wire, data))
        # Of the counts the SDK takes over those that it knows.
        usage, expected_usage = mine.pop("usage"), theirs.pop("usage")
        assert mine == theirs, record.path
        assert usage.items() >= expected_usage.items(), record.path


@every("slug", [slug for slug in RULES if slug not in ("stream-error-shape", "stream-last-event")], id=str)
def test_obeying_streams_amount_to_what_the_sdk_makes_of_them(slug: str) -> None:
    body = RULES[slug]["obeys"]
    assert essence(assemble(body).body) == essence(final(Wire(), dump(body["events"])))


@pytest.mark.parametrize(
    ("slug", "raised"),
    [
        ("stream-data", "JSONDecodeError"),
        ("stream-event-name", "AssertionError"),
        ("stream-start", "AssertionError"),
        ("stream-message-start-shape", "AttributeError"),
        ("stream-message-delta-shape", "AttributeError"),
        ("stream-delta-shape", "TypeError"),
    ],
)
def test_what_the_sdk_cannot_read(slug: str, raised: str) -> None:
    with pytest.raises(Exception) as caught:
        final(Wire(), dump(RULES[slug]["breaks"]["events"]))
    assert type(caught.value).__name__ == raised


@pytest.mark.parametrize(
    "slug",
    [
        *("stream-finish", "stream-block-index", "stream-block-start", "stream-delta-kind", "stream-signature-once"),
        *("stream-arguments-json", "stream-finish-agrees"),
    ],
)
def test_what_the_sdk_reads_as_something_else(slug: str) -> None:
    """And so do we: the rule is reported, and the rest is judged as a client sees it."""
    right, wrong = (final(Wire(), dump(RULES[slug][example]["events"])) for example in ("obeys", "breaks"))
    assert essence(wrong) != essence(right)
    assert essence(assemble(RULES[slug]["breaks"]).body) == essence(wrong)


def test_arguments_under_way_are_those_of_the_sdk() -> None:
    jiter = pytest.importorskip("jiter", reason="the SDK's parser is not installed (extra `dev`)")
    whole = json.dumps(
        {"path": 'a/b"c\\', "n": [1, 2.5, -3e4, True, None, {"k": "v,]}"}], "z": {"y": [[], {}]}, "t": "é"}
    )
    for end in range(1, len(whole) + 1):
        assert parse_beginning(whole[:end]) == jiter.from_json(whole[:end].encode(), partial_mode=True)
    for doubled in ('{}{"a": 1}', '{"a": 1}{"a": 1}', '{"a": 1} x'):
        assert parse_beginning(doubled) == jiter.from_json(doubled.encode(), partial_mode=True)
    assert parse_beginning("x") == "x"


@pytest.mark.parametrize("kind", [None, 7, ["content_block_delta"], {"value": "content_block_delta"}])
def test_a_type_that_is_no_text_is_none(kind: Any) -> None:
    delta_event = delta(0, "input_json", partial_json="{}")
    assembly = assemble({"events": [block_start(0), delta_event | {"data": delta_event["data"] | {"type": kind}}]})
    assert "anthropic/stream-event-name" in {rule for rule, _ in assembly.breaches}


@pytest.mark.parametrize(("fragments", "wrong"), [((" ", "{}"), 1), (("\n", " ", "{}"), 1), (("", " {", " ", "}"), 0)])
def test_arguments_must_not_begin_with_white_space_alone(fragments: tuple[str, ...], wrong: int) -> None:
    """The official SDK raises while it parses what has come so far."""
    assembly = assemble({"events": [event("message_start", message=MESSAGE), *call(0, *fragments)]})
    assert [rule for rule, _ in assembly.breaches].count("anthropic/stream-arguments-json") == wrong
