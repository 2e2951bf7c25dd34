"""Calls that a provider's own code made and that were answered before: no other format can say that they are over."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge

CODE = "srvtoolu_01"
MADE_BY_CODE = {"type": "code_execution_20250825", "tool_id": CODE}
CALL: dict[str, Any] = {"type": "tool_use", "id": "toolu_01", "name": "tide_times", "input": {"port": "Brest"}}
PRINTED = {"type": "code_execution_result", "stdout": "6:02", "stderr": "", "return_code": 0, "content": []}
CLAUDE: dict[str, Any] = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5-20250929",
    "content": [
        {"type": "server_tool_use", "id": CODE, "name": "code_execution", "input": {"code": "print(tide_times())"}},
        CALL | {"caller": MADE_BY_CODE},
        {"type": "code_execution_tool_result", "tool_use_id": CODE, "content": PRINTED},
        {"type": "text", "text": "High water is at two past six."},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 90, "output_tokens": 40},
}
CHAT_CALL = {"id": "call_1", "type": "function", "function": {"name": "tide_times", "arguments": '{"port":"Brest"}'}}


def chat(finish: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": "High water is at two past six.", "tool_calls": [CHAT_CALL]}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 40, "total_tokens": 130},
    }


def rules(output: dict[str, Any], client: str = "openai_chat") -> set[str]:
    findings = judge(CLAUDE, output, client=client, upstream="anthropic", direction="response").findings
    return {finding.rule for finding in findings if finding.is_must}


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
def test_either_reason_may_end_a_reply_with_answered_calls(finish: str) -> None:
    assert rules(chat(finish)) == set()


def test_another_reason_is_a_fault() -> None:
    assert "translation/finish-reason" in rules(chat("length"))


def test_a_call_of_the_models_own_waits() -> None:
    """As a translator's output, with the result of other code or of none."""
    for block in (CALL, CALL | {"caller": {"type": "direct"}}, CALL | {"caller": MADE_BY_CODE | {"tool_id": "other"}}):
        output = copy.deepcopy(CLAUDE)
        output["content"][1] = block
        assert "anthropic/finish-agrees-with-calls" in rules(output, "anthropic"), block
