"""A superfluous call is reported without the faults within it; all else is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
REAL = 3
"""The calls of its first reply."""
SOURCE = {
    "anthropic": "openai_chat",
    "openai_chat": "anthropic",
    "openai_responses": "anthropic",
    "gemini": "anthropic",
}
Change = Callable[[dict[str, Any]], None]


def route_to(client: str) -> Route:
    upstream = SOURCE[client]
    return Route(client, upstream, CASE.model(client), CASE.model(upstream), stream=True)


def translate_stream(client: str) -> tuple[Any, dict[str, Any]]:
    """The provider's stream, and what the reference makes of it, as events."""
    route = route_to(client)
    session = ReferenceTranslator().open(route)
    session.request(CASE.exchanges(client)[0].request)
    sent = CASE.exchanges(route.upstream)[0].stream()
    return parse(sent), parse(b"".join(session.stream([sent])))


def must_places(client: str, change: Change) -> dict[str, list[str]]:
    """The MUST rules that a changed stream breaks, each with the places."""
    source, output = translate_stream(client)
    change(output)
    findings = HARNESS.judge.stream(source, parse(dump(output["events"])), Ends(client, SOURCE[client])).findings
    rules: dict[str, list[str]] = {}
    for finding in findings:
        if finding.is_must:
            rules.setdefault(finding.rule, []).append(finding.pointer)
    return rules


def entries(event: dict[str, Any]) -> list[dict[str, Any]]:
    data = event["data"]
    choices = data.get("choices") if isinstance(data, dict) else None
    tool_calls: list[dict[str, Any]] = (choices[0]["delta"].get("tool_calls") or []) if choices else []
    return tool_calls


def stray(output: dict[str, Any]) -> None:
    """Arguments at a new index and under a new id, after the calls of a stream of Chat."""
    events = output["events"]
    last = max(place for place, event in enumerate(events) if entries(event))
    piece = copy.deepcopy(events[last])
    entries(piece)[:] = [{"index": REAL, "id": "call_nobody", "function": {"arguments": '{"query'}}]
    events.insert(last + 1, piece)


def test_a_call_of_nobody_is_one_fault() -> None:
    assert [*must_places("openai_chat", stray)] == ["translation/call-invented"]


@pytest.mark.parametrize(
    ("key", "rule"), [("id", "openai_chat/stream-call-id"), ("type", "openai_chat/stream-call-type")]
)
def test_the_same_fault_of_a_real_call_is_reported(key: str, rule: str) -> None:
    def change(output: dict[str, Any]) -> None:
        stray(output)
        first = next(entry for event in output["events"] for entry in entries(event))
        del first[key]

    pointers = must_places("openai_chat", change)
    assert "translation/call-invented" in pointers
    assert len(pointers[rule]) == 1


def test_where_a_call_lacks_something_the_pieces_may_be_its_own() -> None:
    """The second call's fragments go to an index and an id of their own: what makes the call of nobody is the index."""

    def change(output: dict[str, Any]) -> None:
        for event in output["events"]:
            for entry in entries(event):
                if entry["index"] == 1 and "id" not in entry:
                    entry.update(index=REAL, id="call_nobody")

    pointers = must_places("openai_chat", change)
    assert {"translation/call-invented", "translation/arguments", "openai_chat/stream-call-name"} <= pointers.keys()


def test_an_index_that_a_call_of_nobody_takes_from_another_is_reported() -> None:
    """The official client adds its pieces to the earlier call."""

    def change(output: dict[str, Any]) -> None:
        events = output["events"]
        last = max(place for place, event in enumerate(events) if entries(event))
        piece = copy.deepcopy(events[last])
        function = {"name": "nobody", "arguments": "{}"}
        entries(piece)[:] = [{"index": 0, "id": "call_nobody", "type": "function", "function": function}]
        events.insert(last + 1, piece)

    assert [*must_places("openai_chat", change)] == ["openai_chat/stream-call-own-index", "translation/call-invented"]


def test_half_a_call_in_every_format() -> None:
    def block(output: dict[str, Any]) -> None:
        events = output["events"]
        index = max(event["data"].get("index", -1) for event in events) + 1
        place = next(number for number, event in enumerate(events) if event["data"]["type"] == "message_delta")
        started = {"type": "tool_use", "id": "toolu_nobody", "name": "", "input": {}}
        events[place:place] = [
            {"event": kind, "data": {"type": kind, "index": index, **more}}
            for kind, more in (
                ("content_block_start", {"content_block": started}),
                ("content_block_delta", {"delta": {"type": "input_json_delta", "partial_json": '{"a'}}),
                ("content_block_stop", {}),
            )
        ]

    def item(output: dict[str, Any]) -> None:
        events = output["events"]
        end = events[-1]["data"]
        index = len(end["response"]["output"])
        call = {"type": "function_call", "id": "fc_nobody", "call_id": "call_nobody", "name": "", "arguments": ""}
        done = {**call, "arguments": '{"a', "status": "completed"}
        added: list[dict[str, Any]] = [
            {"type": "response.output_item.added", "item": {**call, "status": "in_progress"}},
            {"type": "response.function_call_arguments.delta", "item_id": "fc_nobody", "delta": '{"a'},
            {"type": "response.function_call_arguments.done", "item_id": "fc_nobody", "arguments": '{"a'},
            {"type": "response.output_item.done", "item": done},
        ]
        end["response"]["output"].append(done)
        number = end["sequence_number"]
        events[-1:-1] = [
            {"event": data["type"], "data": {**data, "output_index": index, "sequence_number": number + place}}
            for place, data in enumerate(added)
        ]
        end["sequence_number"] = number + len(added)

    def part(output: dict[str, Any]) -> None:
        last = output["events"][-1]["data"]["candidates"][0]
        last.setdefault("content", {"role": "model", "parts": []}).setdefault("parts", []).append(
            {"functionCall": {"args": {"a": 1}, "id": "nobody"}}
        )

    for client, change in (("anthropic", block), ("openai_responses", item), ("gemini", part)):
        assert [*must_places(client, change)] == ["translation/call-invented"], client


def test_in_a_reply_that_is_no_stream() -> None:
    ends = Ends("openai_chat", "anthropic")
    [first, *_] = CASE.exchanges("openai_chat")
    [reply, *_] = CASE.exchanges("anthropic")
    output = copy.deepcopy(first.response)
    calls = output["choices"][0]["message"]["tool_calls"]
    calls.append({"function": {"name": "nobody", "arguments": '{"a'}})
    findings = HARNESS.judge.response(reply.response, output, ends).findings
    assert [finding.rule for finding in findings if finding.is_must] == ["translation/call-invented"]
    del calls[0]["type"]
    again = HARNESS.judge.response(reply.response, output, ends).findings
    assert [finding.pointer for finding in again if finding.rule.startswith("openai_chat/")] == [
        "/choices/0/message/tool_calls/0"
    ]


@pytest.mark.parametrize("extra", [{"name": ""}, {"name": "no name"}, {"name": "x" * 200}])
def test_what_is_wrong_within_a_tool_that_nobody_declared_is_not_reported(extra: dict[str, Any]) -> None:
    route = Route("openai_chat", "anthropic", CASE.model("openai_chat"), CASE.model("anthropic"))
    source = CASE.exchanges("openai_chat")[0].request
    sent = copy.deepcopy(ReferenceTranslator().open(route).request(source))
    sent["tools"].append(copy.deepcopy(sent["tools"][-1]) | {"description": "Something else."} | extra)
    findings = HARNESS.judge.request(source, sent, Ends("openai_chat", "anthropic")).findings
    assert [finding.rule for finding in findings if finding.is_must] == ["translation/tool-invented"]


def test_the_name_of_a_declared_tool_is_a_fault() -> None:
    route = Route("openai_chat", "anthropic", CASE.model("openai_chat"), CASE.model("anthropic"))
    source = CASE.exchanges("openai_chat")[0].request
    sent = copy.deepcopy(ReferenceTranslator().open(route).request(source))
    sent["tools"][0]["name"] = ""
    findings = HARNESS.judge.request(source, sent, Ends("openai_chat", "anthropic")).findings
    assert "anthropic/tool-name" in {finding.rule for finding in findings if finding.is_must}
