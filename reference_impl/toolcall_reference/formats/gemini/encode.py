"""Writing Gemini bodies from the intermediate form."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.text_offsets import TextOffsets
from toolcall_reference.conversation import citations, history, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Citation,
    Conversation,
    Hosted,
    Item,
    Media,
    Opaque,
    Reply,
    Text,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
    Usage,
)
from toolcall_reference.conversation.pairing import arguments_object
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.gemini.api import IDS, NAME, NAMES
from toolcall_reference.formats.gemini.models import demands_signatures, nests_media
from toolcall_reference.formats.gemini.protojson import to_snake_case
from toolcall_reference.formats.gemini.results import encode_response_object
from toolcall_reference.formats.gemini.settings import (
    HOSTED_BY_PURPOSE,
    encode_choice,
    encode_config,
    encode_tool,
    encode_tools,
)
from toolcall_reference.formats.hosted import encode_hosted

PLACEHOLDER = "."
"""The user's text if the source has no message and a request needs one."""
CONTINUE_TEXT = "Please continue."
"""The user's text after an answer that is to be continued: Gemini refuses a history that ends with the model."""
NOTATIONS = frozenset(
    {
        *("parameters", "parametersJsonSchema", "response-schema", "snake-case", "system-role", "turns-apart"),
        *("blank-descriptions", "tools-apart"),
    }
)
SIGNATURE_SUBSTITUTE = "skip_thought_signature_validator"
"""Replaces the signature of a call that Gemini did not make: https://ai.google.dev/gemini-api/docs/thought-signatures"""

_REASON_BY_FINISH = {
    "end": "STOP", "tools": "STOP", "stop_sequence": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY",
    "refusal": "SAFETY", "error": "OTHER", "other": "OTHER", "pause": "MAX_TOKENS",
}  # fmt: skip


def _placeholder_contents(system: list[Text], target: Target) -> list[Body]:
    """The contents if the source has no conversation."""
    if system:
        target.losses.add("system", "there is no conversation beside it; a placeholder stands for the user")
    return [{"role": "user", "parts": [{"text": PLACEHOLDER}]}]


def encode_request(conversation: Conversation, target: Target) -> Body:
    """A complete request body; the model is named in the URL."""
    tools = encode_tools(conversation.tools)
    target.use_names(NAMES, tools, conversation.calls)
    ids = target.assign_ids(conversation.calls, IDS)
    apart = "turns-apart" in target.notations
    turns = history.arrange(conversation.turns, conversation.results, keeps_neighbours=apart)
    turns = history.merge(turns, keeps_neighbours=apart, demoted=True)
    order = {call.id: place for place, call in enumerate(conversation.calls)}
    signed = not target.exact and demands_signatures(target.model)
    contents = []
    for turn in turns:
        if turn.side == "assistant":
            parts = _encode_model_turn(turn, ids, target, signed=signed)
        else:
            parts = _encode_user_turn(turn, ids, order, target)
        if parts:
            contents.append({"role": "model" if turn.side == "assistant" else "user", "parts": parts})
    system = [text for text in conversation.system if text.text.strip()]
    contents = contents or _placeholder_contents(system, target)
    if contents and contents[0]["role"] == "model":
        # Gemini wants the user first, and refuses a call with nothing before it.
        contents.insert(0, {"role": "user", "parts": [{"text": PLACEHOLDER}]})
    if contents and contents[-1]["role"] == "model":
        contents.append({"role": "user", "parts": [{"text": CONTINUE_TEXT}]})
    body: Body = {"contents": contents}
    if system:
        body["systemInstruction"] = {"parts": [{"text": text.text} for text in system]}
        if "system-role" in target.notations:
            body["systemInstruction"]["role"] = "user"
    hosted = encode_hosted(conversation.tools, {} if tools else HOSTED_BY_PURPOSE, target)
    own_tools = [tool.own_declaration for tool in tools if tool.own_declaration is not None and target.exact]
    plain = [tool for tool in tools if tool.own_declaration is None or not target.exact]
    if tools or hosted:
        declared = [encode_tool(tool, target) for tool in plain]
        groups = [[declaration] for declaration in declared] if "tools-apart" in target.notations else [declared]
        functions = [{"functionDeclarations": group} for group in groups if group]
        body["tools"] = functions + own_tools[:1] + hosted
    choice = encode_choice(conversation.settings, tools, target)
    if choice is not None:
        body["toolConfig"] = choice
    config = encode_config(conversation.settings, target)
    if config:
        body["generationConfig"] = config
    return to_snake_case(body) if "snake-case" in target.notations else body


def _encode_model_turn(turn: Turn, ids: dict[str, str], target: Target, *, signed: bool) -> list[Body]:
    """The parts of a model's turn. ``signed``: its first call gets a substitute signature if no call has one."""
    parts: list[Body] = []
    for item in turn.items:
        parts += encode_part(item, ids, target)
    if not signed:
        return parts
    calls = [part for part in parts if "functionCall" in part]
    if calls and not [part for part in calls if "thoughtSignature" in part]:
        calls[0]["thoughtSignature"] = SIGNATURE_SUBSTITUTE
    return parts


def encode_part(item: Item, ids: dict[str, str], target: Target) -> list[Body]:
    """The parts of one item of the model; ``ids`` are the call ids by universal id."""
    if isinstance(item, Text):
        if not item.raw_context:
            return [{"text": item.text}] if item.text.strip() else []
        return [{"text": item.text} | _encode_signature(item)] if item.text.strip() or _encode_signature(item) else []
    if isinstance(item, Media):
        return [_encode_media(item, target)]
    if isinstance(item, UniversalToolCall):
        call: Body = {"name": target.names.target_name(item.name), "args": arguments_object(item)}
        call_id = ids.get(item.id)
        if call_id is not None:
            call["id"] = call_id
        return [{"functionCall": call, **_encode_signature(item)} if item.raw_context else {"functionCall": call}]
    if isinstance(item, (Opaque, Hosted)):
        if item.origin == NAME:
            return [item.value]
        element = "signature" if isinstance(item, Opaque) else "tool-hosted"
        target.losses.add(element, f"of {item.origin}; dropped", item.type)
    return []


def _encode_signature(item: Text | UniversalToolCall) -> Body:
    return dict(item.raw_context.get(NAME, {}))


def _encode_user_turn(turn: Turn, ids: dict[str, str], order: dict[str, int], target: Target) -> list[Body]:
    """The parts of a user's turn, results first and in the order of their calls."""
    answers: list[UniversalToolResult] = []
    parts: list[Body] = []
    for item in turn.items:
        if isinstance(item, UniversalToolResult):
            answers.append(item)
        elif isinstance(item, Text):
            if item.text.strip():
                parts.append({"text": item.text})
        elif isinstance(item, Media):
            parts.append(_encode_media(item, target))
        elif isinstance(item, (Opaque, Hosted)):
            target.losses.add("tool-hosted", "dropped from a user message", item.type)
    if len(answers) > 1:
        # Without ids the provider pairs by position, so results are in the order of their calls.
        answers.sort(key=lambda result: order.get(result.tool_call_id, 0))
    return [*_encode_results(answers, ids, target), *parts] if answers else parts


def _encode_results(answers: list[UniversalToolResult], ids: dict[str, str], target: Target) -> list[Body]:
    """The parts of all results of a turn, followed by the media that they cannot hold."""
    parts: list[Body] = []
    beside: list[Body] = []
    for result in answers:
        name, call_id = target.names.target_name(result.name), ids.get(result.tool_call_id)
        answer: Body = {"name": name, "response": encode_response_object(result)}
        if call_id is not None:
            answer["id"] = call_id
        parts.append({"functionResponse": answer})
        if result.multimodal_parts:
            siblings = _nest_media(answer, result, target)
            if siblings and len(answers) > 1:
                beside.append({"text": results.caption(name, call_id, len(parts)).text})
            beside += siblings
    return parts + beside if beside else parts


def _nest_media(answer: Body, result: UniversalToolResult, target: Target) -> list[Body]:
    """Add media to a function response as far as it can hold them. Returns the parts of the others."""
    pictures = [part for part in result.multimodal_parts if isinstance(part, Media)]
    if pictures and result.result == "" and not result.is_error:
        kinds = ", ".join(picture.mime or picture.kind for picture in pictures)
        answer["response"] = {"output": f"[{kinds}]"}
    nested = [picture for picture in pictures if nests_media(target.model) and picture.kind in ("image", "document")]
    nested = [picture for picture in nested if picture.data is not None or picture.url is not None]
    if nested:
        answer["parts"] = [_encode_media(picture, target) for picture in nested]
    return [_encode_media(picture, target) for picture in pictures if picture not in nested]


def _encode_media(item: Media, target: Target) -> Body:
    if item.data is not None:
        return {
            "inlineData": {
                "mimeType": media.registered_mime(item.mime) or "application/octet-stream",
                "data": item.data,
            }
        }
    uri = item.url if item.url is not None else item.file_id if item.vendor == NAME else None
    if uri is None:
        return {"text": media.placeholder(item, target.losses, NAME).text}
    file: Body = {"fileUri": uri}
    if item.mime is not None:
        file = {"mimeType": media.registered_mime(item.mime), "fileUri": uri}
    return {"fileData": file}


def encode_response(reply: Reply, target: Target) -> Body:
    """A complete reply body."""
    target.use_names(NAMES, [], reply.calls)
    ids = target.assign_ids(reply.calls, IDS)
    parts: list[Body] = []
    cited_texts: list[tuple[int, TextOffsets, Sequence[Citation]]] = []
    for item in reply.items:
        bodies = encode_part(item, ids, target)
        if bodies and isinstance(item, Text):
            cited_texts.append((len(parts), TextOffsets(item.text), item.citations))
        parts += bodies
    content: Body = {"parts": parts, "role": "model"} if parts else {"role": "model"}
    grounding = encode_grounding(cited_texts)
    end: Body = {"finishReason": encode_finish(reply, target), "index": 0}
    return encode_body(reply, target, {"content": content, **end, **grounding})


def encode_grounding(texts: Sequence[tuple[int, TextOffsets, Sequence[Citation]]]) -> Body:
    """The grounding metadata of cited texts, each with the index of its part; empty without citations."""
    pages: dict[str, str | None] = {}
    supports: list[Body] = []
    for place, text, text_citations in texts:
        for citation in text_citations:
            pages.setdefault(citation.url, citation.title)
            place_of = citations.cited_range(text, citation)
            start, end = (text.bytes_before(character) for character in place_of)
            segment = {"partIndex": place, "startIndex": start, "endIndex": end, "text": text.text_between(*place_of)}
            fields = {key: value for key, value in segment.items() if value}
            supports.append({"segment": fields, "groundingChunkIndices": [list(pages).index(citation.url)]})
    chunks = [{"web": {"uri": url, "title": title or ""}} for url, title in pages.items()]
    return {"groundingMetadata": {"groundingChunks": chunks, "groundingSupports": supports}} if supports else {}


def encode_finish(reply: Reply, target: Target) -> str:
    """The reply's finish reason."""
    if reply.finish == "pause":
        target.losses.add("finish-pause", "Gemini has no pause; said as MAX_TOKENS")
    if reply.stop_sequence is not None:
        target.losses.add("finish-stop_sequence", "Gemini does not say which one ended the reply", reply.stop_sequence)
    return _REASON_BY_FINISH[reply.finish]


def encode_body(reply: Reply, target: Target, candidate: Body) -> Body:
    """The reply, or one chunk of it, around its candidate."""
    body: Body = {"candidates": [candidate], "usageMetadata": encode_usage(reply.usage or Usage())}
    body["modelVersion"] = target.model
    if reply.created:
        body["createTime"] = _encode_time(reply.created)
    body["responseId"] = _response_id(reply.key)
    return body


# Cached: each record of a stream repeats both.
@lru_cache(maxsize=64)
def _encode_time(created: int) -> str:
    return datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=64)
def _response_id(key: str) -> str:
    return digest("response", key)


def encode_usage(usage: Usage) -> Body:
    """Encode token counts."""
    body: Body = {"promptTokenCount": usage.input}
    visible = max(usage.output - usage.reasoning, 0)  # some servers do not count thoughts as output
    if visible or not usage.reasoning:
        body["candidatesTokenCount"] = visible
    body["totalTokenCount"] = usage.input + usage.output if usage.total is None else usage.total
    if usage.cached:
        body["cachedContentTokenCount"] = usage.cached
    if usage.reasoning:
        body["thoughtsTokenCount"] = usage.reasoning
    return body
