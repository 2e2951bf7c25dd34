"""Streams of Responses: what they assemble to, as the official SDK has it, and what their grammar must find."""

from __future__ import annotations

import copy
import json
import random
import warnings
from typing import Any

import pytest

from every import every
from formats.test_mutations import JUNK
from formats.test_stream_openai_chat import damage_stream, needs_traffic, recorded_streams
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats.openai_responses.stream import assemble
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json
from witnesses.wire import Wire

RULES = {
    rule["id"].removeprefix("openai_responses/"): rule
    for rule in map(read_json, sorted((default_root() / "formats" / "openai_responses" / "rules").glob("*.json")))
    if rule["direction"] == "stream"
}


def stream(*events: dict[str, Any]) -> dict[str, Any]:
    """Events from their data, each with its name and number."""
    return {
        "events": [
            {"event": data["type"], "data": {"sequence_number": number, **data}} for number, data in enumerate(events)
        ]
    }


def lifecycle(status: str, *output: Any, event: str | None = None, **more: Any) -> dict[str, Any]:
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-4.1", "status": status}
    return {"type": f"response.{event or status}", "response": {**response, "output": list(output), **more}}


BEGIN = lifecycle("in_progress", event="created")


def call(number: int = 1, arguments: str = "", status: str = "in_progress", **more: Any) -> dict[str, Any]:
    return {
        "id": f"fc_{number}",
        "type": "function_call",
        "status": status,
        "arguments": arguments,
        "call_id": f"call_{number}",
        "name": "read_file",
        **more,
    }


def item_added(item: Any, index: int = 0) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def item_done(item: Any, index: int = 0) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def about(kind: str, item_id: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "item_id": item_id, "output_index": index, **more}


def fragment(text: str, number: int = 1, index: int = 0) -> dict[str, Any]:
    return about("function_call_arguments.delta", f"fc_{number}", index, delta=text)


def arguments_done(text: str, number: int = 1, index: int = 0) -> dict[str, Any]:
    return about("function_call_arguments.done", f"fc_{number}", index, arguments=text)


FINISHED = call(1, '{"a":1}', "completed")
CALL = [
    BEGIN,
    item_added(call()),
    fragment('{"a"'),
    fragment(":1}"),
    arguments_done('{"a":1}'),
    item_done(FINISHED),
    lifecycle("completed", FINISHED),
]
PART = {"type": "output_text", "text": "", "annotations": []}
MESSAGE = {"id": "msg_1", "type": "message", "status": "in_progress", "role": "assistant", "content": []}
SAID = {**MESSAGE, "status": "completed", "content": [{**PART, "text": "Hi!"}]}
TEXT = [
    BEGIN,
    item_added(MESSAGE),
    about("content_part.added", "msg_1", content_index=0, part=PART),
    about("output_text.delta", "msg_1", content_index=0, delta="Hi", logprobs=[]),
    about("output_text.delta", "msg_1", content_index=0, delta="!", logprobs=[]),
    about("output_text.done", "msg_1", content_index=0, text="Hi!", logprobs=[]),
    about("content_part.done", "msg_1", content_index=0, part={**PART, "text": "Hi!"}),
    item_done(SAID),
    lifecycle("completed", SAID),
]


def broken_rules(corpus: Corpus, body: Any) -> set[str]:
    findings = check_body(corpus, "openai_responses", "stream", body)
    for finding in findings:
        resolve(body, finding.pointer)
    return {finding.rule.removeprefix("openai_responses/") for finding in findings}


def test_the_terminal_response_is_the_reply() -> None:
    assembled = assemble(stream(*CALL))
    assert assembled.body == lifecycle("completed", FINISHED)["response"]
    assert (assembled.end, assembled.error, assembled.breaches) == ("whole", None, ())
    (streamed,) = assembled.calls
    assert (streamed.id, streamed.name, streamed.closed) == ("call_1", "read_file", True)
    assert (streamed.fragments, streamed.whole_text) == (('{"a"', ":1}"), '{"a":1}')
    assert streamed.pointer == "/events/1/data"


def test_a_stream_that_is_cut_has_what_came() -> None:
    states = [assemble(stream(*CALL[:count])) for count in range(len(CALL) + 1)]
    assert states[0].body is None
    assert [state.body["output"] for state in states[1:] if state.body] == [
        *([], [call()], [call(1, '{"a"')], [call(1, '{"a":1}')], [call(1, '{"a":1}')], [FINISHED], [FINISHED])
    ]
    assert [state.end for state in states] == [*["open"] * 7, "whole"]
    assert [[streamed_call.closed for streamed_call in state.calls] for state in states] == [
        *([], [], [False], [False], [False], [False], [True], [True])
    ]


def test_text_and_parts_put_together() -> None:
    assembled = assemble(stream(*TEXT[:5]))
    assert assembled.body is not None
    assert assembled.body["output"] == [{**MESSAGE, "content": [{**PART, "text": "Hi!"}]}]
    assert assembled.body["status"] == "in_progress"


def test_thinking_put_together() -> None:
    item = {"id": "rs_1", "type": "reasoning", "summary": []}
    part = {"type": "summary_text", "text": ""}
    assembled = assemble(
        stream(
            BEGIN,
            item_added(item),
            about("reasoning_summary_part.added", "rs_1", summary_index=0, part=part),
            about("reasoning_summary_text.delta", "rs_1", summary_index=0, delta="Hm"),
            about("reasoning_summary_text.delta", "rs_1", summary_index=0, delta="m."),
            about("reasoning_text.delta", "rs_1", content_index=0, delta="Raw."),
        )
    )
    assert assembled.body is not None
    assert assembled.body["output"] == [
        {**item, "summary": [{**part, "text": "Hmm."}], "content": [{"type": "reasoning_text", "text": "Raw."}]}
    ]


def test_arguments_in_one_piece_only() -> None:
    assembled = assemble(stream(BEGIN, item_added(call()), arguments_done("{}"), item_done(call(1, "{}", "completed"))))
    assert [
        (streamed_call.fragments, streamed_call.whole_text, streamed_call.closed) for streamed_call in assembled.calls
    ] == [((), "{}", True)]
    assert {rule for rule, _ in assembled.breaches} == {"openai_responses/stream-end"}


def test_two_calls_at_once(corpus: Corpus) -> None:
    ends = [call(1, '{"a":1}', "completed"), call(2, "{}", "completed")]
    body = stream(
        BEGIN,
        item_added(call()),
        item_added(call(2), 1),
        fragment('{"a"'),
        fragment("{}", 2, 1),
        fragment(":1}"),
        arguments_done("{}", 2, 1),
        arguments_done('{"a":1}'),
        item_done(ends[0]),
        item_done(ends[1], 1),
        lifecycle("completed", *ends),
    )
    assert broken_rules(corpus, body) == set()
    assert [streamed_call.fragments for streamed_call in assemble(body).calls] == [('{"a"', ":1}"), ("{}",)]


def test_two_calls_under_one_index_are_two() -> None:
    ends = [call(1, '{"a":1}', "completed"), call(2, "{}", "completed")]
    assembled = assemble(
        stream(
            *CALL[:6],
            item_added(call(2)),
            fragment("{}", 2),
            arguments_done("{}", 2),
            item_done(ends[1]),
            lifecycle("completed", *ends),
        )
    )
    assert [(streamed_call.id, streamed_call.fragments) for streamed_call in assembled.calls] == [
        ("call_1", ('{"a"', ":1}")),
        ("call_2", ("{}",)),
    ]
    assert {rule for rule, _ in assembled.breaches} == {
        *("openai_responses/stream-output-index", "openai_responses/stream-output-place")
    }


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ({"id": "ws_1", "type": "web_search_call", "status": "completed"}, set()),
        ({"id": "rs_1", "type": "reasoning", "summary": []}, {"openai_responses/stream-item-order"}),
    ],
)
def test_only_steps_of_the_provider_may_be_done_late(between: dict[str, Any], expected: set[str]) -> None:
    """The searches of xAI run at once and are done as they end; a thought comes before its call."""
    events = [BEGIN, item_added(between), item_added(call(), 1), arguments_done("{}", index=1)]
    item = call(arguments="{}", status="completed")
    assembled = assemble(stream(*events, item_done(item, 1), item_done(between), lifecycle("completed", between, item)))
    assert {rule for rule, _ in assembled.breaches} == expected


@pytest.mark.parametrize("output", [[], None])
def test_a_terminal_response_without_output(output: Any) -> None:
    end = lifecycle("completed")
    end["response"]["output"] = output
    assembled = assemble(stream(*CALL[:-1], end))
    assert assembled.body is not None
    assert assembled.body["output"] == [FINISHED]
    assert assembled.body["status"] == "completed"


def test_other_calls_of_the_client() -> None:
    patch = {"id": "apc_1", "type": "apply_patch_call", "call_id": "call_1", "operation": {"type": "delete_file"}}
    custom = {"id": "ctc_1", "type": "custom_tool_call", "call_id": "call_2", "name": "shell", "input": ""}
    assembled = assemble(
        stream(
            BEGIN,
            item_added(patch),
            item_done(patch),
            item_added(custom, 1),
            about("custom_tool_call_input.delta", "ctc_1", 1, delta="ls"),
            about("custom_tool_call_input.done", "ctc_1", 1, input="ls"),
        )
    )
    assert [
        (streamed_call.id, streamed_call.name, streamed_call.fragments, streamed_call.whole_text, streamed_call.closed)
        for streamed_call in assembled.calls
    ] == [
        ("call_1", "apply_patch", (), None, True),
        ("call_2", "shell", ("ls",), "ls", False),
    ]


@pytest.mark.parametrize(
    ("events", "error"),
    [
        pytest.param(
            [{"type": "error", "code": "server_error", "message": "Sorry.", "param": None}],
            {"error": {"code": "server_error", "message": "Sorry.", "param": None}},
            id="error",
        ),
        pytest.param(
            [{"type": "error", "error": {"type": "server_error", "message": "Sorry."}}],
            {"error": {"type": "server_error", "message": "Sorry."}},
            id="error, nested",
        ),
        pytest.param(
            [lifecycle("failed", error={"code": "server_error", "message": "Sorry."})],
            {"error": {"code": "server_error", "message": "Sorry."}},
            id="response.failed",
        ),
        pytest.param(
            [
                {"type": "error", "code": "server_error", "message": "Sorry.", "param": None},
                lifecycle("failed", error={"code": "server_error", "message": "Sorry."}),
            ],
            {"error": {"code": "server_error", "message": "Sorry.", "param": None}},
            id="both",
        ),
    ],
)
def test_a_failure_ends_it(events: list[Any], error: Any, corpus: Corpus) -> None:
    body = stream(*CALL[:4], *events)
    assembled = assemble(body)
    assert (assembled.end, assembled.error) == ("failed", error)
    assert [streamed_call.closed for streamed_call in assembled.calls] == [False]
    assert broken_rules(corpus, body) == set()


def test_a_reply_that_was_cut_at_the_limit(corpus: Corpus) -> None:
    cut = call(1, '{"a"', "incomplete")
    end = lifecycle("incomplete", cut, incomplete_details={"reason": "max_output_tokens"})
    body = stream(*CALL[:3], arguments_done('{"a"'), item_done(cut), end)
    assert broken_rules(corpus, body) == set()
    assert assemble(body).end == "whole"


def test_the_end_of_the_reply_closes_a_call_that_was_never_done() -> None:
    for status, closed in [("completed", True), ("incomplete", True), ("failed", False)]:
        assembled = assemble(stream(*CALL[:5], lifecycle(status, FINISHED)))
        assert [streamed_call.closed for streamed_call in assembled.calls] == [closed], status


def test_text_after_the_marker_is_not_read(corpus: Corpus) -> None:
    marker = {"data": "[DONE]"}
    events = stream(*CALL)["events"]
    early = {"events": [*events[:-1], marker, events[-1]]}
    assert assemble(early).end == "open"
    assert broken_rules(corpus, early) == {"stream-done-marker", "stream-end", "stream-after-end"}
    late = {"events": [*events, marker]}
    assert assemble(late).end == "whole"
    assert broken_rules(corpus, late) == {"stream-done-marker"}


STRAY = about("output_text.done", "", -1, content_index=0, text="x")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([*CALL[:2], STRAY, *CALL[2:]], [("stream-item-added", MISSING)], id="beside a call"),
        pytest.param([*TEXT[:-1], STRAY, TEXT[-1]], [("stream-item-added", MISSING)], id="after all items"),
        pytest.param(
            [*TEXT[:5], {**STRAY, "text": "Yes."}, *TEXT[5:]],
            [("stream-output-index", 0), ("stream-item-added", "response.output_item.added")],
            id="in a message",
        ),
    ],
)
def test_an_event_that_is_about_no_item_must_go(events: list[Any], expected: list[Any], corpus: Corpus) -> None:
    """With the number of the call it would be a text of the call: no number makes it right."""
    findings = check_body(corpus, "openai_responses", "stream", stream(*events))
    told_here = [
        (finding.rule.removeprefix("openai_responses/"), finding.want)
        for finding in findings
        if "output-index" in finding.rule or "item-added" in finding.rule
    ]
    assert sorted(told_here, key=str) == sorted(expected, key=str)


def drop_keys(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


@pytest.mark.parametrize(
    ("events", "rules"),
    [
        pytest.param(TEXT, set(), id="a text"),
        pytest.param([*CALL[:2], {"type": "keepalive"}, *CALL[2:]], set(), id="keep-alive"),
        pytest.param([*CALL[:2], {"type": "response.new_thing", "x": 1}, *CALL[2:]], set(), id="an unknown event"),
        pytest.param([*CALL, {"type": "keepalive"}], set(), id="keep-alive behind the end"),
        pytest.param([*CALL[:2], *CALL[4:]], set(), id="arguments only in done"),
        pytest.param([*CALL[:2], fragment(""), *CALL[2:]], set(), id="an empty fragment"),
        pytest.param([*TEXT[:3], *TEXT[5:]], {"stream-fragments"}, id="a text only in done"),
        pytest.param([*CALL[:4], *CALL[5:]], {"stream-done-events"}, id="arguments never done"),
        pytest.param([*TEXT[:6], *TEXT[7:]], {"stream-done-events"}, id="a part never done"),
        pytest.param(
            [*CALL[:1], item_added(call(1, "{}")), *CALL[2:]], {"stream-fragments"}, id="{} before the fragments"
        ),
        pytest.param([*CALL[:2], *CALL[1:]], {"stream-output-index"}, id="added twice"),
        pytest.param(
            [
                *CALL[:5],
                item_done(call(9, '{"a":1}', "completed")),
                lifecycle("completed", call(9, '{"a":1}', "completed")),
            ],
            {"stream-identity"},
            id="another call when done",
        ),
        pytest.param(
            [*CALL[:6], lifecycle("completed", {**FINISHED, "name": "write_file"})], {"stream-identity"}, id="renamed"
        ),
        pytest.param(
            [*CALL[:4], arguments_done("{}"), *CALL[5:]], {"stream-fragments", "stream-wholes-agree"}, id="done differs"
        ),
        pytest.param([*CALL[:6], fragment("{}"), CALL[6]], {"stream-after-done"}, id="a fragment after the item"),
        pytest.param([*TEXT[:6], *TEXT[5:]], {"stream-done-again"}, id="a text done twice alike"),
        pytest.param([*TEXT[:7], *TEXT[6:]], {"stream-done-again"}, id="a part done twice alike"),
        pytest.param([*TEXT[:8], TEXT[5], *TEXT[8:]], {"stream-after-done"}, id="a text done again after its item"),
        pytest.param(
            [*TEXT[:6], {**TEXT[5], "text": "No."}, *TEXT[6:]],
            {"stream-after-done", "stream-wholes-agree"},
            id="another text when done again",
        ),
        pytest.param([*CALL[:5], *CALL[4:]], {"stream-after-done"}, id="arguments done twice alike"),
        pytest.param(
            [BEGIN, lifecycle("completed", FINISHED)], {"stream-item-announced"}, id="only in the final response"
        ),
        pytest.param(
            [*CALL[:-1], lifecycle("incomplete", FINISHED, event="completed")], {"stream-status"}, id="status"
        ),
        pytest.param(
            [*CALL[:-1], {**CALL[-1], "response": {"id": "resp_1"}}],
            {"stream-status", "stream-final-list"},
            id="a bare response",
        ),
        pytest.param(
            [*CALL[:2], {"type": "content_block_delta", "index": 0, "delta": {}}, *CALL[2:]],
            {"stream-type"},
            id="an event of another API",
        ),
        pytest.param(
            [*CALL[:2], drop_keys(fragment('{"a"'), "output_index"), *CALL[3:]], {"stream-output-index"}, id="no index"
        ),
        pytest.param([*CALL[:2], fragment('{"a"', 7), *CALL[3:]], {"stream-item-id"}, id="another item_id"),
    ],
)
def test_what_the_grammar_finds(events: list[Any], rules: set[str], corpus: Corpus) -> None:
    assert broken_rules(corpus, stream(*events)) == rules


@every("body", [*JUNK, {"events": None}, {"events": JUNK}, {"events": [{"data": junk} for junk in JUNK]}], id=repr)
def test_no_stream_at_all(body: Any) -> None:
    for _, breach in assemble(body).breaches:
        resolve(body, breach.pointer)


@pytest.mark.parametrize(
    ("events", "event_type"),
    [([*TEXT[:6], *TEXT[5:]], "response.output_text.done"), ([*TEXT[:7], *TEXT[6:]], "response.content_part.done")],
)
def test_an_event_too_many_is_named_by_its_type(events: list[Any], event_type: str) -> None:
    (breach,) = (breach for rule, breach in assemble(stream(*events)).breaches if rule.endswith("stream-done-again"))
    assert breach.got == event_type


# The official SDK.


def final(body: bytes) -> tuple[Any, list[Any]]:
    """The SDK's final response as a JSON object, and the arguments that its deltas assemble to; raises as it does."""
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    wire = Wire()
    client = openai.OpenAI(api_key="key", http_client=wire.client, max_retries=0)
    wire.reply = body
    with warnings.catch_warnings(action="ignore"), client.responses.stream(model="m", input="x") as events:
        snapshots = [event.snapshot for event in events if event.type == "response.function_call_arguments.delta"]
        return events.get_final_response().to_dict(), snapshots


def essence(body: Any) -> Any:
    """The content of a reply, without its notation."""
    return {
        **{key: body.get(key) for key in ("id", "status", "model")},
        "usage": drop_keys(body.get("usage") or {}, "input_tokens_details"),
        "output": [
            {
                **{key: item.get(key) for key in ("type", "id", "call_id", "name", "arguments")},
                "content": [(part.get("type"), part.get("text")) for part in item.get("content") or []],
                "summary": [part.get("text") for part in item.get("summary") or []],
            }
            for item in body["output"]
        ],
    }


@needs_traffic
def test_recorded_streams_amount_to_what_the_sdk_makes_of_them() -> None:
    streams = recorded_streams(official=True, name="openai_responses")
    assert len(streams) > 90
    for path, text in streams:
        assembled = assemble(parse(text.encode()))
        theirs, _ = final(text.encode())
        assert assembled.body is not None, path
        assert essence(assembled.body) == essence(theirs), path
        assert assembled.end == "whole", path


@needs_traffic
def test_recorded_streams_without_their_end_amount_to_the_same_output() -> None:
    """The items as they were put together are those of the response that the API sends at the end."""
    for path, text in recorded_streams(official=True, name="openai_responses"):
        body = parse(text.encode())
        assert body["events"][-1]["data"]["type"] == "response.completed", path
        output = body["events"][-1]["data"]["response"]["output"]
        cut = assemble({"events": body["events"][:-1]})
        assert cut.body is not None, path
        assert essence(cut.body)["output"] == essence({"output": output})["output"], path
        undone = [event for event in body["events"][:-1] if event["data"]["type"] != "response.output_item.done"]
        pieces = assemble({"events": undone}).body
        assert pieces is not None, path
        # Without output_item.done there is no encrypted content, and of hosted items nothing but how they began.
        for ours, theirs in zip(essence(pieces)["output"], essence({"output": output})["output"], strict=True):
            if ours["type"] in ("message", "function_call"):
                assert ours == theirs, path


@every("slug", RULES, id=str)
def test_obeying_streams_amount_to_what_the_sdk_makes_of_them(slug: str) -> None:
    body = RULES[slug]["obeys"]
    assembled = assemble(body)
    if assembled.end == "failed":
        with pytest.raises(RuntimeError, match=r"response\.completed"):
            final(dump(body["events"]))
        return
    assert assembled.body is not None
    assert essence(assembled.body) == essence(final(dump(body["events"]))[0])


@pytest.mark.parametrize(
    ("slug", "raised"),
    [
        ("stream-data", "JSONDecodeError"),
        ("stream-start", "RuntimeError"),
        ("stream-response", "AttributeError"),
        ("stream-same-id", "RuntimeError"),
        ("stream-item-added-shape", "TypeError"),
        ("stream-item-added", "RuntimeError"),
        ("stream-output-index", "RuntimeError"),
        ("stream-delta-shape", "TypeError"),
        ("stream-part-added", "IndexError"),
        ("stream-part-index", "IndexError"),
        ("stream-delta-kind", "AssertionError"),
        ("stream-identity", "RuntimeError"),
        ("stream-item-done", "RuntimeError"),
        ("stream-end", "RuntimeError"),
    ],
)
def test_what_the_sdk_cannot_read(slug: str, raised: str) -> None:
    with pytest.raises(Exception) as caught:
        final(dump(RULES[slug]["breaks"]["events"]))
    assert type(caught.value).__name__ == raised


@pytest.mark.parametrize("slug", ["stream-status", "stream-final-output", "stream-wholes-agree"])
def test_what_the_sdk_reads_as_something_else(slug: str) -> None:
    expected, _ = final(dump(RULES[slug]["obeys"]["events"]))
    assert essence(final(dump(RULES[slug]["breaks"]["events"]))[0]) != essence(expected)


def test_fragments_that_the_sdk_shows_and_then_forgets() -> None:
    response, snapshots = final(dump(RULES["stream-fragments"]["breaks"]["events"]))
    assert response["output"][0]["arguments"] != snapshots[-1]


@pytest.mark.parametrize(
    "slug", [slug for slug, rule in RULES.items() if rule["level"] != Level.MUST and slug != "stream-last-event"]
)
def test_what_the_sdk_survives_is_no_must(slug: str) -> None:
    expected, _ = final(dump(RULES[slug]["obeys"]["events"]))
    read, _ = final(dump(RULES[slug]["breaks"]["events"]))
    assert {item["id"] for item in read["output"]} == {item["id"] for item in expected["output"]}


# Whatever comes.


@needs_traffic
def test_recorded_streams_cut_after_every_event() -> None:
    chance = random.Random(5)
    for path, text in chance.sample(recorded_streams(True, "openai_responses"), 20):
        body = parse(text.encode())
        expected = assemble(body)
        for count in range(len(body["events"])):
            cut = assemble({"events": body["events"][:count]})
            assert cut.end == "open", path
            for ours, theirs in zip(cut.calls, expected.calls, strict=False):
                assert ours.fragments == theirs.fragments[: len(ours.fragments)], path
                assert not ours.closed or (ours.fragments, ours.whole_text) == (theirs.fragments, theirs.whole_text), (
                    path
                )


@needs_traffic
def test_damaged_streams_are_put_together(corpus: Corpus, pytestconfig: pytest.Config) -> None:
    chance = random.Random("openai_responses streams")
    streams = [parse(text.encode()) for _, text in chance.sample(recorded_streams(True, "openai_responses"), 20)]
    streams = [{**body, "events": body["events"][:8] + body["events"][-5:]} for body in streams]
    streams += [rule["breaks"] for rule in RULES.values()]
    for count in range(pytestconfig.getoption("--mutations")):
        body = damage_stream(chance, copy.deepcopy(chance.choice(streams)))
        try:
            for _, breach in assemble(body).breaches:
                resolve(body, breach.pointer)
            formats.read("openai_responses", "stream", body)
            if count % 5 == 0:
                for finding in check_body(corpus, "openai_responses", "stream", body):
                    resolve(body, finding.pointer)
        except Exception as error:
            error.add_note(f"mutation {count}: {json.dumps(body)[:5_000]}")
            raise


@needs_traffic
def test_official_streams_break_nothing_but_the_numbers_of_early_ones(corpus: Corpus) -> None:
    """Streams of May 2025 have no sequence_number."""
    broken: dict[str, set[str]] = {}
    for path, text in recorded_streams(True, "openai_responses"):
        for finding in check_body(corpus, "openai_responses", "stream", parse(text.encode())):
            broken.setdefault(finding.rule, set()).add(path)
    assert {rule: len(paths) for rule, paths in broken.items()} == {"openai_responses/stream-sequence": 3}


@pytest.mark.parametrize(
    ("before", "wrong"), [([], False), ([{"type": "reasoning", "id": "rs_1", "summary": []}], True)]
)
def test_an_item_that_the_reply_began_with_has_its_index(before: list[Any], wrong: bool, corpus: Corpus) -> None:
    """The official SDK raises where an index is given once more."""
    body = stream(
        lifecycle("in_progress", *before, event="created"), item_added(call()), item_done(call(arguments="{}"))
    )
    assert ("stream-output-index" in broken_rules(corpus, body)) is wrong


@pytest.mark.parametrize(
    ("more", "place", "want"),
    [
        ({"incomplete_details": {"reason": "max_output_tokens"}}, "/events/6/data/type", "response.incomplete"),
        ({"incomplete_details": None}, "/events/6/data/response/status", "completed"),
    ],
)
def test_which_of_the_last_event_and_its_status_is_wrong(more: Any, place: str, want: str) -> None:
    """A response that says why it was cut is not to be called complete."""
    events = [*CALL[:-1], lifecycle("incomplete", FINISHED, event="completed", **more)]
    breaches = [
        breach for rule, breach in assemble(stream(*events)).breaches if rule == "openai_responses/stream-status"
    ]
    assert [(breach.pointer, breach.want) for breach in breaches] == [(place, want)]
