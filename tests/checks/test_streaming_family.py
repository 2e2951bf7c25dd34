"""What each case of the family ``streaming`` is for: a naive translator of its shape, and the rule that sees it.

Such a translator is the reference behind a reader, or before a writer, that has one fault.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from checks.test_stream import Change, play, rules
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import load_corpus
from toolcall_conformance.streaming import dump, parse

CORPUS = load_corpus()
Event = dict[str, Any]
Edit = Callable[[Event, dict[str, Any]], Iterable[Event]]
END_OF_CHAT = [{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}, "[DONE]"]


def _events(chunks: Iterable[bytes], edit: Edit) -> Iterator[bytes]:
    state: dict[str, Any] = {}
    for chunk in chunks:
        for event in parse(chunk)["events"]:
            found = list(edit(copy.deepcopy(event), state))
            if found:
                yield dump(found)


def reading(edit: Edit) -> Change:
    return lambda stream, chunks: stream(_events(chunks, edit))


def writing(edit: Edit) -> Change:
    return lambda stream, chunks: _events(stream(chunks), edit)


def _entries(event: Event) -> list[Any]:
    """The entries of a Chat delta's calls."""
    data = event["data"]
    choices = data.get("choices", []) if isinstance(data, dict) else []
    found: list[Any] = choices[0]["delta"].get("tool_calls", []) if choices else []
    return found


def _parses_each_fragment(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        if entry["function"]["arguments"][:1] not in ("", "{"):
            entry["function"]["arguments"] = ""
    yield event


def _encodes_each_fragment(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        entry["function"]["arguments"] = entry["function"]["arguments"].encode("utf-8", "replace").decode()
    yield event


def _first_chunk_is_the_role(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if _entries(event) and event["data"]["choices"][0]["delta"].get("role"):
        del event["data"]["choices"][0]["delta"]["tool_calls"]
    yield event


def _one_entry_a_chunk(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    del _entries(event)[1:]
    yield event


def _index_ignored(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        if entry.get("id"):
            state["last"] = entry["index"]
        entry["index"] = state["last"]
    yield event


def _empty_is_the_end(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        if entry["function"]["arguments"] == "":
            state["ended"] = True
        if state.get("ended"):
            entry["function"]["arguments"] = ""
    yield event


def _nothing_for_no_arguments(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        if entry["function"].get("arguments") == "{}":
            entry["function"]["arguments"] = ""
    yield event


def _opens_at_the_first_delta(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    kind = event["data"]["type"]
    if kind == "content_block_start" and event["data"]["content_block"]["type"] == "tool_use":
        state["held"] = event
    elif kind == "content_block_delta" and "held" in state:
        yield from (state.pop("held"), event)
    elif kind == "content_block_stop" and "held" in state:
        del state["held"]
    else:
        yield event


def _start_is_the_first_fragment(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    yield event
    if event["data"].get("content_block", {}).get("type") == "tool_use":
        delta = {"type": "input_json_delta", "partial_json": "{}"}
        data = {"type": "content_block_delta", "index": event["data"]["index"], "delta": delta}
        yield {"event": "content_block_delta", "data": data}


def _every_id_opens_a_call(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        state["calls"] = entry["index"] = state.get("calls", -1) + 1
        entry["id"] = f"{entry['id']}_{entry['index']}"
    yield event


def _no_index_is_zero(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        entry.setdefault("index", 0)
    yield event


def _known_by_index(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        if entry["index"] in state:
            entry.pop("id", None)
        state[entry["index"]] = True
    yield event


def _stop_is_the_end(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if event["data"]["type"] == "message_delta":
        event["data"]["delta"]["stop_reason"] = "end_turn"
    yield event


def _knows_all_events(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if event["data"]["type"] == "keepalive":
        raise ValueError("Unhandled response stream event")
    yield event


def _splits_lines(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from stream("\n".join(chunk.decode().splitlines()).encode() + b"\n\n" for chunk in chunks)


def _counts_in_each_record(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        entry["index"] = 0
    yield event


def _whole_arguments_only(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for part in event["data"]["candidates"][0]["content"].get("parts", ()):
        part.get("functionCall", {}).pop("partialArgs", None)
    yield event


def _deltas_only(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    data = event["data"]
    for item in (data, data.get("item", {}), *data.get("response", {}).get("output", ())):
        if "arguments" in item:
            item["arguments"] = ""
    yield event


def _calls_come_last(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    if event["data"].get("content_block", {}).get("type") == "tool_use":
        state["call"] = event["data"]["index"]
    if "call" not in state or event["data"].get("index", 0) <= state["call"]:
        yield event


def _loses_what_follows_thoughts(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    """The chunk with which another kind of block begins is gone."""
    delta = event["data"]["choices"][0]["delta"] if isinstance(event["data"], dict) and event["data"]["choices"] else {}
    if delta.get("content") and state.pop("thought", False):
        return
    state["thought"] = bool(delta.get("reasoning_content"))
    yield event


def _text_goes_into_the_open_block(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    """No block is opened for a text behind a call: the call's is taken."""
    data = event["data"]
    if data.get("content_block", {}).get("type") == "tool_use":
        state["call"] = data["index"]
    if "index" not in data or data["index"] <= state.get("call", data["index"]):
        yield event
    elif data["type"] == "content_block_delta":
        data["index"] = state["call"]
        yield event


def _stops_at_the_finish(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    data = event["data"]
    if not state.get("over"):
        yield event
    if isinstance(data, dict) and data["choices"] and data["choices"][0]["finish_reason"]:
        state["over"] = True
        yield {"data": "[DONE]"}


def _reads_content_alone(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if isinstance(event["data"], dict) and event["data"]["choices"]:
        event["data"]["choices"][0]["delta"].pop("refusal", None)
    yield event


def _an_error_is_the_end(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if isinstance(event["data"], dict) and "error" in event["data"]:
        yield from ({"data": data} for data in END_OF_CHAT)
    else:
        yield event


def _silence_is_the_end(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    def closed() -> Iterator[bytes]:
        seen = b""
        for chunk in chunks:
            seen += chunk
            yield chunk
        if b"[DONE]" not in seen:
            yield dump([{"data": data} for data in END_OF_CHAT])

    yield from stream(closed())


def _a_call_is_a_call(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    """Limit or not: the reply has calls."""
    if event["data"]["type"] == "message_delta":
        event["data"]["delta"]["stop_reason"] = "tool_use"
    yield event


def _repairs(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    """Closes strings and braces of a call that was cut."""
    if event["data"]["type"] == "content_block_stop" and event["data"]["index"] == 2:
        delta = {"type": "input_json_delta", "partial_json": '"}'}
        yield {
            "event": "content_block_delta",
            "data": {"type": "content_block_delta", "index": 2, "delta": delta},
        }
    yield event


def _every_call_is_the_clients(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    block = event["data"].get("content_block", {})
    if block.get("type") == "server_tool_use":
        block["type"] = "tool_use"
    yield event


def _index_of_the_block(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    for entry in _entries(event):
        entry["index"] += 1
    yield event


def _one_block_for_all(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if "index" in event["data"]:
        event["data"]["index"] = 0
    yield event


def _start_has_no_input(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if event["data"]["type"] == "content_block_start" and "input" in event["data"]["content_block"]:
        event["data"]["content_block"]["input"] = {}
    yield event


def _items_are_added_first(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    kind = event["data"]["type"]
    state["added"] = state.get("added", False) or kind == "response.output_item.added"
    if kind != "response.output_item.done" or state["added"]:
        yield event


def _the_end_has_no_items(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if event["data"]["type"] == "response.completed":
        event["data"]["response"]["output"] = []
    yield event


def _null_ends_the_chunk(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if all(entry["function"].get("arguments") is not None for entry in _entries(event)):
        yield event


def _one_signature_a_reply(event: Event, state: dict[str, Any]) -> Iterable[Event]:
    for part in event["data"]["candidates"][0]["content"].get("parts", ()):
        if "thoughtSignature" in part:
            part["thoughtSignature"] = state.setdefault("signature", part["thoughtSignature"])
    yield event


#: case: client, upstream, the fault, and the rules that see it.
FAULTS: dict[str, tuple[str, str, Change, set[str]]] = {
    "seed": ("openai_chat", "anthropic", writing(_index_of_the_block), {"openai_chat/stream-call-index"}),
    "recorded-shape": ("anthropic", "openai_chat", writing(_one_block_for_all), {"anthropic/stream-block-index"}),
    "one-character-a-fragment": (
        *("anthropic", "openai_chat"),
        reading(_parses_each_fragment),
        {"translation/arguments"},
    ),
    "whole-call-in-one-event": (
        *("anthropic", "openai_chat"),
        reading(_first_chunk_is_the_role),
        {"translation/call-lost"},
    ),
    "both-calls-in-one-chunk": ("gemini", "openai_chat", reading(_one_entry_a_chunk), {"translation/call-lost"}),
    "interleaved-calls": (
        *("anthropic", "openai_chat"),
        reading(_index_ignored),
        {"translation/arguments", "anthropic/stream-arguments-json"},
    ),
    "empty-fragments": (
        *("openai_responses", "openai_chat"),
        reading(_empty_is_the_end),
        {"translation/arguments"},
    ),
    "no-arguments": (
        *("openai_chat", "anthropic"),
        writing(_nothing_for_no_arguments),
        {"openai_chat/stream-arguments-json"},
    ),
    "no-arguments-unsaid": ("openai_chat", "anthropic", reading(_opens_at_the_first_delta), {"translation/call-lost"}),
    "no-arguments-braces": (
        *("openai_responses", "anthropic"),
        reading(_start_is_the_first_fragment),
        {"openai_responses/stream-arguments-json"},
    ),
    "dialect-ids-repeated": (
        *("anthropic", "openai_chat"),
        reading(_every_id_opens_a_call),
        {"translation/call-invented"},
    ),
    "dialect-no-index": (
        *("openai_responses", "openai_chat"),
        reading(_no_index_is_zero),
        {"translation/call-lost"},
    ),
    "dialect-same-index": ("anthropic", "openai_chat", reading(_known_by_index), {"translation/call-lost"}),
    "dialect-reasoning-content": (
        *("anthropic", "openai_chat"),
        reading(_loses_what_follows_thoughts),
        {"translation/text-changed"},
    ),
    "dialect-text-behind-call": (
        *("anthropic", "openai_chat"),
        writing(_text_goes_into_the_open_block),
        {"anthropic/stream-delta-kind"},
    ),
    "stop-beside-forced-call": (
        *("anthropic", "openai_chat"),
        writing(_stop_is_the_end),
        {"anthropic/stream-finish-agrees"},
    ),
    "line-separators": ("anthropic", "openai_chat", _splits_lines, {"translation/call-lost"}),
    "calls-spread-over-records": (
        *("openai_chat", "gemini"),
        writing(_counts_in_each_record),
        {"openai_chat/stream-call-own-index"},
    ),
    "partial-args": ("gemini", "gemini", reading(_whole_arguments_only), {"translation/arguments"}),
    "arguments-only-when-done": (
        *("openai_chat", "openai_responses"),
        reading(_deltas_only),
        {"translation/arguments"},
    ),
    "thinking-before-text-behind": ("gemini", "anthropic", reading(_calls_come_last), {"translation/text-lost"}),
    "hosted-step-between": (
        *("openai_chat", "anthropic"),
        reading(_every_call_is_the_clients),
        {"translation/server-call-as-client-call"},
    ),
    "usage-behind-finish": ("anthropic", "openai_chat", reading(_stops_at_the_finish), {"translation/usage-lost"}),
    "refusal": ("anthropic", "openai_chat", reading(_reads_content_alone), {"translation/text-lost"}),
    "error-amid-arguments": (
        *("anthropic", "openai_chat"),
        reading(_an_error_is_the_end),
        {"translation/stream-error-told"},
    ),
    "lost-amid-arguments": (
        *("gemini", "openai_chat"),
        _silence_is_the_end,
        {"translation/stream-cut-end"},
    ),
    "dialect-input-at-start": ("openai_chat", "anthropic", reading(_start_has_no_input), {"translation/arguments"}),
    "dialect-items-when-done": (
        *("anthropic", "openai_responses"),
        reading(_items_are_added_first),
        {"translation/call-lost", "translation/text-lost"},
    ),
    "dialect-items-at-end": (
        *("openai_chat", "openai_responses"),
        reading(_the_end_has_no_items),
        {"translation/call-lost"},
    ),
    "null-fragments": ("anthropic", "openai_chat", reading(_null_ends_the_chunk), {"translation/call-name"}),
    "two-signatures": ("gemini", "gemini", reading(_one_signature_a_reply), {"translation/reply-state"}),
    "dialect-halves-of-characters": (
        "anthropic",
        "openai_chat",
        reading(_encodes_each_fragment),
        {"translation/arguments"},
    ),
    "limit-amid-arguments": ("anthropic", "openai_chat", writing(_a_call_is_a_call), {"translation/finish-reason"}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_naive_translator_is_seen(name: str) -> None:
    client, upstream, change, seen = FAULTS[name]
    result = play(change, client, upstream, case=f"streaming/{name}")
    assert result.verdict in (Verdict.FAIL, Verdict.WARN)
    assert {finding.rule for finding in result.findings} >= seen


def test_events_that_nobody_knows() -> None:
    case = "streaming/keepalives-and-unknown-events"
    result = play(reading(_knows_all_events), "anthropic", "openai_responses", case=case)
    assert result.verdict is not Verdict.PASS


def test_a_call_that_was_cut_is_not_mended() -> None:
    result = play(writing(_repairs), "anthropic", "openai_responses", case="streaming/limit-amid-arguments")
    assert "translation/stream-cut-call" in rules(result)


def test_every_case_is_for_something() -> None:
    cases = {case.id.split("/")[1] for case in CORPUS.cases.values() if case.family == "streaming"}
    assert cases - {"keepalives-and-unknown-events"} == set(FAULTS)


def _quiet(event: Event, _: dict[str, Any]) -> Iterable[Event]:
    if not (isinstance(event["data"], dict) and "error" in event["data"]):
        yield event


def test_a_stream_that_just_stops_at_an_error_is_told_of() -> None:
    result = play(writing(_quiet), "openai_chat", "anthropic", case="streaming/error-amid-arguments")
    assert rules(result) == set()
    assert "translation/stream-error-as-break" in rules(result, Level.SHOULD)


@pytest.mark.parametrize("name", ["error-amid-arguments", "lost-amid-arguments"])
def test_raising_tells_of_it(name: str) -> None:
    def raises(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        said = b""
        for piece in stream(chunks):
            said += piece
            yield piece
        if b"message_stop" not in said:
            raise ConnectionError("the upstream's stream broke")

    assert play(raises, "anthropic", "openai_chat", case=f"streaming/{name}").verdict is Verdict.PASS
