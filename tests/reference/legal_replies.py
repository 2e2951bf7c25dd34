"""Legal replies of every format, made by chance; ``legal_bodies`` has the requests."""

from __future__ import annotations

import json
from random import Random

from reference.legal_bodies import NAMES, SCHEMAS, Body, BodyGenerator, model


def reply(chance: Random, name: str) -> Body:
    """A reply with texts, calls, both or neither, and every reason why replies end."""
    drawn = BodyGenerator(chance, name)
    drawn.tools = [(tool_name, SCHEMAS[0]) for tool_name in NAMES]
    texts = [drawn.text() for _ in range(chance.choice((0, 1, 1, 2)))]
    calls = [drawn.call() for _ in range(chance.choice((0, 0, 1, 1, 2, 3)))]
    return {"anthropic": _anthropic, "gemini": _gemini, "openai_chat": _chat, "openai_responses": _responses}[name](
        drawn, texts, calls
    )


Calls = list[tuple[str, str]]


def _counts(drawn: BodyGenerator) -> tuple[int, int]:
    return drawn.choose((1, 40)), drawn.choose((0, 1, 20))


def _anthropic(drawn: BodyGenerator, texts: list[str], calls: Calls) -> Body:
    blocks: list[Body] = [{"type": "text", "text": text, **drawn.maybe(citations=None)} for text in texts]
    blocks += [
        {
            "type": "tool_use",
            "id": call_id,
            "name": name,
            "input": drawn.arguments(),
            **drawn.maybe(caller={"type": "direct"}),
        }
        for name, call_id in calls
    ]
    if drawn.odds():
        blocks.insert(0, {"type": "thinking", "thinking": drawn.choose(("Hm.", "")), "signature": "c2ln"})
    if drawn.odds(0.1):
        blocks.insert(0, {"type": "redacted_thinking", "data": "ZGF0YQ=="})
    input_count, output_count = _counts(drawn)
    ends = ("tool_use", "max_tokens") if calls else ("end_turn", "max_tokens", "refusal", "stop_sequence")
    end = drawn.choose(ends)
    return {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": model("anthropic"),
        "content": blocks,
        "stop_reason": end,
        "stop_sequence": "END" if end == "stop_sequence" else None,
        "usage": {
            "input_tokens": input_count,
            "output_tokens": output_count,
            **drawn.maybe(cache_read_input_tokens=drawn.choose((0, 7))),
        },
    }


def _gemini(drawn: BodyGenerator, texts: list[str], calls: Calls) -> Body:
    parts: list[Body] = [{"text": text} for text in texts]
    with_ids = drawn.odds()
    parts += [
        {
            "functionCall": {
                "name": name,
                **({"id": call_id} if with_ids else {}),
                **({"args": drawn.arguments()} if drawn.odds(0.9) else {}),
            }
        }
        for name, call_id in calls
    ]
    if parts and drawn.odds():
        parts[drawn.chance.randrange(len(parts))]["thoughtSignature"] = "c2ln"
    if drawn.odds(0.2):
        parts.insert(0, {"text": "Hm.", "thought": True})
    input_count, output_count = _counts(drawn)
    ends = ("STOP",) if calls else ("STOP", "MAX_TOKENS", "SAFETY", "RECITATION")
    content: Body = {"role": "model"} | ({"parts": parts} if parts else {})
    usage = {
        "promptTokenCount": input_count,
        "candidatesTokenCount": output_count,
        "totalTokenCount": input_count + output_count,
    }
    return {
        "candidates": [{"content": content, "finishReason": drawn.choose(ends), **drawn.maybe(index=0)}],
        "usageMetadata": usage,
        "modelVersion": model("gemini"),
        "responseId": "r1",
    }


def _chat(drawn: BodyGenerator, texts: list[str], calls: Calls) -> Body:
    message: Body = {
        "role": "assistant",
        "content": "".join(texts) or drawn.choose((None, "")),
        **drawn.maybe(annotations=[]),
    }
    message["refusal"] = None
    if not texts and not calls and drawn.odds():
        message["refusal"] = "I cannot help with that."
    elif not texts and drawn.odds():
        message["audio"] = {"id": "audio_1", "data": "UklGRg==", "expires_at": 1760000900, "transcript": drawn.text()}
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": drawn.arguments_text()}}
            for name, call_id in calls
        ]
    if calls and drawn.odds(0.2):
        given_id = f"call_{len(calls) + 1:024}"
        custom = {"name": "patch", "input": drawn.choose(("*** Begin", "", '{"a": 1}'))}
        message["tool_calls"].append({"id": given_id, "type": "custom", "custom": custom})
    input_count, output_count = _counts(drawn)
    ends = ("tool_calls", "stop") if calls else ("stop", "length", "content_filter")
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1760000000,
        "model": model("openai_chat"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": drawn.choose(ends)}],
        "usage": {
            "prompt_tokens": input_count,
            "completion_tokens": output_count,
            "total_tokens": input_count + output_count,
        },
        **drawn.maybe(system_fingerprint=None, service_tier="default"),
    }


def _responses(drawn: BodyGenerator, texts: list[str], calls: Calls) -> Body:
    output: list[Body] = []
    for number, text in enumerate(texts):
        part = {"type": "output_text", "text": text, "annotations": [], **drawn.maybe(logprobs=[])}
        output.append(
            {"type": "message", "id": f"msg_{number}", "status": "completed", "role": "assistant", "content": [part]}
        )
    for name, call_id in calls:
        # Only what is JSON: a call of the API that is complete holds nothing else.
        text = json.dumps(drawn.arguments())
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{call_id}",
                "call_id": call_id,
                "name": name,
                "arguments": text,
                "status": "completed",
            }
        )
    if drawn.odds():
        summary = [{"type": "summary_text", "text": "Hm."}] if drawn.odds() else []
        output.insert(
            0, {"type": "reasoning", "id": "rs_1", "summary": summary, **drawn.maybe(encrypted_content="c2ln")}
        )
    if drawn.odds(0.1):
        refusal = {"type": "refusal", "refusal": "I cannot help with that."}
        message = {"type": "message", "id": "msg_r", "status": "completed", "role": "assistant", "content": [refusal]}
        output.append(message)
    input_count, output_count = _counts(drawn)
    cut = not calls and drawn.odds(0.2)
    reason = drawn.choose(("max_output_tokens", "content_filter"))
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1760000000,
        "status": "incomplete" if cut else "completed",
        "error": None,
        "incomplete_details": {"reason": reason} if cut else None,
        "instructions": None,
        "model": model("openai_responses"),
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "max_output_tokens": None,
        "previous_response_id": None,
        "metadata": {},
        "usage": {
            "input_tokens": input_count,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output_count,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input_count + output_count,
        },
    }
