"""The losses that the judge notes: what the target cannot say, and nothing that arrived or must arrive."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge, judge_history
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.loss_table import table

SCHEMA = {
    "type": "object",
    "properties": {"at": {"type": "integer"}},
    "required": ["at"],
    "additionalProperties": False,
}
CLAUDE: dict[str, Any] = {
    "model": "claude-sonnet-4-5-20250929",
    "max_tokens": 64,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "context_management": {"edits": [{"type": "clear_tool_uses_20250919"}]},
    "top_k": 5,
    "metadata": {"user_id": "u1"},
    "tools": [{"name": "look", "description": "Looks.", "strict": True, "input_schema": SCHEMA}],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "messages": [
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
                {"type": "text", "text": "First."},
                {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": 9007199254740993}},
                {"type": "text", "text": "Then."},
                {"type": "tool_use", "id": "t2", "name": "look", "input": {"at": 2}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "the lamp is broken", "is_error": True},
                {"type": "tool_result", "tool_use_id": "t2", "content": "fine"},
            ],
        },
    ],
}
CHAT: dict[str, Any] = {
    "model": "gpt-4.1-2025-04-14",
    "max_completion_tokens": 64,
    "parallel_tool_calls": False,
    "user": "u1",
    "tools": [
        {
            "type": "function",
            "function": {"name": "look", "description": "Looks.", "strict": True, "parameters": SCHEMA},
        }
    ],
    "tool_choice": "auto",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Look."},
        {
            "role": "assistant",
            "content": "First.\nThen.",
            "tool_calls": [
                {"id": "t1", "type": "function", "function": {"name": "look", "arguments": '{"at": 9007199254740993}'}},
                {"id": "t2", "type": "function", "function": {"name": "look", "arguments": '{"at": 2}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "the lamp is broken"},
        {"role": "tool", "tool_call_id": "t2", "content": "fine"},
    ],
}
GEMINI: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "generationConfig": {"maxOutputTokens": 64, "topK": 5},
    "tools": [{"functionDeclarations": [{"name": "look", "description": "Looks.", "parametersJsonSchema": SCHEMA}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "contents": [
        {"role": "user", "parts": [{"text": "Look."}]},
        {
            "role": "model",
            "parts": [
                {"text": "First."},
                {"functionCall": {"name": "look", "args": {"at": 9007199254740992}}},
                {"text": "Then."},
                {"functionCall": {"name": "look", "args": {"at": 2}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "look", "response": {"error": "the lamp is broken"}}},
                {"functionResponse": {"name": "look", "response": {"output": "fine"}}},
            ],
        },
    ],
}
BODIES = {"anthropic": CLAUDE, "openai_chat": CHAT, "gemini": GEMINI}


def losses_by_element(client: str, upstream: str, source: Any, output: Any, **more: Any) -> dict[str, tuple[str, int]]:
    """The losses of a request that passes: element to kind and count."""
    model = output.get("model", "gemini-2.5-flash")
    judgement = judge(source, output, client=client, upstream=upstream, upstream_model=model, **more)
    assert not [finding.rule for finding in judgement.findings if finding.level is Level.MUST]
    return {loss.element: (loss.kind, loss.count) for loss in judgement.losses}


def test_what_chat_cannot_say_of_a_messages_request() -> None:
    assert losses_by_element("anthropic", "openai_chat", CLAUDE, CHAT) == {
        "cache-control": ("may", 1),
        "error-mark": ("may", 1),
        "private:context_management": ("cannot", 1),
        "reasoning-text": ("may", 1),
        "signature": ("cannot", 1),
        "text-between-calls": ("cannot", 1),
        "top-k": ("cannot", 1),
    }


def test_what_gemini_cannot_say_of_a_messages_request() -> None:
    assert losses_by_element("anthropic", "gemini", CLAUDE, GEMINI) == {
        "big-integers": ("cannot", 1),
        "cache-control": ("cannot", 1),
        "call-id": ("may", 2),
        "parallel-flag": ("cannot", 1),
        "private:context_management": ("cannot", 1),
        "reasoning-text": ("may", 1),
        "result-id": ("may", 2),
        "signature": ("cannot", 1),
        "tool-strict": ("cannot", 1),
        "user-id": ("cannot", 1),
    }


def put_error_in_words(output: dict[str, Any]) -> None:
    output["messages"][3]["content"] = "Error: the lamp is broken"


def breakpoints(output: dict[str, Any]) -> None:
    part = {"type": "text", "text": "Be brief.", "prompt_cache_breakpoint": {"mode": "explicit"}}
    output["messages"][0]["content"] = [part]


def add_reasoning(output: dict[str, Any]) -> None:
    output["messages"][2]["reasoning_content"] = "Hm."


@pytest.mark.parametrize(
    ("element", "keep"),
    [("error-mark", put_error_in_words), ("cache-control", breakpoints), ("reasoning-text", add_reasoning)],
)
def test_what_a_convention_kept_is_not_lost(element: str, keep: Any) -> None:
    output = copy.deepcopy(CHAT)
    keep(output)
    before, after = (losses_by_element("anthropic", "openai_chat", CLAUDE, body) for body in (CHAT, output))
    assert before.keys() - after.keys() == {element}


@pytest.mark.parametrize(
    ("client", "upstream", "expected"),
    [
        ("openai_chat", "anthropic", set()),
        ("openai_chat", "gemini", {"big-integers", "call-id", "parallel-flag", "result-id", "tool-strict", "user-id"}),
        ("gemini", "anthropic", {"result-name"}),
        ("gemini", "openai_chat", {"error-mark", "result-name", "text-between-calls", "top-k"}),
    ],
)
def test_only_what_the_source_says_can_be_lost(client: str, upstream: str, expected: set[str]) -> None:
    output = copy.deepcopy(BODIES[upstream])
    if (client, upstream) == ("openai_chat", "gemini"):
        del output["contents"][2]["parts"][0]["functionResponse"]["response"]["error"]
        output["contents"][2]["parts"][0]["functionResponse"]["response"]["output"] = "the lamp is broken"
        output["contents"][1]["parts"] = [{"text": "First.\nThen."}, *output["contents"][1]["parts"][1::2]]
        output["generationConfig"] = {"maxOutputTokens": 64}
    if (client, upstream) == ("openai_chat", "anthropic"):
        for key in ("context_management", "top_k"):
            del output[key]
        content = output["messages"][1]["content"]
        output["messages"][1]["content"] = [{"type": "text", "text": "First.\nThen."}, content[2], content[4]]
        output["messages"][2]["content"][0]["is_error"] = False
    if client == "gemini" and upstream == "anthropic":
        for key in ("context_management", "metadata"):
            del output[key]
        output["tool_choice"] = {"type": "auto"}
        del output["messages"][1]["content"][0], output["tools"][0]["strict"]
        output["messages"][1]["content"][1]["input"]["at"] = 9007199254740992
    if client == "gemini" and upstream == "openai_chat":
        del output["user"], output["parallel_tool_calls"], output["tools"][0]["function"]["strict"]
        output["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"at": 9007199254740992}'
    assert losses_by_element(client, upstream, BODIES[client], output).keys() == expected


@pytest.mark.parametrize(("mime", "expected"), [("audio/wav", ("cannot", 1)), ("image/png", None)])
def test_media_of_a_type_that_the_target_does_not_take_are_lost(mime: str, expected: Any) -> None:
    source = {
        "contents": [{"role": "user", "parts": [{"text": "Hear."}, {"inlineData": {"mimeType": mime, "data": "AAAA"}}]}]
    }
    output = {
        "model": "claude-sonnet-4-5-20250929",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hear."}],
    }
    judgement = judge(source, output, client="gemini", upstream="anthropic")
    losses = {loss.element: (loss.kind, loss.count) for loss in judgement.losses}
    assert losses.get("media-user") == expected
    must = {finding.rule for finding in judgement.findings if finding.level is Level.MUST}
    assert must == (set() if expected else {"translation/media-lost"})


def test_a_phase_is_lost_once_a_message_and_only_where_no_key_says_it() -> None:
    texts = [{"type": "output_text", "text": "First."}, {"type": "output_text", "text": "Then."}]
    source = {
        "model": "gpt-5.4",
        "input": [
            {"role": "user", "content": "Look.", "phase": "commentary"},
            {"type": "message", "role": "assistant", "content": texts, "phase": "commentary"},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "Fine.", "phase": None},
            {"role": "user", "content": "Sure?"},
        ],
    }
    turns = [
        ("user", "Look."),
        ("assistant", "First.Then."),
        ("user", "And?"),
        ("assistant", "Fine."),
        ("user", "Sure?"),
    ]
    messages = [{"role": role, "content": text} for role, text in turns]
    lost = {"phase": ("cannot", 1)}
    assert (
        losses_by_element("openai_responses", "openai_chat", source, {"model": "gpt-5.4", "messages": messages}) == lost
    )
    claude = {"model": "claude-sonnet-4-5-20250929", "max_tokens": 9, "messages": messages}
    assert losses_by_element("openai_responses", "anthropic", source, claude) == lost
    contents = [{"role": {"assistant": "model"}.get(role, role), "parts": [{"text": text}]} for role, text in turns]
    assert losses_by_element("openai_responses", "gemini", source, {"contents": contents}) == lost
    assert losses_by_element("openai_responses", "openai_responses", source, source) == {}


def test_what_must_arrive_is_a_finding_and_no_loss() -> None:
    output = copy.deepcopy(CHAT)
    del output["parallel_tool_calls"], output["messages"][2]["tool_calls"][1], output["messages"][4]
    judgement = judge(CLAUDE, output, client="anthropic", upstream="openai_chat")
    assert {"translation/call-lost", "translation/parallel-flag"} <= {finding.rule for finding in judgement.findings}
    assert not {"parallel-flag", "call", "call-id", "result-id"} & {loss.element for loss in judgement.losses}


def test_a_reply_has_its_own_losses() -> None:
    reply = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": "Done"}],
        "stop_reason": "stop_sequence",
        "stop_sequence": "END",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Done", "refusal": None},
                "finish_reason": "stop",
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    }
    judgement = judge(reply, answer, client="openai_chat", upstream="anthropic", direction="response")
    assert [(loss.element, loss.kind) for loss in judgement.losses] == [("finish-stop_sequence", "cannot")]
    back = judge(answer, reply, client="anthropic", upstream="openai_chat", direction="response")
    assert [(loss.element, loss.kind) for loss in back.losses] == [("usage-total", "cannot")]


def test_a_needless_loss_is_reported_as_undue() -> None:
    losses = losses_by_element("anthropic", "openai_chat", CLAUDE, CHAT, declared=["tool-schema", "top-k", "made-up"])
    assert losses["tool-schema"] == ("undue", 1)
    assert losses["top-k"] == ("cannot", 1)
    assert "made-up" not in losses


@pytest.mark.parametrize(("finish", "undue"), [("UNEXPECTED_TOOL_CALL", set()), ("STOP", {"call"})])
def test_a_call_that_its_provider_refused_may_go(finish: str, undue: set[str]) -> None:
    call = {"functionCall": {"name": "look", "args": {"at": 1}}}
    candidate = {"content": {"parts": [call], "role": "model"}, "finishReason": finish, "index": 0}
    reply = {"candidates": [candidate], "modelVersion": "gemini-2.5-flash", "responseId": "r-1"}
    message = {"role": "assistant", "content": None, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "content_filter"}
    answer = {"id": "c", "object": "chat.completion", "created": 1760000000, "model": "m", "choices": [choice]}
    judgement = judge(reply, answer, client="openai_chat", upstream="gemini", direction="response", declared=["call"])
    assert {loss.element for loss in judgement.losses if loss.kind == "undue"} == undue


def test_between_two_ends_of_one_format_there_are_none() -> None:
    assert judge(CLAUDE, CLAUDE, client="anthropic", upstream="anthropic").losses == ()


def test_the_loop_counts_what_its_provider_said_and_nothing_that_the_client_set() -> None:
    """A Chat client before Claude: the thought, its signature and the place of the second text do not come back.

    That the failure has no mark is the client's way to say it: it never came from the provider.
    """
    output = copy.deepcopy(CLAUDE)
    del output["messages"][2]["content"][0]["is_error"]
    content = output["messages"][1]["content"]
    output["messages"][1]["content"] = [{"type": "text", "text": "First.\nThen."}, content[2], content[4]]
    for key in ("top_k", "context_management", "metadata"):
        del output[key]
    judgement = judge_history(CLAUDE, output, client="openai_chat", upstream="anthropic")
    assert {loss.element: (loss.kind, loss.count) for loss in judgement.losses} == {
        "reasoning-text": ("may", 1),
        "signature": ("may", 1),
        "text-between-calls": ("cannot", 1),
    }
    assert judge_history(CLAUDE, CLAUDE, client="openai_chat", upstream="anthropic").losses == ()


def test_the_table_knows_every_loss_above(corpus: Corpus) -> None:
    pairs = table(corpus)["pairs"]
    for client, upstream in (("anthropic", "openai_chat"), ("anthropic", "gemini")):
        rows = {loss["element"]: loss["demand"] for loss in pairs[f"{client}-to-{upstream}"]["request"]}
        for element, (kind, _) in losses_by_element(client, upstream, BODIES[client], BODIES[upstream]).items():
            assert rows.get(element, "cannot" if element.startswith("private:") else None) == kind, element
