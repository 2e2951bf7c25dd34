"""Gemini's own replies: ids, token details, and streams of unnamed records with whole calls.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from toolcall_reference.basics.jsontext import digest
from toolcall_reference.basics.pseudorandom import letters, pieces
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats.format import Provider
from toolcall_reference.formats.gemini.api import NAME
from toolcall_reference.formats.gemini.models import demands_signatures

_SHARED_KEYS = ("modelVersion", "responseId")
# The keys that every record of a candidate repeats.
_REPEATED_KEYS = ("index",)


def render_stream(reply: Body, seed: str) -> bytes:
    """The stream of a whole GenerateContentResponse."""
    shared = {key: reply[key] for key in _SHARED_KEYS if key in reply}
    usage = reply.get("usageMetadata")
    records: list[dict[str, Any]] = []
    for place, candidate in enumerate(reply.get("candidates", ())):
        records += [{"candidates": [choice]} for choice in _candidate_records(candidate, reply, f"{seed}/{place}")]
    if not records:
        records = [{key: value for key, value in reply.items() if key not in (*_SHARED_KEYS, "usageMetadata")}]
    written = []
    counted = (
        [{"usageMetadata": count} for count in _usage_by_record(usage, records)]
        if usage is not None
        else [{}] * len(records)
    )
    for record, count in zip(records, counted, strict=True):
        text = json.dumps({**record, **count, **shared}, ensure_ascii=False, separators=(",", ": "))
        written.append(f"data: {text}\r\n\r\n")
    return "".join(written).encode()


def _usage_by_record(usage: Body, records: list[Body]) -> Iterator[Body]:
    """The cumulative usage of each record: first shown thoughts grow, then the answer."""
    sizes = [_record_size(record) for record in records]
    thought, answer_size = (sum(size[place] for size in sizes) for place in (0, 1))
    thoughts, answer = usage.get("thoughtsTokenCount", 0), usage.get("candidatesTokenCount", 0)
    so_far = [0, 0]
    for number, size in enumerate(sizes, 1):
        so_far = [before + more for before, more in zip(so_far, size, strict=True)]
        last = number == len(sizes)
        counts = {
            "candidatesTokenCount": answer if last else _token_share(answer, so_far[1], answer_size),
            "thoughtsTokenCount": thoughts if last or not thought else _token_share(thoughts, so_far[0], thought),
        }
        token_counts = {key: counts.get(key, value) for key, value in usage.items()}
        token_counts["totalTokenCount"] -= thoughts + answer - sum(counts.values())
        yield {key: value for key, value in token_counts.items() if value or key not in counts}


def _record_size(record: Body) -> tuple[int, int]:
    """The sizes of a record's thoughts and of its answer."""
    sizes = [0, 0]
    for candidate in record.get("candidates", ()):
        for part in candidate.get("content", {}).get("parts", ()):
            content = {key: value for key, value in part.items() if key not in ("thought", "thoughtSignature")}
            sizes[part.get("thought") is not True] += 0 if content == {"text": ""} else len(json.dumps(content))
    return sizes[0], sizes[1]


def _token_share(count: int, part: int, total: int) -> int:
    """The share ``part / whole`` of ``count`` tokens; at least one if it is not zero."""
    return max(1, count * part // total) if count and part else 0


def _candidate_records(candidate: Body, reply: Body, seed: str) -> Iterator[Body]:
    """The records of one candidate; keys of the whole candidate are in the last one, a finish message after it."""
    content = candidate.get("content", {})
    role = {"role": content["role"]} if "role" in content else {}
    repeated_members = {key: candidate[key] for key in _REPEATED_KEYS if key in candidate}
    groups = list(_part_groups(content.get("parts", ()), str(reply.get("modelVersion", "")), seed))
    # Streams have no log probabilities, and the message about calls only in the record with calls.
    untold = {"content", "avgLogprobs", *_REPEATED_KEYS}
    of_calls = any("functionCall" in part for part in groups[-1]) if groups else True
    if candidate.get("finishReason") == "STOP" and not of_calls:
        untold.add("finishMessage")
    final_members = {key: value for key, value in candidate.items() if key not in untold}
    if "finishMessage" in final_members and not of_calls:
        groups.append([])
    for number, parts in enumerate(groups, 1):
        last = final_members if number == len(groups) else {}
        yield {"content": {"parts": parts, **role} if parts else role, **last, **repeated_members}
    if not groups:
        yield {**({"content": content} if "content" in candidate else {}), **final_members, **repeated_members}


def _part_groups(parts: Any, model: str, seed: str) -> Iterator[list[Body]]:
    """The parts of each record: text in pieces; calls in one record, from the third generation on in one each."""
    apart = not model.startswith(("gemini-1", "gemini-2"))
    calls: list[Body] = []
    ends_with_call = False
    for place, part in enumerate(parts):
        ends_with_call = "functionCall" in part
        if ends_with_call and not apart:
            calls.append(part)
            continue
        if calls:
            yield calls
            calls = []
        if set(part) - {"thoughtSignature"} <= {"text", "thought"} and part.get("text"):
            yield from ([piece] for piece in _text_pieces(part, f"{seed}/{place}"))
        else:
            yield [part]
    if calls:
        yield calls
    elif ends_with_call:
        yield [{"text": ""}]


def _text_pieces(part: Body, seed: str) -> Iterator[Body]:
    """The pieces of a text; its signature is in the last one."""
    fragments = list(pieces(part["text"], seed))
    for number, piece in enumerate(fragments, 1):
        fields = {key: value for key, value in part.items() if key != "thoughtSignature" or number == len(fragments)}
        yield {**fields, "text": piece}


def dress_reply(body: Body, seed: str, request: Body) -> Body:
    """Add a short response id, token details, and the undocumented finish message for calls."""
    del request
    candidate = body["candidates"][0]
    called = any("functionCall" in part for part in candidate["content"].get("parts", []))
    if called and candidate["finishReason"] == "STOP":
        candidate["finishMessage"] = "Model generated function call(s)."
    usage = body["usageMetadata"]
    usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": usage["promptTokenCount"]}]
    if "cachedContentTokenCount" in usage:
        usage["cacheTokensDetails"] = [{"modality": "TEXT", "tokenCount": usage["cachedContentTokenCount"]}]
    body.pop("createTime", None)
    body["responseId"] = letters(18, seed) + "PoPcgAQ"[:5]
    return body


def dress_error(reply: Body, kind: str, seed: str) -> Body:
    """Remove the wait header. A wrong key has the status of a wrong request and details of its own."""
    del seed
    reply["headers"].pop("retry-after", None)
    reply["headers"]["content-type"] = "application/json; charset=UTF-8"
    error = reply["body"]["error"]
    if kind == "invalid_key":
        reply["status"] = error["code"] = 400
        error["status"] = "INVALID_ARGUMENT"
        service = {"service": "generativelanguage.googleapis.com"}
        error["details"] = [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": service,
            }
        ]
    return reply


def call_id(model: str, scenario: str, key: str) -> str | None:
    """Eight letters and digits; None for models that give no ids."""
    return letters(8, scenario, key).lower() if demands_signatures(model) else None


def make_signature(model: str, scenario: str, step: int) -> str | None:
    """A signature; None for models that do not demand them."""
    if not demands_signatures(model):
        return None
    return base64.b64encode(bytes.fromhex(digest(scenario, step, length=64) * 3)).decode()


def declare_hosted(request: Body, hosted: list[Body]) -> None:
    """Add Google's own tools before functions, as its SDK does; with both, their steps are requested, too."""
    if request.get("tools"):
        request["toolConfig"] = {**request.get("toolConfig", {}), "includeServerSideToolInvocations": True}
    request["tools"] = [*hosted, *request.get("tools", [])]


PROVIDER = Provider(
    default_model="gemini-2.5-flash",
    declare_hosted=declare_hosted,
    call_id=call_id,
    dress_reply=dress_reply,
    dress_error=dress_error,
    render_stream=render_stream,
    file_vendor=NAME,
    signature_key="thoughtSignature",
    make_signature=make_signature,
    object_results=True,
)
