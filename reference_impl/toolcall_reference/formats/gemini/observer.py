"""Gemini's own tools as server calls and results, both ways: https://ai.google.dev/api/caching#Part

The search that grounds an answer is in the answer's metadata; an observer shows it as steps before the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolcall_reference.conversation.intermediate import Body, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.gemini.protojson import to_camel_case
from toolcall_reference.formats.observer import Observer, ServerCall, ServerResult, Step, opaque_block

_SEARCH_TYPE = "GOOGLE_SEARCH_WEB"
_CODE_TYPE = "code_execution"


def _prepare_request(body: Body, losses: Losses) -> Body:
    cached = next((key for key in ("cachedContent", "cached_content") if body.get(key)), None)
    if cached is None:
        return body
    losses.add("history", "what Gemini keeps in its cache is not in the request", body[cached])
    return {key: value for key, value in body.items() if key != cached}


def _split_choices(body: Body) -> list[Body]:
    body = to_camel_case(body)
    candidates = body.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        return [body]
    return [{**body, "candidates": [_with_search_steps(candidate)]} for candidate in candidates]


def _with_search_steps(candidate: Any) -> Any:
    """The candidate with its grounding search as parts before all others."""
    candidate = candidate if isinstance(candidate, dict) else {}
    grounding, content = candidate.get("groundingMetadata"), candidate.get("content")
    if not isinstance(grounding, dict) or not isinstance(content, dict):
        return candidate
    queries, parts = grounding.get("webSearchQueries"), content.get("parts")
    if not queries or not isinstance(parts, list):
        return candidate
    if any(isinstance(part, dict) and "toolCall" in part for part in parts):
        return candidate
    ahead = [
        {"toolCall": {"toolType": _SEARCH_TYPE, "args": {"queries": queries}}},
        {"toolResponse": {"toolType": _SEARCH_TYPE, "response": {"groundingChunks": grounding.get("groundingChunks")}}},
    ]
    moved = {
        **grounding,
        "groundingSupports": [_shift_support(support, len(ahead)) for support in _grounding_supports(grounding)],
    }
    return {**candidate, "groundingMetadata": moved, "content": {**content, "parts": [*ahead, *parts]}}


def _grounding_supports(grounding: Body) -> list[Any]:
    supports = grounding.get("groundingSupports")
    return supports if isinstance(supports, list) else []


def _shift_support(support: Any, offset: int) -> Any:
    segment = support.get("segment") if isinstance(support, dict) else None
    if not isinstance(segment, dict):
        return support
    place = segment.get("partIndex")
    return {**support, "segment": {**segment, "partIndex": (place if isinstance(place, int) else 0) + offset}}


def _decode_steps(item: Hosted) -> list[Step]:
    details = item.value.get(item.type)
    if not isinstance(details, dict):
        return [opaque_block(item)]
    step_id = details.get("id")
    rest = {key: value for key, value in details.items() if key not in ("id", "toolType", "args")}
    if item.type == "executableCode":
        return [ServerCall(_CODE_TYPE, {"type": _CODE_TYPE, **rest}, step_id)]
    if item.type == "codeExecutionResult":
        return [ServerResult({"type": _CODE_TYPE, **rest}, step_id)]
    name = str(details.get("toolType") or "unknown").lower()
    if item.type == "toolResponse":
        return [ServerResult({"type": name, **rest}, step_id)]
    arguments = {"arguments": details["args"]} if "args" in details else {}
    return [ServerCall(name, {"type": name, **arguments, **rest}, step_id)]


def _is_sealed(item: Hosted) -> bool:
    return "thoughtSignature" in item.value


def _encode_steps(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    for step in steps:
        if not isinstance(step, (ServerCall, ServerResult)):
            continue
        rest = {key: value for key, value in step.details.items() if key not in ("type", "arguments")}
        id_fields = {} if step.id is None else {"id": step.id}
        if step.details["type"] == _CODE_TYPE:
            yield (
                step,
                {"executableCode" if isinstance(step, ServerCall) else "codeExecutionResult": {**id_fields, **rest}},
            )
            continue
        kind = {"toolType": step.details["type"].upper()}
        if isinstance(step, ServerResult):
            yield step, {"toolResponse": {**kind, **id_fields, **rest}}
        else:
            arguments = {"args": step.details["arguments"]} if "arguments" in step.details else {}
            yield step, {"toolCall": {**kind, **arguments, **id_fields, **rest}}


def _reasoning_texts(item: Opaque) -> list[str]:
    text = item.value.get("text")
    return [text] if isinstance(text, str) and text else []


def _encode_declaration(definition: Body) -> Body | None:
    """The declaration by the one key that is the definition's type; None for another provider's tool."""
    kind = str(definition.get("type"))
    return {kind: definition[kind]} if isinstance(definition.get(kind), dict) else None


OBSERVER = Observer(
    prepare_request=_prepare_request,
    split_choices=_split_choices,
    decode_steps=_decode_steps,
    is_sealed=_is_sealed,
    encode_steps=_encode_steps,
    encode_declaration=_encode_declaration,
    reasoning_texts=_reasoning_texts,
)
