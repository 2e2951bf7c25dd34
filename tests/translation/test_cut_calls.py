"""A call that the end of its reply cut off: kept as broken text, or left out; never repaired, never emptied."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import frame_events
from toolcall_conformance.basics.streaming import parse

CUT, WHOLE = '{"path": "/etc/hosts", "content": "line1', '{"path": "/etc/hosts", "content": "line1"}'
FIRST = '{"path": "a"}'
AS_WHOLE = "translation/cut-call-as-whole"
USAGE = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
HEAD = {"id": "chatcmpl-1", "created": 1760000000, "model": "gpt-4.1-2025-04-14"}
ENDS = {"length": "max_output_tokens", "content_filter": "content_filter"}


def reply(name: str, texts: list[str | None], finish: str = "length") -> dict[str, Any]:
    """A reply with a call for each of the texts, which are the arguments; None leaves one out."""
    if name == "openai_chat":
        calls = [
            {"id": f"call_{at}", "type": "function", "function": {"name": "write", "arguments": text}}
            for at, text in enumerate(texts)
            if text is not None
        ]
        message = {"role": "assistant", "content": "So.", "refusal": None, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    part = {"type": "output_text", "text": "So.", "annotations": [], "logprobs": []}
    items: list[dict[str, Any]] = [
        {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    ]
    for at, text in enumerate(texts):
        if text is None:
            continue
        status = "incomplete" if text == CUT else "completed"
        call: dict[str, Any] = {"id": f"fc_{at}", "type": "function_call", "call_id": f"call_{at}", "name": "write"}
        items.append({**call, "arguments": text, "status": status})
    is_cut = finish in ENDS
    usage = {"input_tokens": 7, "output_tokens": 5, "total_tokens": 12}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1760000000,
        "model": "gpt-4.1-2025-04-14",
        "status": "incomplete" if is_cut else "completed",
        "output": items,
        "usage": usage,
        "error": None,
        "incomplete_details": {"reason": ENDS[finish]} if is_cut else None,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }


def stream_reply(texts: list[str | None], finish: str = "length") -> bytes:
    """The same reply of Chat as a stream."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "So."}]
    for index, (at, text) in enumerate((at, text) for at, text in enumerate(texts) if text is not None):
        opened: dict[str, Any] = {
            "id": f"call_{at}",
            "type": "function",
            "function": {"name": "write", "arguments": ""},
        }
        deltas.append({"tool_calls": [{"index": index, **opened}]})
        deltas.append({"tool_calls": [{"index": index, "function": {"arguments": text}}]})
    entries: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    entries.append({"index": 0, "delta": {}, "finish_reason": finish})
    chunks: list[Any] = [{**HEAD, "object": "chat.completion.chunk", "choices": [entry]} for entry in entries]
    chunks.append({**HEAD, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
    return frame_events("openai_chat", [*chunks, "[DONE]"])


def messages(texts: list[str | None], stop: str = "max_tokens") -> bytes:
    """The same reply of Anthropic as a stream."""
    usage = {"input_tokens": 7, "output_tokens": 5}
    start: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant"}
    start["model"] = "claude-sonnet-4-5-20250929"
    start |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    for at, text in enumerate(texts):
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": "write", "input": {}}
        events.append({"type": "content_block_start", "index": at, "content_block": block})
        delta = {"type": "input_json_delta", "partial_json": text}
        events.append({"type": "content_block_delta", "index": at, "delta": delta})
        events.append({"type": "content_block_stop", "index": at})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]
    return frame_events("anthropic", events)


def broken_rules(upstream: str, client: str, source: dict[str, Any], like: dict[str, Any]) -> set[str]:
    """The rules that the translation of ``like`` breaks as one of ``source``."""
    output = open_way(client, upstream).response(like)
    findings = judge(source, output, client=client, upstream=upstream, direction="response").findings
    return {finding.rule for finding in findings if finding.is_must}


def broken_stream_rules(client: str, source: bytes, like: bytes, upstream: str = "openai_chat") -> set[str]:
    output = parse(b"".join(open_way(client, upstream, stream=True).stream([like])))
    findings = judge_stream(output, source=parse(source), client=client, upstream=upstream).findings
    return {finding.rule for finding in findings if finding.is_must}


ROUTES = [(upstream, client) for upstream in ("openai_chat", "openai_responses") for client in FORMATS]


@pytest.mark.parametrize("finish", ENDS)
@pytest.mark.parametrize(("upstream", "client"), ROUTES)
def test_a_whole_reply(upstream: str, client: str, finish: str) -> None:
    source = reply(upstream, [FIRST, CUT], finish)
    assert broken_rules(upstream, client, source, source) == set()
    assert broken_rules(upstream, client, source, reply(upstream, [FIRST], finish)) == set()
    for text in (WHOLE, "{}"):
        assert broken_rules(upstream, client, source, reply(upstream, [FIRST, text], finish)) == {AS_WHOLE}, text
    assert "translation/call-lost" in broken_rules(upstream, client, source, reply(upstream, [None, CUT], finish))


@pytest.mark.parametrize("client", FORMATS)
def test_a_stream(client: str) -> None:
    source = stream_reply([FIRST, CUT])
    assert broken_stream_rules(client, source, source) == set()
    assert broken_stream_rules(client, source, stream_reply([FIRST])) == set()
    for text in (WHOLE, "{}"):
        assert broken_stream_rules(client, source, stream_reply([FIRST, text])) == {"translation/stream-cut-call"}, text
    assert "translation/call-lost" in broken_stream_rules(client, source, stream_reply([None, CUT]))


@pytest.mark.parametrize("client", FORMATS)
def test_a_stream_of_anthropic(client: str) -> None:
    source = messages([FIRST, CUT])
    assert broken_stream_rules(client, source, messages([FIRST]), "anthropic") == set()
    for text in (WHOLE, "{}"):
        rules = broken_stream_rules(client, source, messages([FIRST, text]), "anthropic")
        assert rules == {"translation/stream-cut-call"}, text


@pytest.mark.parametrize(("upstream", "client"), ROUTES)
def test_the_end_of_a_reply_without_the_call_must_say_that_it_was_cut(upstream: str, client: str) -> None:
    source = reply(upstream, [FIRST, CUT])
    rules = broken_rules(upstream, client, source, reply(upstream, [FIRST], "tool_calls"))
    assert {"translation/call-lost", "translation/finish-reason"} <= rules
    streams = stream_reply([FIRST, CUT]), stream_reply([FIRST], "tool_calls")
    assert {"translation/call-lost", "translation/finish-reason"} <= broken_stream_rules(client, *streams)


@pytest.mark.parametrize("client", FORMATS)
def test_what_has_not_begun_may_be_left_out(client: str) -> None:
    source = reply("openai_chat", [FIRST, ""])
    assert broken_rules("openai_chat", client, source, reply("openai_chat", [FIRST])) == set()
    assert broken_rules("openai_chat", client, source, reply("openai_chat", [FIRST, "{}"])) == set()
    complete_reply = reply("openai_chat", [FIRST, ""], "tool_calls")
    lost = broken_rules("openai_chat", client, complete_reply, reply("openai_chat", [FIRST], "tool_calls"))
    assert "translation/call-lost" in lost


def test_free_text_shows_no_end() -> None:
    source, without = reply("openai_responses", [FIRST]), reply("openai_responses", [FIRST])
    call = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_9", "name": "patch", "input": "*** Begin"}
    source["output"].append(call)
    for client in FORMATS:
        assert broken_rules("openai_responses", client, source, without) == set()
    source["output"].append(source["output"][0] | {"id": "msg_2"})
    without["output"].append(source["output"][-1])
    assert "translation/call-lost" in broken_rules("openai_responses", "openai_chat", source, without)


@pytest.mark.parametrize(
    ("arguments", "level"),
    [
        ({"raw": CUT}, None),
        ({"error": f"the arguments were cut: {CUT}"}, "SHOULD"),
        ({"raw": CUT[:20]}, "SHOULD"),
        ({"raw": ""}, "MUST"),
        ({"raw": "line1"}, "MUST"),
        ({"path": "/etc/hosts"}, "MUST"),
    ],
)
def test_what_shows_that_a_call_was_cut(arguments: dict[str, Any], level: str | None) -> None:
    source = reply("openai_chat", [CUT])
    output = open_way("anthropic", "openai_chat").response(source)
    output["content"][-1]["input"] = arguments
    findings = judge(source, output, client="anthropic", upstream="openai_chat", direction="response").findings
    levels = {finding.rule: str(finding.level) for finding in findings if not finding.is_note}
    rule = AS_WHOLE if level == "MUST" else "translation/unreadable-arguments"
    assert levels == ({} if level is None else {rule: level})


def test_emptied_arguments_in_other_formats_are_a_warning() -> None:
    """The end of the reply does not say that the call was cut: the model wrote it so."""
    source, emptied = reply("openai_chat", [CUT], "tool_calls"), reply("openai_chat", ["{}"], "tool_calls")
    output = open_way("anthropic", "openai_chat").response(emptied)
    findings = judge(source, output, client="anthropic", upstream="openai_chat", direction="response").findings
    assert [(finding.rule, str(finding.level)) for finding in findings if not finding.is_note] == [
        ("translation/unreadable-arguments", "SHOULD")
    ]
