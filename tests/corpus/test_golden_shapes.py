"""The goldens of a format show the shapes that its bodies may have, and calls without ids."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()


def test_shapes_vary() -> None:
    """The legal spellings that translators stumble over all occur somewhere in the corpus."""
    shapes: set[str] = set()
    for case in CORPUS.cases.values():
        for name in case.formats:
            for exchange in case.exchanges(name):
                shapes |= set(_spellings(name, exchange.request))
    assert shapes >= {
        "anthropic: tool custom", "anthropic: tool without type", "anthropic: system text", "anthropic: system blocks",
        "anthropic: user text", "anthropic: user blocks", "anthropic: result text", "anthropic: result blocks",
        "anthropic: is_error false", "anthropic: is_error true", "anthropic: is_error absent",
        "openai_chat: strict true", "openai_chat: strict false", "openai_chat: strict absent",
        "openai_chat: role system", "openai_chat: role developer", "openai_chat: content null",
        "openai_chat: content absent", "openai_chat: content empty", "openai_chat: user text",
        "openai_chat: user parts",
        "openai_chat: result text", "openai_chat: result parts", "openai_chat: max_tokens",
        "openai_chat: max_completion_tokens",
        "openai_responses: strict true", "openai_responses: strict false", "openai_responses: strict null",
        "openai_responses: strict absent", "openai_responses: instructions", "openai_responses: role developer",
        "openai_responses: role system", "openai_responses: input text", "openai_responses: user text",
        "openai_responses: user parts", "openai_responses: result text", "openai_responses: result parts",
        "openai_responses: item id", "openai_responses: item without id",
        "gemini: parameters", "gemini: parametersJsonSchema", "gemini: parameters_json_schema", "gemini: id",
        "gemini: no id", "gemini: wrapped in output", "gemini: wrapped in result", "gemini: error", "gemini: signature",
    }  # fmt: skip


def _spellings(name: str, body: Any) -> list[str]:
    return [f"{name}: {word}" for word in _WORDS[name](body)]


def _kind(value: Any, many: str) -> str:
    return "text" if isinstance(value, str) else many


def _anthropic(body: Any) -> list[str]:
    shapes = [f"tool {tool['type']}" if "type" in tool else "tool without type" for tool in body.get("tools", [])]
    if "system" in body:
        shapes.append("system " + _kind(body["system"], "blocks"))
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block for block in blocks if block["type"] == "tool_result"]
        if message["role"] == "user" and not results:
            shapes.append("user " + _kind(message["content"], "blocks"))
        for block in results:
            shapes.append("result " + _kind(block.get("content", ""), "blocks"))
            shapes.append(f"is_error {str(block['is_error']).lower()}" if "is_error" in block else "is_error absent")
    return shapes


def _strictness(tool: Any) -> str:
    words = {True: "true", False: "false", None: "null"}
    return "strict " + (words[tool["strict"]] if "strict" in tool else "absent")


def _openai_chat(body: Any) -> list[str]:
    shapes = [_strictness(tool["function"]) for tool in body.get("tools", []) if "function" in tool]
    shapes += ["functions"] * ("functions" in body)
    shapes += [key for key in ("max_tokens", "max_completion_tokens") if key in body]
    for message in body["messages"]:
        if message["role"] in ("system", "developer"):
            shapes.append(f"role {message['role']}")
        elif message["role"] in ("user", "tool"):
            what = "user" if message["role"] == "user" else "result"
            shapes.append(f"{what} " + _kind(message["content"], "parts"))
        elif "tool_calls" in message and not message.get("content"):
            content = message.get("content", ...)
            shapes.append("content " + ("absent" if content is ... else "null" if content is None else "empty"))
    return shapes


def _openai_responses(body: Any) -> list[str]:
    shapes = [_strictness(tool) for tool in body.get("tools", []) if tool["type"] == "function"]
    if "instructions" in body:
        shapes.append("instructions")
    if isinstance(body["input"], str):
        return [*shapes, "input text"]
    for item in body["input"]:
        if item.get("role") in ("system", "developer"):
            shapes.append(f"role {item['role']}")
        elif item.get("role") == "user":
            shapes.append("user " + _kind(item["content"], "parts"))
        elif item.get("type") == "function_call":
            shapes.append("item id" if "id" in item else "item without id")
        elif item.get("type") == "function_call_output":
            shapes.append("result " + _kind(item["output"], "parts"))
    return shapes


def _gemini(body: Any) -> list[str]:
    shapes = [
        key
        for tool in body.get("tools", [])
        for declaration in tool.get("functionDeclarations") or tool.get("function_declarations") or []
        for key in declaration
        if key.startswith("parameters")
    ]
    for part in (part for content in body["contents"] for part in content["parts"]):
        if "functionCall" in part:
            shapes.append("id" if "id" in part["functionCall"] else "no id")
            shapes += ["signature"] if "thoughtSignature" in part else []
        if "functionResponse" in part:
            keys = list(part["functionResponse"]["response"])
            shapes += ["error"] if keys == ["error"] else [f"wrapped in {keys[0]}"] if len(keys) == 1 else []
    return shapes


_WORDS = {
    "anthropic": _anthropic,
    "openai_chat": _openai_chat,
    "openai_responses": _openai_responses,
    "gemini": _gemini,
}


def test_calls_read_by_position_have_no_ids() -> None:
    """Gemini cases without ids stay in the corpus: there order is the only link."""
    without = [case for case in CORPUS.cases.values() if not any(case.scenario["ids"]["gemini"].values())]
    twice = [case for case in without if "same-tool-twice" in case.features]
    assert len(twice) >= 3
    for case in twice:
        reading = formats.read("gemini", "request", case.exchanges("gemini")[-1].request)
        assert [result.call for result in reading.results] == list(range(len(reading.results)))
        assert all(isinstance(call, Call) and call.id is None for call in reading.calls)
