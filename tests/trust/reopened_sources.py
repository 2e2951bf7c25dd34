"""Sources that were closed roads: no output of them broke no MUST, or the reference raised. Each opens a kind.

``mutate --sources`` found them; each is cut down to what closed it.
"""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.trust.sources.bodies import Way

CLAUDE, GPT = "claude-sonnet-4-5-20250929", "gpt-4.1-2025-04-14"
Source = tuple[Way, str, str, Any]
"""Whether it is a request, a reply or a stream, its format, the other end, and the body."""

SHAPE = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ROSTER = "mcp__hospital-scheduling-and-rotation.archive__list_roster_of_ward"


def anthropic(**more: Any) -> dict[str, Any]:
    return {"model": CLAUDE, "max_tokens": 900, "messages": [{"role": "user", "content": "Hot?"}], **more}


def chat(**more: Any) -> dict[str, Any]:
    return {"model": GPT, "messages": [{"role": "user", "content": "Hot?"}], **more}


def responses(*items: Any, **more: Any) -> dict[str, Any]:
    return {"model": GPT, "input": [*items, {"role": "user", "content": "Hot?"}], **more}


def gemini(*parts: Any, **config: Any) -> dict[str, Any]:
    return {"contents": [{"role": "user", "parts": [{"text": "Hot?"}, *parts]}], "generationConfig": config}


def picture(url: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]
    return chat(messages=[{"role": "user", "content": parts}])


def request_with_picture_url(url: str) -> dict[str, Any]:
    blocks = [{"type": "text", "text": "What is it?"}, {"type": "image", "source": {"type": "url", "url": url}}]
    return anthropic(messages=[{"role": "user", "content": blocks}])


def history_with_calls(*names: str) -> dict[str, Any]:
    """A history with calls of tools that the request does not declare."""
    calls = [{"functionCall": {"name": name, "args": {}}} for name in names]
    answers = [{"functionResponse": {"name": name, "response": {"output": "3"}}} for name in names]
    turns = [gemini()["contents"][0], {"role": "model", "parts": calls}, {"role": "user", "parts": answers}]
    return {"contents": turns, "model": "gemini-2.5-flash"}


def request_with_redeclared_tool() -> dict[str, Any]:
    """A request whose later item declares a tool again."""

    def item(words: str) -> dict[str, Any]:
        tool = {"type": "function", "name": "look", "description": words, "parameters": SHAPE, "strict": False}
        return {"type": "additional_tools", "role": "developer", "tools": [tool]}

    return responses(item("Look out."), item("Look out of the window."))


def chunks(*candidates: Any) -> dict[str, Any]:
    """A Gemini stream of records with one candidate each."""
    counts = {"promptTokenCount": 4, "candidatesTokenCount": 2, "totalTokenCount": 6}
    records = [{"candidates": [candidate], "usageMetadata": counts, "responseId": "r"} for candidate in candidates]
    return {"events": [{"data": record} for record in records]}


def candidate(index: Any, text: str, **more: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, "index": index, **more}


def stream_with_changed_patch(operation: Any) -> dict[str, Any]:
    """A Responses stream with a call of a tool of the API's own, of which the end says something else."""

    def item(status: str, value: Any) -> dict[str, Any]:
        return {"id": "a", "type": "apply_patch_call", "status": status, "call_id": "c", "operation": value}

    first = {"type": "delete_file", "path": "old.txt"}
    reply = {"id": "r", "object": "response", "created_at": 1, "model": GPT, "output": [], "error": None}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    end = {"status": "completed", "output": [item("completed", operation)], "usage": usage | details}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": reply | {"status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item("in_progress", first)},
        {"type": "response.output_item.done", "output_index": 0, "item": item("completed", first)},
        {"type": "response.completed", "response": reply | end},
    ]
    return {
        "events": [
            {"event": event["type"], "data": {**event, "sequence_number": at}} for at, event in enumerate(events)
        ]
    }


def stream_with_ping(data: Any) -> dict[str, Any]:
    """An Anthropic stream with a keep-alive that holds no object."""
    usage = {"input_tokens": 4, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": CLAUDE, "content": [], "usage": usage}
    ends: dict[str, Any] = {"stop_reason": None, "stop_sequence": None}
    events: list[Any] = [
        {"type": "message_start", "message": message | ends},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hot."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {**ends, "stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    frames = [{"event": event["type"], "data": event} for event in events]
    return {"events": [*frames[:2], {"event": "ping", "data": data}, *frames[2:]]}


def negative() -> dict[str, Any]:
    """A Responses reply with a count below nothing."""
    item = {"id": "m", "type": "message", "role": "assistant", "status": "completed"}
    text = {"type": "output_text", "text": "Hot.", "annotations": [], "logprobs": []}
    usage = {"input_tokens": -1, "output_tokens": 2, "total_tokens": 1}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    reply = {"id": "r", "object": "response", "created_at": 1, "model": GPT, "status": "completed", "error": None}
    return {**reply, "output": [{**item, "content": [text]}], "usage": usage | details}


SOUND: dict[str, Source] = {
    "another name of JPEG": ("request", "openai_chat", "anthropic", picture("data:image/jpg;base64,/9j/4AAQSkZJRg==")),
    "another name of PNG": ("request", "openai_chat", "anthropic", picture("data:image/x-png;base64,iVBORw0KGgo=")),
    "a text as a picture": ("request", "openai_chat", "openai_responses", picture("data:text/plain;base64,aGk=")),
    "a blank address to Chat": ("request", "anthropic", "openai_chat", request_with_picture_url(" ")),
    "a blank address to Responses": ("request", "anthropic", "openai_responses", request_with_picture_url("")),
    "an address of a bucket": (
        "request",
        "anthropic",
        "openai_responses",
        request_with_picture_url("gs://bucket/a.png"),
    ),
    "bytes as an address": (
        *("request", "gemini", "anthropic"),
        gemini({"fileData": {"fileUri": "data:image/png;base64,iVBORw0KGgo=", "mimeType": "image/png"}}),
    ),
    "a cache that is warmed": ("request", "anthropic", "gemini", anthropic(max_tokens=0)),
    "no limit, said as -1, to Gemini": ("request", "openai_chat", "gemini", chat(max_completion_tokens=-1)),
    "no limit, said as -1, to Anthropic": ("request", "openai_chat", "anthropic", chat(max_completion_tokens=-1)),
    "a share above 1 to Anthropic": ("request", "gemini", "anthropic", gemini(topP=1.95)),
    "a share below 0 to Responses": ("request", "gemini", "openai_responses", gemini(topP=-0.05)),
    "a fraction of candidates": ("request", "gemini", "anthropic", gemini(topK=1.5)),
    "no reply at all": ("request", "gemini", "openai_chat", gemini(candidateCount=0)),
    "a word for length of its own": ("request", "openai_chat", "openai_responses", chat(verbosity="brief")),
    "a stop sequence without a list": ("request", "gemini", "openai_chat", gemini(stopSequences="")),
    "a name that is cut": (
        "request",
        "gemini",
        "openai_chat",
        history_with_calls(ROSTER, ROSTER.replace("archive", "drafts")),
    ),
    "a tool declared anew": ("request", "openai_responses", "gemini", request_with_redeclared_tool()),
    "a strict tool with an empty schema": (
        *("request", "openai_responses", "anthropic"),
        responses(tools=[{"type": "function", "name": "look", "strict": True, "parameters": {}}]),
    ),
    "an index of null": (
        "stream",
        "gemini",
        "openai_chat",
        chunks(candidate(None, "Ho"), candidate(0, "t.", finishReason="STOP")),
    ),
    "the second candidate alone": (
        *("stream", "gemini", "openai_responses"),
        chunks(candidate(1, "Ho"), candidate(1, "t.", finishReason="STOP")),
    ),
    "an own call in Gemini": (
        "stream",
        "openai_responses",
        "gemini",
        stream_with_changed_patch({"type": "delete_file", "path": "x"}),
    ),
    "an own call in Chat": (
        "stream",
        "openai_responses",
        "openai_chat",
        stream_with_changed_patch({"type": "delete_file", "path": ""}),
    ),
    "a keep-alive that is a list": ("stream", "anthropic", "openai_chat", stream_with_ping([{"type": "ping"}])),
    "a count below nothing": ("response", "openai_responses", "anthropic", negative()),
}
"""By what was wrong. Their sources break no MUST of their own format."""

NO_NUMBERS: tuple[Any, ...] = ("x", [], [1], {}, {"a": 1})
LIMITS = (
    ("anthropic", "openai_responses", anthropic(), "/max_tokens"),
    ("openai_chat", "openai_responses", chat(), "/max_completion_tokens"),
    ("gemini", "openai_responses", gemini(), "/generationConfig/maxOutputTokens"),
    ("openai_chat", "anthropic", chat(), "/temperature"),
    ("gemini", "anthropic", gemini(thinkingConfig={"thinkingBudget": 2000}), "/generationConfig/maxOutputTokens"),
)


def sources_of_wrong_types() -> dict[str, Source]:
    """Sources with settings of a type that no API takes, at which the reference once raised."""
    sources: dict[str, Source] = {}
    for client, upstream, body, pointer in LIMITS:
        for value in NO_NUMBERS:
            changed = json.loads(json.dumps(body))
            *way, key = pointer.split("/")[1:]
            holder = changed
            for step in way:
                holder = holder[step]
            holder[key] = value
            sources[f"{pointer} {value!r} to {upstream}"] = ("request", client, upstream, changed)
    for value in (7, True, [None]):
        sources[f"stop {value!r} to Anthropic"] = ("request", "openai_chat", "anthropic", chat(stop=value))
        sources[f"stop {value!r} to Gemini"] = ("request", "openai_chat", "gemini", chat(stop=value))
    for upstream in ("anthropic", "gemini"):
        sources[f"an effort that is an object to {upstream}"] = (
            "request",
            "openai_chat",
            upstream,
            chat(reasoning_effort={}),
        )
    return sources
