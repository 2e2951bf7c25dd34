"""A Chat stream has token counts only where the request asks for them."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks.streams.token_counts import drop_unasked_counts
from toolcall_conformance.library import load_corpus

CLAUDE: dict[str, Any] = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5-20250929",
    "content": [{"type": "text", "text": "Clean."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 100, "cache_read_input_tokens": 50, "output_tokens": 3},
}
CHAT: dict[str, Any] = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Clean."}, "finish_reason": "stop"}],
}
COUNTED = CHAT | {"usage": {"prompt_tokens": 150, "completion_tokens": 3, "total_tokens": 153}}
ASKED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.parametrize(
    ("request_", "levels"),
    [
        ({"messages": []}, {"MUST"}),
        (None, {"MUST"}),
        (ASKED, {"MUST"}),
        ({"stream": True}, {"NOTE"}),
        ({"stream": True, "stream_options": None}, {"NOTE"}),
    ],
)
def test_counts_that_are_gone(request_: Any, levels: set[str]) -> None:
    judgement = judge(CLAUDE, CHAT, client="openai_chat", upstream="anthropic", direction="response", request=request_)
    assert {finding.level.name for finding in judgement.findings if finding.rule == "translation/usage-lost"} == levels


@pytest.mark.parametrize(("request_", "level"), [(None, "SHOULD"), ({"stream": True}, "NOTE"), (ASKED, "MUST")])
def test_counts_of_a_stream(request_: Any, level: str) -> None:
    chunk = '{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":'
    data = f'data: {chunk}{{"role":"assistant","content":"Clean."}},"finish_reason":null}}]}}\n\n'
    data += f'data: {chunk}{{}},"finish_reason":"stop"}}]}}\n\ndata: [DONE]\n\n'
    judgement = judge_stream(
        parse(data.encode()), client="openai_chat", upstream="anthropic", source=CLAUDE, request=request_
    )
    assert {finding.level.name for finding in judgement.findings if finding.rule == "translation/usage-lost"} == {level}


def test_cached_tokens_that_are_untold() -> None:
    judgement = judge(CLAUDE, COUNTED, client="openai_chat", upstream="anthropic", direction="response", request={})
    assert [(finding.rule, finding.level.name) for finding in judgement.findings] == [
        ("translation/usage-details", "SHOULD")
    ]
    usage = COUNTED["usage"] | {"prompt_tokens_details": {"cached_tokens": 50}}
    judgement = judge(
        CLAUDE, COUNTED | {"usage": usage}, client="openai_chat", upstream="anthropic", direction="response", request={}
    )
    assert judgement.findings == ()


@pytest.mark.parametrize(
    ("client", "source", "sent", "is_fault"),
    [
        ("anthropic", {"stream": True}, {"stream": True}, True),
        ("anthropic", {}, {"stream": True}, True),
        ("gemini", {}, {"stream": True}, True),
        ("openai_chat", {}, {"stream": True}, True),
        ("openai_chat", ASKED, {"stream": True}, True),
        ("openai_chat", ASKED, {"stream": True, "stream_options": {"include_usage": False}}, True),
        ("openai_chat", {"stream": True}, {"stream": True}, False),
        ("openai_chat", {"stream": True}, ASKED, False),
        ("openai_responses", {"stream": True}, ASKED, False),
        ("openai_responses", {"stream": True}, {}, False),
        ("openai_responses", {"stream": True}, {"stream": False}, False),
    ],
)
def test_request_for_counts(client: str, source: Any, sent: Any, is_fault: bool) -> None:
    """A whole reply always has counts, and so has a stream of any other API."""
    sent |= {"model": "gpt-4.1-2025-04-14", "messages": [{"role": "user", "content": "Go on."}]}
    judgement = judge(source, sent, client=client, upstream="openai_chat", direction="request")
    assert ("translation/usage-not-requested" in {finding.rule for finding in judgement.findings}) is is_fault


@pytest.mark.parametrize("options", [{"include_usage": True}, {"include_usage": False}, None])
def test_provider_counts_if_asked(options: Any) -> None:
    chunk = 'data: {"object":"chat.completion.chunk","choices":[%s],"usage":%s}\n\n'
    delta_event, end = chunk % ('{"delta":{}}', "null"), "data: [DONE]\n\n"
    beside = chunk % ('{"delta":{}}', '{"total_tokens":3}')
    stream = (delta_event + beside + chunk % ("", '{"total_tokens":3}') + end).encode()
    played = drop_unasked_counts(load_corpus(), "openai_chat", stream, {"stream": True, "stream_options": options})
    if options and options["include_usage"]:
        assert played == stream
    else:
        assert played == (delta_event.replace(',"usage":null', "") + beside + end).encode()
    assert drop_unasked_counts(load_corpus(), "anthropic", stream, {"stream": True}) == stream
    assert drop_unasked_counts(load_corpus(), "openai_chat", stream, None) == stream
