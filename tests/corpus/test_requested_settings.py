"""Golden replies hold what their requests asked for, of a model that takes such tools.

A provider sends some parts only on request, and repeats some members of a request.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from toolcall_conformance.library import Case, Exchange, load_corpus

CORPUS = load_corpus()

Asked = Callable[[Any, Any], Iterator[str]]

#: A model that thinks without being asked: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking
THINKS = ("claude-sonnet-5",)

#: The models that take a tool of OpenAI's, by the beginning of their names: https://developers.openai.com/api/docs/models
TAKEN_BY = {
    "apply_patch": "gpt-5",
    "computer_use_preview": "computer-use-preview",
    "custom": "gpt-5",
    "local_shell": "codex-mini",
    "namespace": "gpt-5.",
    "shell": "gpt-5.",
    "tool_search": "gpt-5.",
}


def _unused_settings(request: Any) -> Iterator[str]:
    for tool in request.get("tools") or ():
        if not request["model"].startswith(TAKEN_BY.get(tool["type"], "")):
            yield f"{request['model']} takes no tool {tool['type']}"


def _responses(request: Any, reply: Any) -> Iterator[str]:
    yield from _unused_settings(request)
    included = request.get("include") or []
    for item in reply["output"]:
        for kind, key, name in (
            ("file_search_call", "results", "file_search_call.results"),
            ("code_interpreter_call", "outputs", "code_interpreter_call.outputs"),
            ("reasoning", "encrypted_content", "reasoning.encrypted_content"),
        ):
            if item["type"] == kind and item.get(key) and name not in included:
                yield f"{kind} has {key}, and {name} is not included"
        if item["type"] == "reasoning" and item["summary"] and not (request.get("reasoning") or {}).get("summary"):
            yield "thoughts are summed up, and no summary was asked for"
    for key in ("max_tool_calls", "prompt_cache_key", "safety_identifier", "service_tier", "text", "top_logprobs"):
        if request.get(key) is not None and not _holds(reply.get(key), request[key]):
            yield f"{key} is not repeated: {reply.get(key)}"


def _holds(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(_holds(whole.get(key), value) for key, value in part.items())
    return bool(whole == part)


def _chat(request: Any, reply: Any) -> Iterator[str]:
    yield from _unused_settings(request)
    if request.get("service_tier") not in (None, "auto", reply.get("service_tier")):
        yield f"the tier is {reply['service_tier']}"
    if len(reply["choices"]) != (request.get("n") or 1):
        yield "there are more choices than were asked for, or fewer"
    if any(choice.get("logprobs") for choice in reply["choices"]) and not request.get("logprobs"):
        yield "probabilities were not asked for"


def _anthropic(request: Any, reply: Any) -> Iterator[str]:
    thinks = (request.get("thinking") or {}).get("type") in ("enabled", "adaptive") or request["model"] in THINKS
    declared = {tool.get("name") for tool in request.get("tools", ())}
    if "code_execution" in declared:
        declared |= {"bash_code_execution", "text_editor_code_execution"}
    for block in reply["content"]:
        if block["type"] in ("thinking", "redacted_thinking") and not thinks:
            yield "thinking was not asked for"
        if block["type"] in ("tool_use", "server_tool_use") and block["name"] not in declared:
            yield f"{block['name']} is not declared"


def _gemini(request: Any, reply: Any) -> Iterator[str]:
    settings = request.get("generationConfig") or request.get("generation_config") or {}
    steps = (request.get("toolConfig") or {}).get("includeServerSideToolInvocations")
    searches = "googleSearch" in json.dumps(request.get("tools"))
    for candidate in reply.get("candidates") or ():
        for part in (candidate.get("content") or {}).get("parts") or ():
            if part.get("thought") and not (settings.get("thinkingConfig") or {}).get("includeThoughts"):
                yield "thoughts were not asked for"
            if ("toolCall" in part or "toolResponse" in part) and not steps:
                yield "the provider's own steps were not asked for"
        if candidate.get("groundingMetadata") and not searches:
            yield "nothing was to be searched"


FORMATS: dict[str, Asked] = {
    "anthropic": _anthropic,
    "openai_chat": _chat,
    "openai_responses": _responses,
    "gemini": _gemini,
}


def _exchanges_with_reply(case: Case, name: str) -> Iterator[Exchange]:
    """The exchanges with a reply of the format's own provider."""
    if name in case.formats and name not in case.dialects:
        yield from (exchange for exchange in case.exchanges(name) if exchange.response is not None)


@pytest.mark.parametrize("name", FORMATS)
def test_a_reply_has_what_was_requested(name: str) -> None:
    missing = {
        f"{case.id} {exchange.number}: {fault}"
        for case in CORPUS.cases.values()
        for exchange in _exchanges_with_reply(case, name)
        for fault in FORMATS[name](exchange.request, exchange.response)
    }
    assert not missing
