"""Streams of Chat Completions: what they assemble to, as the official SDK has it, and what their grammar must find."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from every import every
from formats.test_mutations import JUNK, mutate
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.formats.openai_chat.stream import assemble
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root, read_json
from witnesses.wire import Wire

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")
OFFICIAL = re.compile(r"api\.openai\.com|.*\.openai\.azure\.com")

DONE: dict[str, Any] = {"data": "[DONE]"}
RULES = {
    rule["id"].removeprefix("openai_chat/"): rule
    for rule in map(read_json, sorted((default_root() / "formats" / "openai_chat" / "rules").glob("*.json")))
    if rule["direction"] == "stream"
}


def chunk(*choices: Any, **more: Any) -> dict[str, Any]:
    envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1763719200, "model": "gpt-4.1"}
    return {"data": {**envelope, "choices": list(choices), **more}}


def delta(fields: Any, finish: Any = None, index: int = 0) -> dict[str, Any]:
    return chunk({"index": index, "delta": fields, "finish_reason": finish})


def entry(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**more, "function": {key: value for key, value in function.items() if value is not None}}


def calls(*entries: Any, finish: Any = None) -> dict[str, Any]:
    return delta({"tool_calls": list(entries)}, finish)


def call_start(index: int, call_id: str, name: str = "read_file", arguments: str = "") -> dict[str, Any]:
    return entry(arguments, name, index=index, id=call_id, type="function")


def stream(*events: Any) -> dict[str, Any]:
    return {"events": list(events)}


ROLE = delta({"role": "assistant", "content": None})
END = delta({}, "tool_calls")


def assemble_events(*events: Any) -> Assembled:
    return assemble(stream(ROLE, *events))


def broken_rules(corpus: Corpus, body: Any) -> set[str]:
    findings = check_body(corpus, "openai_chat", "stream", body)
    for finding in findings:
        resolve(body, finding.pointer)
    return {finding.rule.removeprefix("openai_chat/") for finding in findings}


def message(assembled: Assembled) -> dict[str, Any]:
    assert assembled.body is not None
    reply_message: dict[str, Any] = assembled.body["choices"][0]["message"]
    return reply_message


def wire_calls(assembled: Assembled) -> list[tuple[Any, Any, Any]]:
    return [
        (call.get("id"), call["function"].get("name"), call["function"]["arguments"])
        for call in message(assembled).get("tool_calls", [])
    ]


def test_a_reply_with_everything() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assembled = assemble_events(
        delta({"content": "Let "}),
        delta({"content": "me see."}),
        calls(call_start(0, "call_1")),
        calls(entry('{"path"', index=0)),
        calls(entry(':"a"}', index=0)),
        calls(call_start(1, "call_2", "stop", "{}")),
        END,
        chunk(usage=usage),
        DONE,
    )
    assert assembled.body == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1763719200,
        "model": "gpt-4.1",
        "usage": usage,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Let me see.",
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "read_file", "arguments": '{"path":"a"}'},
                        },
                        {"id": "call_2", "type": "function", "function": {"name": "stop", "arguments": "{}"}},
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
    }
    assert assembled.end == "whole"
    assert assembled.breaches == ()
    first, second = assembled.calls
    assert (first.id, first.name, first.fragments, first.closed) == (
        "call_1",
        "read_file",
        ("", '{"path"', ':"a"}'),
        True,
    )
    assert first.pointer == "/events/3/data/choices/0/delta/tool_calls/0"
    assert (second.fragments, second.whole_text, second.closed) == (("{}",), None, True)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param(
            [
                calls(call_start(0, "a"), call_start(1, "b")),
                calls(entry("{}", index=1)),
                calls(entry('{"n":1}', index=0)),
                END,
            ],
            [("a", "read_file", '{"n":1}'), ("b", "read_file", "{}")],
            id="interleaved",
        ),
        pytest.param(
            [calls(entry("{}", "f", id="", type="function")), calls(entry("{}", "f", id="", type="function")), END],
            [("", "f", "{}"), ("", "f", "{}")],
            id="no index, empty ids",
        ),
        pytest.param(
            [calls(entry("{}", "f", index=0, id=""), entry("{}", "g", index=0, id="")), END],
            [("", "f", "{}"), ("", "g", "{}")],
            id="one index for all, empty ids",
        ),
        pytest.param(
            [
                calls(entry('{"a"', "f", id="D681PevKs")),
                calls(entry(":1}")),
                calls(entry("{}", "g", id="9bJ3xMf0T")),
                END,
            ],
            [("D681PevKs", "f", '{"a":1}'), ("9bJ3xMf0T", "g", "{}")],
            id="no index, fragments",
        ),
        pytest.param(
            [calls(call_start(0, "a", "f", "{}")), calls(call_start(0, "b", "g")), calls(entry("{}", index=0)), END],
            [("a", "f", "{}"), ("b", "g", "{}")],
            id="the second call under the index of the first",
        ),
        pytest.param(
            [calls(call_start(0, "a", "f", '{"x"')), calls(call_start(0, "a", "f", ":1}")), END],
            [("a", "f", '{"x":1}')],
            id="id, name and index in every delta",
        ),
        pytest.param(
            [calls(entry("{}", "f", index=-1, id="a"), entry("{}", "g", index=-1, id="b"), finish="tool_calls"), END],
            [("a", "f", "{}"), ("b", "g", "{}")],
            id="index -1",
        ),
        pytest.param(
            [calls(call_start(0, "a")), calls(entry("{}", "", index=0, id=None)), END],
            [("a", "read_file", "{}")],
            id="id null and name empty in later deltas",
        ),
        pytest.param(
            [calls(entry("", index=0, id="a")), calls(entry(name="f", index=0)), calls(entry("{}", index=0)), END],
            [("a", "f", "{}")],
            id="name later",
        ),
        pytest.param([calls(call_start(0, "a")), END], [("a", "read_file", "")], id="no arguments at all"),
        pytest.param(
            [calls(entry({"n": 1}, "f", index=0, id="a")), END], [("a", "f", {"n": 1})], id="arguments as a value"
        ),
    ],
)
def test_whose_fragment_it_is(events: list[Any], expected: list[Any]) -> None:
    assert wire_calls(assemble_events(*events, DONE)) == expected


def test_other_keys_are_kept() -> None:
    signed = {**call_start(0, "a", "f", "{}"), "extra_content": {"google": {"thought_signature": "c2ln"}}}
    assembled = assemble_events(
        delta({"reasoning_content": "Hm", "reasoning_details": [{"type": "reasoning.text", "text": "H", "index": 0}]}),
        delta({"reasoning_content": "m.", "reasoning_details": [{"type": "reasoning.text", "text": "m", "index": 0}]}),
        calls(signed),
        END,
    )
    reply_message = message(assembled)
    assert reply_message["reasoning_content"] == "Hmm."
    assert reply_message["reasoning_details"] == [{"type": "reasoning.text", "text": "Hm", "index": 0}]
    assert reply_message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "c2ln"}}


def test_content_as_parts() -> None:
    assembled = assemble_events(delta({"content": "a"}), delta({"content": [{"type": "text", "text": "b"}]}))
    assert message(assembled)["content"] == [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]


def test_a_refusal_is_read() -> None:
    assembled = assemble_events(delta({"refusal": "I "}), delta({"refusal": "won't."}), delta({}, "stop"), DONE)
    assert message(assembled)["refusal"] == "I won't."


def test_a_legacy_function_call() -> None:
    parts = [{"name": "f", "arguments": ""}, {"arguments": "{"}, {"arguments": "}"}]
    assembled = assemble_events(*(delta({"function_call": part}) for part in parts), delta({}, "function_call"), DONE)
    assert message(assembled)["function_call"] == {"name": "f", "arguments": "{}"}
    assert [(call.id, call.name, call.fragments, call.closed) for call in assembled.calls] == [
        (None, "f", ("", "{", "}"), True)
    ]


def test_a_custom_call() -> None:
    first = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    assembled = assemble_events(calls(first), calls({"index": 0, "custom": {"input": " -l"}}), END, DONE)
    assert message(assembled)["tool_calls"] == [
        {"id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    ]
    assert assembled.breaches == ()


def test_several_choices() -> None:
    both = [delta({"role": "assistant", "content": text}, index=index) for index, text in enumerate("ab")]
    assembled = assemble(stream(*both, delta({}, "stop", 1), delta({}, "stop"), DONE))
    assert assembled.body is not None
    assert [choice["message"]["content"] for choice in assembled.body["choices"]] == ["a", "b"]
    assert assembled.breaches == ()
    assert assemble(stream(*both, delta({}, "stop"), DONE)).end == "open"


def test_an_error_ends_it() -> None:
    failure = {"message": "overloaded", "type": "server_error", "param": None, "code": None}
    assembled = assemble_events(calls(call_start(0, "a", "f", "{}")), {"data": {"error": failure}}, END, DONE)
    assert assembled.end == "failed"
    assert assembled.error == {"error": failure}
    assert [call.closed for call in assembled.calls] == [False]
    assert [rule for rule, _ in assembled.breaches] == ["openai_chat/stream-after-end"]
    assert assemble_events({"data": {"error": failure}}, DONE).breaches == ()


def test_what_is_open_and_what_is_closed() -> None:
    events = [
        calls(call_start(0, "a")),
        calls(entry('{"path":', index=0)),
        calls(entry('"a"}', index=0)),
        calls(call_start(1, "b")),
        calls(entry("{}", index=1)),
        END,
        DONE,
    ]
    states = [assemble_events(*events[:count]) for count in range(len(events) + 1)]
    assert [state.end for state in states] == [*["open"] * 6, "whole", "whole"]
    assert [[call.closed for call in state.calls] for state in states] == [
        *([], [False], [False], [False], [True, False], [True, False], [True, True], [True, True])
    ]


def test_text_that_is_half_a_value_is_not_closed_by_the_next_call() -> None:
    assembled = assemble_events(calls(call_start(0, "a", "f", '{"path"')), calls(call_start(1, "b")))
    assert [call.closed for call in assembled.calls] == [False, False]


@every("body", [*JUNK, {"events": None}, {"events": JUNK}, stream(*({"data": junk} for junk in JUNK))], id=repr)
def test_no_stream_at_all(body: Any) -> None:
    assembled = assemble(body)
    assert assembled.end == "open"
    for _, breach in assembled.breaches:
        resolve(body, breach.pointer)


@pytest.mark.parametrize(
    ("events", "rules"),
    [
        pytest.param([delta({"content": ""}), delta({}, "stop"), DONE], set(), id="pings of empty text"),
        pytest.param(
            [delta({}, "stop"), delta({"content": ""}), chunk(), DONE], set(), id="empty deltas behind the end"
        ),
        pytest.param([calls(call_start(0, "a", "f", "{}")), END, DONE], set(), id="a call in one chunk"),
        pytest.param(
            [calls(call_start(0, "a"), entry("{}", index=0)), END, DONE], set(), id="two fragments in one chunk"
        ),
        pytest.param([calls(call_start(0, "a", "f", '{"x')), delta({}, "length"), DONE], set(), id="cut at the limit"),
        pytest.param([calls(call_start(0, "a", "f", "{}")), delta({}, "stop"), DONE], set(), id="stop beside a call"),
        pytest.param([delta({}, "stop"), chunk(usage=None), DONE], set(), id="usage null"),
        pytest.param([calls(call_start(0, "a", "f", "")), END, DONE], {"stream-arguments-json"}, id="empty arguments"),
        pytest.param([calls(call_start(0, "a", "f", "[1]")), END, DONE], {"stream-arguments-json"}, id="an array"),
        pytest.param(
            [calls(call_start(0, "a", "f", "{}")), calls(entry("{}", index=0)), END, DONE],
            {"stream-arguments-json"},
            id="arguments twice",
        ),
        pytest.param([calls(call_start(0, "a", "f", "{}")), DONE], {"stream-finish"}, id="no finish_reason"),
        pytest.param([delta({}, "stop"), DONE, DONE], {"stream-end"}, id="[DONE] twice"),
        pytest.param([delta({}, "end_turn"), DONE], {"finish-known"}, id="another API's reason"),
        pytest.param(
            [delta({"content": [{"type": "text", "text": "a"}]}), delta({}, "stop"), DONE],
            {"reply-content"},
            id="parts",
        ),
        pytest.param(
            [delta({"functionCall": {}}), delta({}, "stop"), DONE], {"foreign-key"}, id="a key of another format"
        ),
        pytest.param(
            [calls({"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}), END, DONE],
            {"call-arguments"},
            id="arguments as a value",
        ),
        pytest.param(
            [{"event": "message_stop", "data": {"type": "message_stop"}}, delta({}, "stop"), DONE],
            {"stream-chunk", "stream-envelope", "stream-event-name"},
            id="an event of another API",
        ),
    ],
)
def test_what_the_grammar_finds(events: list[Any], rules: set[str], corpus: Corpus) -> None:
    assert broken_rules(corpus, stream(ROLE, *events)) == rules


def test_the_first_chunk_of_azure(corpus: Corpus) -> None:
    first = {"data": {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": []}}
    body = stream(first, ROLE, delta({"content": "a"}), delta({}, "stop"), DONE)
    assert broken_rules(corpus, body) == set()
    assembled = assemble(body)
    assert assembled.body is not None
    assert (assembled.body["id"], assembled.body["model"]) == ("chatcmpl-1", "gpt-4.1")


# The official SDK.


def final(wire: Wire, body: bytes) -> Any:
    """What the SDK's accumulator has at the end, as a JSON object; raises what it raises."""
    openai = pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    client = openai.OpenAI(api_key="key", http_client=wire.client, max_retries=0)
    wire.reply = body
    with (
        warnings.catch_warnings(action="ignore"),
        client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "x"}]) as events,
    ):
        done = [event for event in events if event.type.endswith(".done")]
        return events.current_completion_snapshot.to_dict(), done


def essence(body: Any) -> list[Any]:
    """The content of a reply, without its notation."""
    return [
        {
            "role": choice["message"].get("role"),
            "content": choice["message"].get("content") or None,
            "refusal": choice["message"].get("refusal"),
            "calls": [
                (call["id"], call["type"], call["function"]["name"], call["function"]["arguments"])
                for call in choice["message"].get("tool_calls") or []
            ],
            "legacy": choice["message"].get("function_call"),
            "finish": choice.get("finish_reason"),
        }
        for choice in body["choices"]
    ]


def recorded_streams(official: bool, name: str = "openai_chat") -> list[tuple[str, str]]:
    """Paths and texts of the streams of the API itself, or of compatible vendors."""
    records = []
    for path in sorted((TRAFFIC / name).rglob("*.json")) if TRAFFIC.is_dir() else []:
        record = json.loads(path.read_text(encoding="utf-8"))
        is_official = bool(OFFICIAL.fullmatch(record["host"] or "")) and "compat_host" not in record["features"]
        if record.get("sse") and is_official is official:
            records.append((path.relative_to(TRAFFIC).as_posix(), record["sse"]))
    return records


needs_traffic = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")


@needs_traffic
def test_recorded_streams_amount_to_what_the_sdk_makes_of_them() -> None:
    wire = Wire()
    streams = recorded_streams(official=True)
    assert len(streams) > 100
    for path, text in streams:
        assembled = assemble(parse(text.encode()))
        theirs, _ = final(wire, text.encode())
        assert assembled.body is not None, path
        assert essence(assembled.body) == essence(theirs), path
        assert assembled.body.get("usage") == theirs.get("usage"), path
        assert assembled.body["id"] == theirs["id"], path
        assert assembled.end == "whole", path


@every("slug", RULES, id=str)
def test_obeying_streams_amount_to_what_the_sdk_makes_of_them(slug: str) -> None:
    body = RULES[slug]["obeys"]
    assembled = assemble(body)
    if assembled.end == "failed":
        with pytest.raises(Exception, match=assembled.error["error"]["message"]):
            final(Wire(), dump(body["events"]))
        return
    assert assembled.body is not None
    assert essence(assembled.body) == essence(final(Wire(), dump(body["events"]))[0])


@pytest.mark.parametrize(
    ("slug", "raised"),
    [
        ("stream-data", "JSONDecodeError"),
        ("stream-choice-index", "IndexError"),
        ("stream-call-delta", "AssertionError"),
        ("stream-call-index", "IndexError"),
        ("stream-call-type", "AssertionError"),
    ],
)
def test_what_the_sdk_cannot_read(slug: str, raised: str) -> None:
    with pytest.raises(Exception) as caught:
        final(Wire(), dump(RULES[slug]["breaks"]["events"]))
    assert type(caught.value).__name__ == raised


@pytest.mark.parametrize(
    "slug",
    ["stream-chunk", "stream-role", "stream-call-own-index", "stream-call-id", "stream-call-once", "stream-after-end"],
)
def test_what_the_sdk_reads_as_something_else(slug: str) -> None:
    expected, _ = final(Wire(), dump(RULES[slug]["obeys"]["events"]))
    assert essence(final(Wire(), dump(RULES[slug]["breaks"]["events"]))[0]) != essence(expected)


@pytest.mark.parametrize("slug", ["stream-finish", "stream-finish-last", "stream-finish-apart", "stream-calls-in-turn"])
def test_what_the_sdk_takes_for_done_wrongly_or_never(slug: str) -> None:
    def said(example: str) -> list[Any]:
        return [event.arguments for event in final(Wire(), dump(RULES[slug][example]["events"]))[1]]

    assert all(json.loads(arguments) for arguments in said("obeys"))
    assert said("breaks") != said("obeys")


def test_usage_that_the_sdk_loses() -> None:
    rule = RULES["stream-usage-kept"]
    assert final(Wire(), dump(rule["obeys"]["events"]))[0]["usage"]
    assert not final(Wire(), dump(rule["breaks"]["events"]))[0]["usage"]


# Whatever comes.


@needs_traffic
def test_recorded_streams_cut_after_every_event() -> None:
    chance = random.Random(5)
    for path, text in chance.sample(recorded_streams(official=True), 20):
        body = parse(text.encode())
        whole = assemble(body)
        is_whole = False
        for count in range(len(body["events"]) + 1):
            cut = assemble({"events": body["events"][:count]})
            assert cut.end != "failed", path
            assert not (is_whole and cut.end == "open"), path
            is_whole = cut.end == "whole"
            for call, whole_call in zip(cut.calls, whole.calls, strict=False):
                assert call.fragments == whole_call.fragments[: len(call.fragments)], path
                assert not call.closed or call.fragments == whole_call.fragments, path
        assert is_whole, path


@needs_traffic
def test_damaged_streams_are_put_together(corpus: Corpus, pytestconfig: pytest.Config) -> None:
    chance = random.Random("openai_chat streams")
    streams = [
        parse(text.encode())
        for _, text in chance.sample(recorded_streams(True), 15) + chance.sample(recorded_streams(False), 15)
    ]
    streams = [{**body, "events": body["events"][:8] + body["events"][-4:]} for body in streams]
    streams += [rule["breaks"] for rule in RULES.values()]
    for count in range(pytestconfig.getoption("--mutations")):
        body = damage_stream(chance, copy.deepcopy(chance.choice(streams)))
        try:
            for _, breach in assemble(body).breaches:
                resolve(body, breach.pointer)
            formats.read("openai_chat", "stream", body)
            if count % 5 == 0:
                for finding in check_body(corpus, "openai_chat", "stream", body):
                    resolve(body, finding.pointer)
        except Exception as error:
            error.add_note(f"mutation {count}: {json.dumps(body)[:5_000]}")
            raise


def damage_stream(chance: random.Random, body: Any) -> Any:
    """Events lost, doubled, or in another order; JSON changed anywhere."""
    events = body["events"]
    for _ in range(chance.randint(1, 3)):
        place, other = chance.randrange(len(events)), chance.randrange(len(events))
        deed = chance.choice(["lose", "double", "swap", "change", "change"])
        if deed == "lose" and len(events) > 1:
            del events[place]
        elif deed == "double":
            events.insert(other, copy.deepcopy(events[place]))
        elif deed == "swap":
            events[place], events[other] = events[other], events[place]
        else:
            events[place] = mutate(chance, events[place])
    return body


def test_the_levels_of_what_official_streams_break(corpus: Corpus) -> None:
    """What the API itself was seen to send is at most a note; a rule that it breaks is a wrong rule."""
    streams = recorded_streams(official=True)
    if not streams:
        pytest.skip("the recorded traffic is not beside this checkout")
    for path, text in streams:
        findings = check_body(corpus, "openai_chat", "stream", parse(text.encode()))
        assert [finding.rule for finding in findings if finding.level is not Level.NOTE] == [], path


def test_a_call_without_a_name_is_called_so() -> None:
    nameless = entry("{}", index=0, id="call_1", type="function")
    breaches = assemble_events(calls(nameless), END, DONE).breaches
    subjects = [breach.subject for rule, breach in breaches if rule == "openai_chat/stream-call-name"]
    assert subjects == ["call 1, without a name"]


@pytest.mark.parametrize(("began", "wrong"), [([], True), ([ROLE], False)])
def test_a_choice_is_in_the_first_chunk_once(began: list[Any], wrong: bool, corpus: Corpus) -> None:
    """The official accumulator makes two choices of it there, and raises; later it puts both entries together."""
    entries = [{"index": 0, "delta": {"content": text}, "finish_reason": None} for text in "ab"]
    assert ("stream-choice-index" in broken_rules(corpus, stream(*began, chunk(*entries), END))) is wrong


def test_counts_are_lost_with_a_chunk_that_is_none(corpus: Corpus) -> None:
    """Azure's first chunk has an empty object, and brings nothing that the SDK would pass over."""
    counts = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunks = [delta({"role": "assistant", "content": "a"}), delta({}, "stop")]
    assert "stream-chunk" not in broken_rules(corpus, stream(chunk(object=""), *chunks, "[DONE]"))
    assert "stream-chunk" in broken_rules(corpus, stream(*chunks, chunk(object="", usage=counts), "[DONE]"))
