"""Replies that are no whole answer: what may take their place, and what may not."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance.basics.contract import Refused
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus

USAGE = {"input_tokens": 12, "output_tokens": 0, "total_tokens": 12}
APPROVAL = {
    "id": "mcpr_1",
    "type": "mcp_approval_request",
    "arguments": "{}",
    "name": "delete_event",
    "server_label": "calendar",
}


def responses(output: list[Any], status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": status, "output": output, "usage": USAGE, **more}


def gemini(*parts: Any, reason: str = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}]}


def anthropic(*content: Any, reason: str = "end_turn") -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "role": "assistant", "content": list(content), "stop_reason": reason}


def chat(content: str | None, finish: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": None, **more}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4.1-2025-04-14",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
    }


PAUSED = anthropic({"type": "text", "text": "I look at the timetables."}, reason="pause_turn")
NO_ANSWER = [
    ("openai_responses", responses([], "failed", error={"code": "server_error", "message": "it broke"})),
    ("openai_responses", responses([], "cancelled")),
    ("openai_responses", responses([], "queued")),
    ("openai_responses", responses([], "incomplete", incomplete_details={"reason": "content_filter"})),
    ("openai_responses", responses([], "incomplete", incomplete_details={"reason": "max_messages"})),
    ("openai_responses", responses([APPROVAL])),
    *(
        ("gemini", gemini(reason=reason))
        for reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "SAFETY", "RECITATION", "OTHER", "ESCALATION")
    ),
    ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}),
    ("gemini", {"candidates": []}),
    ("gemini", {"error": {"code": 500, "status": "INTERNAL", "message": "it broke"}}),
    ("anthropic", anthropic(reason="refusal")),
    ("anthropic", anthropic(reason="pause_turn")),
]


def levels_by_rule(source: Any, upstream: str, output: Any, **more: Any) -> dict[str, Level]:
    findings = judge(source, output, client="openai_chat", upstream=upstream, direction="response", **more).findings
    return {
        finding.rule: finding.level
        for finding in findings
        if finding.level is not Level.NOTE and finding.element == "finish"
    }


@pytest.mark.parametrize(("upstream", "source"), NO_ANSWER)
def test_an_empty_success_is_a_fault(upstream: str, source: Any) -> None:
    assert levels_by_rule(source, upstream, chat(None, "stop")) == {"translation/empty-success": Level.MUST}
    assert levels_by_rule(source, upstream, chat("", "stop")) == {"translation/empty-success": Level.MUST}


@pytest.mark.parametrize(("upstream", "source"), NO_ANSWER)
def test_what_may_take_its_place(upstream: str, source: Any) -> None:
    """An end as of a filter, words for it, or an error."""
    assert Level.MUST not in levels_by_rule(source, upstream, chat(None, "content_filter")).values()
    spoken = judge(
        source,
        chat("The provider gave no answer.", "stop"),
        client="openai_chat",
        upstream=upstream,
        direction="response",
    )
    assert "translation/empty-success" not in {finding.rule for finding in spoken.findings}
    assert not [
        finding
        for finding in spoken.findings
        if finding.rule == "translation/text-invented" and finding.level != Level.NOTE
    ]
    assert Judge(load_corpus()).may_fail(upstream, source)


@pytest.mark.parametrize(
    ("upstream", "source"),
    [
        ("gemini", gemini()),
        ("gemini", gemini(reason="A_WORD_OF_TOMORROW")),
        ("anthropic", anthropic()),
        ("openai_responses", responses([])),
        ("openai_chat", chat(None, "eos")),
    ],
)
def test_an_empty_reply_that_ended_well_is_one(upstream: str, source: Any) -> None:
    """So is one whose word nobody knows: nothing says that it failed."""
    client = "anthropic" if upstream == "openai_chat" else "openai_chat"
    output = anthropic() if upstream == "openai_chat" else chat(None, "stop")
    findings = judge(source, output, client=client, upstream=upstream, direction="response").findings
    assert "translation/empty-success" not in {finding.rule for finding in findings}
    assert not Judge(load_corpus()).may_fail(upstream, source)


def test_a_reply_that_waits_for_its_client_may_be_handed_on() -> None:
    """The client is asked, though the reply has no text and no call; a member that it does not know changes nothing."""
    request = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"}
    source = responses([request])
    output = {**source, "x_unknown": {"since": 2027}}

    def rules(reply: Any) -> set[str]:
        name = "openai_responses"
        findings = judge(source, reply, client=name, upstream=name, direction="response").findings
        return {finding.rule for finding in findings}

    assert "translation/empty-success" not in rules(output)
    assert "translation/empty-success" in rules({**output, "output": []})


def test_a_reply_that_was_cut_is_no_failure() -> None:
    assert not Judge(load_corpus()).may_fail("gemini", gemini(reason="MAX_TOKENS"))
    assert not Judge(load_corpus()).may_fail("anthropic", PAUSED)


def test_a_pause() -> None:
    """With the text so far, most words that do not end a reply well are near enough; a declared loss, too."""
    words = "I look at the timetables."
    soft = {"translation/paused-reply-reason": Level.SHOULD}
    assert levels_by_rule(PAUSED, "anthropic", chat(words, "length")) == {}
    assert levels_by_rule(PAUSED, "anthropic", chat(words, "stop")) == soft
    assert levels_by_rule(PAUSED, "anthropic", chat(words, "stop"), declared=["finish-pause"]) == {}
    assert levels_by_rule(PAUSED, "anthropic", chat(None, "stop")) == {"translation/empty-success": Level.MUST}
    assert levels_by_rule(PAUSED, "anthropic", chat(None, "stop"), declared=["finish-pause"]) == {
        "translation/empty-success": Level.MUST
    }


def test_a_reply_that_failed_after_its_first_words() -> None:
    failed = gemini({"text": "I look."}, reason="MALFORMED_FUNCTION_CALL")
    soft = {"translation/failed-reply-reason": Level.SHOULD}
    assert levels_by_rule(failed, "gemini", chat("I look.", "stop")) == soft
    assert levels_by_rule(failed, "gemini", chat("I look.", "stop"), declared=["finish-error"]) == {}
    assert levels_by_rule(failed, "gemini", chat("I look.", "length")) == {}


def test_the_reference_refuses_what_nobody_could_answer() -> None:
    from types import SimpleNamespace

    from toolcall_reference import ReferenceTranslator

    route = SimpleNamespace(
        client="openai_chat", upstream="openai_responses", client_model="a", upstream_model="b", stream=False
    )
    with pytest.raises(Exception, match="waits") as raised:
        ReferenceTranslator().open(route).response(responses([APPROVAL]))
    assert type(raised.value).__name__ == Refused.__name__
