"""Gemini's stream: records without names, each a reply in itself, with CRLF line ends; calls are whole.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolcall_reference.intermediate import Body

from .pieces import pieces

_SHARED = ("modelVersion", "responseId")
# What stands in the last record of a candidate only.
_IN_EACH = ("index",)


def stream_of(reply: Body, seed: str) -> bytes:
    """``data:`` lines for a whole GenerateContentResponse."""
    shared = {key: reply[key] for key in _SHARED if key in reply}
    usage = reply.get("usageMetadata")
    records: list[dict[str, Any]] = []
    for place, candidate in enumerate(reply.get("candidates", ())):
        records += [{"candidates": [one]} for one in _candidates(candidate, reply, f"{seed}/{place}")]
    if not records:
        records = [{key: value for key, value in reply.items() if key not in (*_SHARED, "usageMetadata")}]
    written = []
    for record in records:
        counted = {"usageMetadata": usage} if usage is not None else {}
        text = json.dumps({**record, **counted, **shared}, ensure_ascii=False, separators=(",", ": "))
        written.append(f"data: {text}\r\n\r\n")
    return "".join(written).encode()


def _candidates(candidate: Body, reply: Body, seed: str) -> Iterator[Body]:
    """One candidate a record; what is said of it as a whole comes with the last one."""
    content = candidate.get("content", {})
    role = {"role": content["role"]} if "role" in content else {}
    each = {key: candidate[key] for key in _IN_EACH if key in candidate}
    whole = {key: value for key, value in candidate.items() if key not in ("content", *_IN_EACH)}
    groups = list(_groups(content.get("parts", ()), str(reply.get("modelVersion", "")), seed))
    for number, parts in enumerate(groups, 1):
        last = whole if number == len(groups) else {}
        yield {"content": {"parts": parts, **role}, **last, **each}
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
    found = list(pieces(part["text"], seed))
    for number, piece in enumerate(found, 1):
        told = {key: value for key, value in part.items() if key != "thoughtSignature" or number == len(found)}
        yield {**told, "text": piece}
