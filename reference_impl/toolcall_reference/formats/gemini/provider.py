"""How Gemini itself speaks: ids, details, and streams of records without names; calls are whole.

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

_SHARED = ("modelVersion", "responseId")
# What stands in the last record of a candidate only.
_IN_EACH = ("index",)


def stream_of(reply: Body, seed: str) -> bytes:
    """``data:`` lines for a whole GenerateContentResponse."""
    shared = {key: reply[key] for key in _SHARED if key in reply}
    usage = reply.get("usageMetadata")
    records: list[dict[str, Any]] = []
    for place, candidate in enumerate(reply.get("candidates", ())):
        records += [{"candidates": [choice]} for choice in _candidates(candidate, reply, f"{seed}/{place}")]
    if not records:
        records = [{key: value for key, value in reply.items() if key not in (*_SHARED, "usageMetadata")}]
    written = []
    counted = (
        [{"usageMetadata": count} for count in _counts(usage, records)] if usage is not None else [{}] * len(records)
    )
    for record, count in zip(records, counted, strict=True):
        text = json.dumps({**record, **count, **shared}, ensure_ascii=False, separators=(",", ": "))
        written.append(f"data: {text}\r\n\r\n")
    return "".join(written).encode()


def _counts(usage: Body, records: list[Body]) -> Iterator[Body]:
    """The usage up to each record: the tokens of the answer grow, and before them those of thoughts that are shown."""
    sizes = [_size(record) for record in records]
    thought, answer_size = (sum(size[place] for size in sizes) for place in (0, 1))
    thoughts, answer = usage.get("thoughtsTokenCount", 0), usage.get("candidatesTokenCount", 0)
    so_far = [0, 0]
    for number, size in enumerate(sizes, 1):
        so_far = [before + more for before, more in zip(so_far, size, strict=True)]
        last = number == len(sizes)
        counts = {
            "candidatesTokenCount": answer if last else _share(answer, so_far[1], answer_size),
            "thoughtsTokenCount": thoughts if last or not thought else _share(thoughts, so_far[0], thought),
        }
        token_counts = {key: counts.get(key, value) for key, value in usage.items()}
        token_counts["totalTokenCount"] -= thoughts + answer - sum(counts.values())
        yield {key: value for key, value in token_counts.items() if value or key not in counts}


def _size(record: Body) -> tuple[int, int]:
    """How much of thoughts, and how much of the answer, stands in a record."""
    sizes = [0, 0]
    for candidate in record.get("candidates", ()):
        for part in candidate.get("content", {}).get("parts", ()):
            content = {key: value for key, value in part.items() if key not in ("thought", "thoughtSignature")}
            sizes[part.get("thought") is not True] += 0 if content == {"text": ""} else len(json.dumps(content))
    return sizes[0], sizes[1]


def _share(count: int, part: int, whole: int) -> int:
    """So many tokens of ``count``; something is at least one."""
    return max(1, count * part // whole) if count and part else 0


def _candidates(candidate: Body, reply: Body, seed: str) -> Iterator[Body]:
    """One candidate a record; what is said of it as a whole comes with the last one, why it failed behind that."""
    content = candidate.get("content", {})
    role = {"role": content["role"]} if "role" in content else {}
    each = {key: candidate[key] for key in _IN_EACH if key in candidate}
    groups = list(_groups(content.get("parts", ()), str(reply.get("modelVersion", "")), seed))
    # Streams do not tell how likely a reply was, and of calls only in the record that holds them.
    untold = {"content", "avgLogprobs", *_IN_EACH}
    of_calls = any("functionCall" in part for part in groups[-1]) if groups else True
    if candidate.get("finishReason") == "STOP" and not of_calls:
        untold.add("finishMessage")
    whole = {key: value for key, value in candidate.items() if key not in untold}
    if "finishMessage" in whole and not of_calls:
        groups.append([])
    for number, parts in enumerate(groups, 1):
        last = whole if number == len(groups) else {}
        yield {"content": {"parts": parts, **role} if parts else role, **last, **each}
    if not groups:
        yield {**({"content": content} if "content" in candidate else {}), **whole, **each}


def _groups(parts: Any, model: str, seed: str) -> Iterator[list[Body]]:
    """The parts of each record: text in pieces; calls all in one record, from the third generation on one in each."""
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
            yield from ([piece] for piece in _texts(part, f"{seed}/{place}"))
        else:
            yield [part]
    if calls:
        yield calls
    elif ends_with_call:
        yield [{"text": ""}]


def _texts(part: Body, seed: str) -> Iterator[Body]:
    """A text in pieces; its signature comes with the last one."""
    fragments = list(pieces(part["text"], seed))
    for number, piece in enumerate(fragments, 1):
        fields = {key: value for key, value in part.items() if key != "thoughtSignature" or number == len(fragments)}
        yield {**fields, "text": piece}


def dress_reply(body: Body, seed: str, request: Body) -> Body:
    """A short response id, token details, and the undocumented message beside calls."""
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
    """No header says how long to wait. A wrong key is a wrong request, which only the details tell apart."""
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
    """Eight letters and digits from the models that give ids."""
    return letters(8, scenario, key).lower() if demands_signatures(model) else None


def sign(model: str, scenario: str, step: int) -> str | None:
    """A signature from the models that want them back."""
    if not demands_signatures(model):
        return None
    return base64.b64encode(bytes.fromhex(digest(scenario, step, length=64) * 3)).decode()


def declare(request: Body, hosted: list[Body]) -> None:
    """Google's own tools, before functions as its SDK writes them; with both, their steps have to be asked for."""
    if request.get("tools"):
        request["toolConfig"] = {**request.get("toolConfig", {}), "includeServerSideToolInvocations": True}
    request["tools"] = [*hosted, *request.get("tools", [])]


PROVIDER = Provider(
    default_model="gemini-2.5-flash",
    declare_hosted=declare,
    call_id=call_id,
    dress_reply=dress_reply,
    dress_error=dress_error,
    render_stream=stream_of,
    file_vendor=NAME,
    signature_key="thoughtSignature",
    make_signature=sign,
    object_results=True,
)
