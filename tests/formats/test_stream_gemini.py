"""Streams of Gemini: what they assemble to, as the official SDK has it, and what their grammar must find."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from every import every
from formats.test_mutations import JUNK
from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats.gemini.stream import assemble
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json
from witnesses.wire import Wire

RULES = {
    rule["id"].removeprefix("gemini/"): rule
    for rule in map(read_json, sorted((default_root() / "formats" / "gemini" / "rules").glob("*.json")))
    if rule["direction"] == "stream"
}

USAGE = {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}


def chunk(*parts: Any, finish: Any = None, **more: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    body = {"candidates": [candidate if finish is None else candidate | {"finishReason": finish}]}
    return {"data": {**body, "usageMetadata": USAGE, "responseId": "r1", **more}}


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"text": content, **more}


def call(**more: Any) -> dict[str, Any]:
    return {"functionCall": more}


def piece(path: str, on: bool = True, **value: Any) -> dict[str, Any]:
    return call(partialArgs=[{"jsonPath": path, **value}], **({"willContinue": True} if on else {}))


def string(path: str, content: str, on: bool = True) -> dict[str, Any]:
    return piece(path, stringValue=content, willContinue=on)


READ = call(name="read_file", args={"path": "a.py"})
SIGNED = {**READ, "thoughtSignature": "c2ln"}
OPEN, CLOSE = call(name="edit", willContinue=True), call()
STOP = chunk(text(""), finish="STOP")
ERROR = {"data": {"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}}
USAGE_ONLY = {"data": {"usageMetadata": USAGE, "responseId": "r1"}}
BLOCKED = {"data": {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": USAGE}}


def stream(*events: Any) -> dict[str, Any]:
    return {"events": [deep_copy(event) for event in events]}


def broken_places(corpus: Corpus, body: Any) -> list[tuple[str, str]]:
    """Each finding's rule and pointer."""
    return sorted(
        (finding.rule.removeprefix("gemini/"), finding.pointer)
        for finding in check_body(corpus, "gemini", "stream", body)
    )


def parts(*events: Any) -> Any:
    body = assemble(stream(*events)).body
    assert body is not None
    return body["candidates"][0]["content"]["parts"]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([chunk(text("It rains."), finish="STOP")], id="one chunk"),
        pytest.param([chunk(text("It ")), chunk(text("rains.")), STOP], id="text"),
        pytest.param([chunk(SIGNED, READ), STOP], id="two calls in a chunk, STOP later"),
        pytest.param([chunk(SIGNED), chunk(READ, finish="STOP")], id="a call a chunk"),
        pytest.param([chunk(call(name="list")), STOP], id="no args"),
        pytest.param(
            [chunk(text("hm", thought=True)), chunk(text("", thoughtSignature="c2ln"), finish="STOP")], id="s"
        ),
        pytest.param([chunk(OPEN), chunk(string("$.path", "a")), chunk(CLOSE), STOP], id="arguments in pieces"),
        pytest.param([chunk(text("a"), finish="STOP"), USAGE_ONLY], id="usage after the finish"),
        pytest.param([chunk(text("a")), chunk(finish="MAX_TOKENS")], id="cut"),
        pytest.param([chunk(text("a")), ERROR], id="an error"),
        pytest.param([BLOCKED], id="the prompt is blocked"),
    ],
)
def test_what_is_legal(corpus: Corpus, events: list[Any]) -> None:
    assert broken_places(corpus, stream(*events)) == []


AT = "/events/{}/data/candidates/0"
CALL = AT + "/content/parts/0/functionCall"


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [("stream-finish", "")], id="nothing"),
        pytest.param([chunk(READ)], [("stream-finish", "/events/0/data")], id="broken off behind a call"),
        pytest.param([STOP, chunk(READ)], [("stream-finish-last", AT.format(1) + "/content")], id="a call after STOP"),
        pytest.param([STOP, STOP], [("stream-finish-last", AT.format(1) + "/finishReason")], id="STOP twice"),
        pytest.param([chunk(CLOSE), STOP], [("stream-call-continued", CALL.format(0))], id="nothing to go on with"),
        pytest.param(
            [chunk(OPEN), chunk(READ), STOP], [("stream-call-closed", CALL.format(0))], id="another call amid a call"
        ),
        pytest.param(
            [chunk(OPEN), chunk(piece("path", stringValue="a")), chunk(CLOSE), STOP],
            [("stream-partial-args", CALL.format(1) + "/partialArgs/0")],
            id="no path from the root",
        ),
        pytest.param(
            [chunk(OPEN), chunk(piece("$.a", boolValue=True)), chunk(piece("$.a.b", boolValue=True), CLOSE), STOP],
            [("stream-partial-args", CALL.format(2) + "/partialArgs/0")],
            id="a path into a value",
        ),
        pytest.param(
            [chunk(call(name="read_file", args='{"path": "a"}')), STOP],
            [("call-args-object", CALL.format(0) + "/args")],
            id="args as a text",
        ),
        pytest.param([{**STOP, "event": "message"}], [("stream-event-name", "/events/0/event")], id="a name"),
        pytest.param([chunk(READ, finish="stop")], [("finish-reason", AT.format(0) + "/finishReason")], id="stop"),
        pytest.param([ERROR, STOP], [("stream-after-end", "/events/1/data")], id="a chunk after an error"),
    ],
)
def test_broken_rules_and_places(corpus: Corpus, events: list[Any], expected: list[tuple[str, str]]) -> None:
    rules = [finding for finding in broken_places(corpus, stream(*events)) if finding[0] != "stream-finish-agrees"]
    assert rules == expected


def test_neighbouring_texts_are_one_and_signed_ones_stay() -> None:
    assert parts(
        chunk(text("I ", thought=True)),
        chunk(text("think", thought=True), text("It ")),
        chunk(text("rains")),
        chunk(text("", thoughtSignature="c2ln"), READ, text("So"), finish="STOP"),
    ) == [
        {"text": "I think", "thought": True},
        {"text": "It rains"},
        {"text": "", "thoughtSignature": "c2ln"},
        READ,
        {"text": "So"},
    ]


def test_arguments_in_pieces() -> None:
    body = parts(
        chunk({**OPEN, "thoughtSignature": "c2ln"}),
        chunk(string("$.path", "src/"), string("$.path", "a.py", on=False)),
        chunk(piece("$.edits[0].line", numberValue=3), piece("$.edits[0]['the \\'new\\'']", stringValue="x")),
        chunk(piece("$.edits[1].line", numberValue=9), piece("$.all", boolValue=False)),
        chunk(piece("$.mode", nullValue="NULL_VALUE")),
        chunk(CLOSE, READ),
        STOP,
    )
    args = {
        "path": "src/a.py",
        "edits": [{"line": 3, "the 'new'": "x"}, {"line": 9}],
        "all": False,
        "mode": None,
    }
    assert body[:2] == [{"thoughtSignature": "c2ln", "functionCall": {"name": "edit", "args": args}}, READ]


def test_a_text_goes_on_after_another_argument() -> None:
    pieces = [string("$.path", "a"), string("$.mode", "r", on=False), string("$.path", ".py", on=False)]
    assert parts(chunk(OPEN, *pieces, CLOSE), STOP)[0]["functionCall"]["args"] == {"path": "a.py", "mode": "r"}


def test_a_text_that_will_not_continue_is_replaced() -> None:
    pieces = [string("$.path", "a", on=False), string("$.path", "b", on=False)]
    assert parts(chunk(OPEN, *pieces, CLOSE), STOP)[0]["functionCall"]["args"] == {"path": "b"}


def test_another_call_ends_the_one_under_way() -> None:
    assert [call.closed for call in assemble(stream(chunk(OPEN), chunk(OPEN))).calls] == [True, False]


def test_the_call_under_way() -> None:
    events = [chunk(OPEN), chunk(string("$.path", "a")), chunk(CLOSE), chunk(READ), STOP]
    states = [assemble(stream(*events[:count])) for count in range(len(events) + 1)]
    assert [[call.closed for call in state.calls] for state in states] == [
        [],
        [False],
        [False],
        [True],
        [True, True],
        [True, True],
    ]
    assert [state.end for state in states] == ["open"] * 5 + ["whole"]
    assert [call.whole_text for call in states[-1].calls] == [None, '{"path": "a.py"}']


def test_the_error_is_that_of_an_error_reply() -> None:
    assembled = assemble(stream(chunk(READ), ERROR))
    assert assembled.end == "failed"
    failure = formats.read("gemini", "error", {"status": 503, "body": assembled.error}).failure
    assert failure is not None
    assert failure.message == "Overloaded"


def test_several_candidates_are_distinguished() -> None:
    events = [chunk(text("a")), chunk(text("b")), STOP]
    events[1]["data"]["candidates"][0]["index"] = 1
    assembled = assemble(stream(*events))
    assert assembled.end == "open"
    assert assembled.body is not None
    assert [candidate["content"]["parts"][0]["text"] for candidate in assembled.body["candidates"]] == ["a", "b"]


def test_either_spelling_is_read() -> None:
    snake = {"function_call": {"name": "read_file", "args": {"path": "a.py"}}, "thought_signature": "c2ln"}
    event = {
        "data": {"candidates": [{"content": {"parts": [snake]}, "finish_reason": "STOP"}], "usage_metadata": USAGE}
    }
    assembled = assemble(stream(event))
    assert assembled.end == "whole"
    assert assembled.body is not None
    assert assembled.body["usageMetadata"] == USAGE
    assert assembled.body["candidates"][0]["finishReason"] == "STOP"
    assert [call.name for call in assembled.calls] == ["read_file"]
    assert [call.arguments for call in formats.read("gemini", "stream", stream(event)).calls] == [{"path": "a.py"}]


@every("junk", [*JUNK, {"events": JUNK}, {"events": None}, stream(*({"data": data} for data in JUNK))], id=repr)
def test_no_stream_at_all(corpus: Corpus, junk: Any) -> None:
    assert assemble(junk).end in ("open", "failed")
    broken_places(corpus, junk)


# The official SDK.


def user(wire: Wire) -> Any:
    pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
    from google import genai
    from google.genai import types

    options = types.HttpOptions(httpx_client=wire.client, api_version="v1beta")
    return genai.Client(api_key="key", http_options=options)


def chunks(wire: Wire, body: bytes, client: Any = None) -> list[Any]:
    """The chunks that the SDK hands out; raises what it raises."""
    wire.reply = body
    client = client or user(wire)
    with warnings.catch_warnings(action="ignore"):
        return list(client.models.generate_content_stream(model="gemini-2.5-pro", contents="x"))


def theirs(handed: list[Any]) -> dict[str, Any]:
    """What a user of the SDK has at the end, the chunks one after the other."""
    reply_parts = [
        part for reply in handed for part in (reply.candidates[0].content.parts or () if reply.candidates else ())
    ]
    calls = [part for part in reply_parts if part.function_call]
    return {
        "text": "".join(part.text for part in reply_parts if part.text and not part.thought),
        "thoughts": "".join(part.text for part in reply_parts if part.text and part.thought),
        "calls": [(part.function_call.name, part.function_call.args, part.function_call.id) for part in calls],
        "signed": [part.thought_signature is not None for part in calls],
        "signatures": sum(part.thought_signature is not None for part in reply_parts),
        "finish": [reply.candidates[0].finish_reason for reply in handed if reply.candidates][-1],
        "tokens": handed[-1].usage_metadata.total_token_count,
    }


def content_of(stream: Any) -> dict[str, Any]:
    body = assemble(stream).body
    assert body is not None
    candidate = body["candidates"][0]
    reply_parts = candidate["content"]["parts"]
    calls = [part for part in reply_parts if "functionCall" in part]
    return {
        "text": "".join(part.get("text", "") for part in reply_parts if not part.get("thought")),
        "thoughts": "".join(part.get("text", "") for part in reply_parts if part.get("thought")),
        "calls": [tuple(part["functionCall"].get(key) for key in ("name", "args", "id")) for part in calls],
        "signed": ["thoughtSignature" in part for part in calls],
        "signatures": sum("thoughtSignature" in part for part in reply_parts),
        "finish": candidate["finishReason"],
        "tokens": body["usageMetadata"]["totalTokenCount"],
    }


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
def test_recorded_streams_amount_to_what_the_sdk_makes_of_them() -> None:
    wire = Wire()
    client = user(wire)
    stream_records = [
        record for record in records("gemini") if record.content["stream_format"] == "sse" and record.content["sse"]
    ]
    assert len(stream_records) > 60
    for record in stream_records:
        # This key is newer than the SDK, which refuses it.
        data = record.content["sse"].encode()
        stream = parse(data)
        for event in stream["events"]:
            event["data"].get("usageMetadata", {}).pop("serviceTier", None)
        assert content_of(stream) == theirs(chunks(wire, dump(stream["events"]), client)), record.path


@pytest.mark.parametrize(
    ("slug", "raised"),
    [
        ("stream-data", "UnknownApiResponseError"),
        ("stream-event-name", "UnknownApiResponseError"),
        ("stream-after-end", "ServerError"),
    ],
)
def test_what_the_sdk_cannot_read(slug: str, raised: str) -> None:
    with pytest.raises(Exception) as caught:
        chunks(Wire(), dump(RULES[slug]["breaks"]["events"]))
    assert type(caught.value).__name__ == raised


def test_a_turn_without_a_finish_reason_is_not_sent_back() -> None:
    histories = {}
    for example in ("obeys", "breaks"):
        wire = Wire()
        wire.reply = dump(RULES["stream-finish"][example]["events"])
        chat = user(wire).chats.create(model="gemini-2.5-pro")
        list(chat.send_message_stream("x"))
        histories[example] = chat.get_history(curated=True)
    assert histories["obeys"]
    assert not histories["breaks"]
