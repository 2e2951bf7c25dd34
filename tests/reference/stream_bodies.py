"""Streams put together, and what a client sees in a reply: written from the APIs' documentation, for tests alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.streaming import sse

TRAFFIC = Path(__file__).parents[2].parent / "shared" / "traffic"
SCENARIOS = Path(__file__).parents[2] / "corpus" / "scenarios"
ENDS = {"anthropic": "message_stop", "openai_chat": "[DONE]", "gemini": "finishReason"}


def events(stream: bytes) -> list[dict[str, Any]]:
    """The events of a complete stream."""
    body = sse.parse(stream)
    assert not body.get("rest"), body["rest"]
    assert "broken" not in body
    return list(body["events"])


def frame_events(name: str, bodies: Iterable[Any]) -> bytes:
    """Events as the provider of a format frames them."""
    newline = "\r\n" if name == "gemini" else "\n"
    written = []
    for body in bodies:
        data = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        named = name in ("anthropic", "openai_responses") and isinstance(body, dict)
        head = f"event: {body['type']}{newline}" if named else ""
        written.append(f"{head}data: {data}{newline}{newline}")
    return "".join(written).encode("utf-8", "backslashreplace")


def recorded_streams(name: str) -> Iterator[tuple[Path, bytes, list[str]]]:
    """Recorded streams of a format: file, bytes, features."""
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.get("sse"):
            yield path, record["sse"].encode("utf-8", "surrogatepass"), record["features"]


def assemble(name: str, stream: bytes) -> dict[str, Any]:
    """The unary reply that a stream assembles to."""
    return _ASSEMBLERS[name]([event["data"] for event in events(stream)])


def _anthropic(bodies: list[Any]) -> dict[str, Any]:
    message: dict[str, Any] = {}
    fragments: dict[int, str] = {}
    for body in bodies:
        if body["type"] == "message_start":
            message = {**body["message"], "content": list(body["message"]["content"])}
        elif body["type"] == "content_block_start":
            assert body["index"] == len(message["content"])
            message["content"].append(dict(body["content_block"]))
        elif body["type"] == "content_block_delta":
            block, delta = message["content"][body["index"]], body["delta"]
            for key in ("text", "thinking", "signature"):
                if delta["type"] == f"{key}_delta":
                    block[key] = block.get(key, "") + delta[key]
            if delta["type"] == "input_json_delta":
                fragments[body["index"]] = fragments.get(body["index"], "") + delta["partial_json"]
        elif body["type"] == "message_delta":
            message |= {key: value for key, value in body["delta"].items() if key.startswith("stop")}
            message["usage"] = message["usage"] | body.get("usage", {})
    for index, text in fragments.items():
        if text:
            message["content"][index]["input"] = _arguments(text)
    return message


_NOTHING: tuple[Any, ...] = (None, [], "")


def _arguments(text: str) -> Any:
    """Arguments as a client takes them: what says nothing is no arguments, what is no object of JSON stays text."""
    try:
        arguments = json.loads(text, parse_constant=_refuse)
    except ValueError:
        return {"_raw_arguments": text}
    if arguments in _NOTHING:
        return {}
    return arguments if isinstance(arguments, dict) else {"_raw_arguments": text}


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _chat(bodies: list[Any]) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant", "content": None}
    reason = None
    for body in bodies:
        if body == "[DONE]":
            break
        if body.get("choices"):
            reply = {key: value for key, value in body.items() if key != "usage"} | reply
        if body.get("usage"):
            reply["usage"] = body["usage"]
        for choice in body.get("choices", []):
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta") or {}
            for key in ("content", "refusal"):
                if isinstance(delta.get(key), str):
                    message[key] = (message.get(key) or "") + delta[key]
            for entry in delta.get("tool_calls") or []:
                _chat_call(message.setdefault("tool_calls", []), entry)
            if delta.get("function_call"):
                legacy = message.setdefault("function_call", {"name": "", "arguments": ""})
                legacy["name"] += delta["function_call"].get("name") or ""
                legacy["arguments"] += delta["function_call"].get("arguments") or ""
            reason = reason or choice.get("finish_reason")
    return {**reply, "choices": [{"index": 0, "message": message, "finish_reason": reason}]}


def _chat_call(calls: list[dict[str, Any]], entry: dict[str, Any]) -> None:
    kind, key = ("custom", "input") if "custom" in entry and "function" not in entry else ("function", "arguments")
    matches = [call for call in calls if call["index"] == entry.get("index", -1) >= 0]
    matches = matches or [call for call in calls if entry.get("id") and call["id"] == entry["id"]]
    payload = entry[kind]
    if matches:
        matches[0][kind][key] += payload.get(key) or ""
    else:
        new = {"index": entry.get("index", -1), "id": entry.get("id"), "type": kind}
        calls.append({**new, kind: {"name": payload["name"], key: payload.get(key) or ""}})


def _responses(bodies: list[Any]) -> dict[str, Any]:
    """What the last event says; the Python SDK's accumulator takes it from there, too."""
    return dict(bodies[-1]["response"])


def _gemini(bodies: list[Any]) -> dict[str, Any]:
    reply: dict[str, Any] = {}
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": []}}
    for body in bodies:
        usage = reply.get("usageMetadata", {}) | body.get("usageMetadata", {})
        reply |= {key: value for key, value in body.items() if key != "candidates"} | {"usageMetadata": usage}
        for chunk_candidate in body.get("candidates", []):
            candidate["content"]["parts"] += chunk_candidate.get("content", {}).get("parts", [])
            candidate |= {key: value for key, value in chunk_candidate.items() if key != "content"}
    return {**reply, "candidates": [candidate]} if len(candidate) > 1 else reply


_ASSEMBLERS = {"anthropic": _anthropic, "openai_chat": _chat, "openai_responses": _responses, "gemini": _gemini}


def client_view(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a client of a format sees in a unary reply: calls, text, finish, usage."""
    return _SEERS[name](body)


def _see_anthropic(body: dict[str, Any]) -> dict[str, Any]:
    blocks = body["content"]
    return {
        "calls": [
            (block["id"], block["name"], {} if block["input"] in _NOTHING else block["input"])
            for block in blocks
            if block["type"] == "tool_use"
        ],
        "text": "".join(block["text"] for block in blocks if block["type"] == "text"),
        "finish": (body["stop_reason"], body["stop_sequence"]),
        "usage": {key: value for key, value in body["usage"].items() if value},
    }


def _see_chat(body: dict[str, Any]) -> dict[str, Any]:
    message = body["choices"][0]["message"]
    calls = []
    for call in message.get("tool_calls") or []:
        payload = call[call["type"]]
        calls.append(
            (
                call["id"],
                payload["name"],
                _arguments(payload["arguments"]) if "arguments" in payload else payload["input"],
            )
        )
    if message.get("function_call"):
        payload = message["function_call"]
        calls.append((None, payload["name"], _arguments(payload["arguments"])))
    return {
        "calls": calls,
        "text": (message.get("content") or "", message.get("refusal") or ""),
        "finish": body["choices"][0]["finish_reason"],
    }


def _see_responses(body: dict[str, Any]) -> dict[str, Any]:
    calls, text, refusal = [], "", ""
    for item in body["output"]:
        if item["type"] == "function_call":
            calls.append((item["call_id"], item["name"], _arguments(item["arguments"])))
        elif item["type"] == "custom_tool_call":
            calls.append((item["call_id"], item["name"], item["input"]))
        elif item["type"] == "message":
            text += "".join(part.get("text", "") for part in item["content"])
            refusal += "".join(part.get("refusal", "") for part in item["content"])
    finish = (body["status"], body["incomplete_details"], [item.get("status") for item in body["output"]][-1:])
    return {"calls": calls, "text": (text, refusal), "finish": finish, "usage": body["usage"]}


def _see_gemini(body: dict[str, Any]) -> dict[str, Any]:
    candidate = body["candidates"][0]
    parts = candidate["content"].get("parts", [])
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    return {
        "calls": [(call.get("id"), call["name"], call.get("args", {})) for call in calls],
        "text": "".join(part.get("text", "") for part in parts),
        "finish": candidate["finishReason"],
        "usage": body["usageMetadata"],
    }


_SEERS = {
    "anthropic": _see_anthropic,
    "openai_chat": _see_chat,
    "openai_responses": _see_responses,
    "gemini": _see_gemini,
}
