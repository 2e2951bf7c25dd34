"""What a reply says to its reader, to be compared between an SDK's accumulator and ours."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import canonical, join_text
from toolcall_conformance.basics.reading import Unreadable

#: Replies that an SDK's accumulator does not give out: (format, finish reason) -> what it raises.
NOT_GIVEN_OUT = {
    ("openai_chat", "length"): "the length limit was reached",
    ("openai_chat", "content_filter"): "rejected by the content filter",
    ("openai_responses", "max_output_tokens"): "Didn't receive a `response.completed` event",
    ("openai_responses", "failed"): "Didn't receive a `response.completed` event",
    ("openai_responses", "content_filter"): "Didn't receive a `response.completed` event",
}

#: Vendors' streams that the SDK of the API which they imitate reads as another reply, or not at all, and why.
NOT_READ = {
    "dialects/name-after-id": "it fails at a call that begins without a function",
    "streaming/dialect-ids-repeated": "it adds ids and names that are said again",
    "streaming/dialect-items-when-done": "its reply is the last event's, which has no items",
    "streaming/dialect-no-index": "it fails without an index",
    "streaming/dialect-same-index": "it takes what has one index for one call",
    "usage/absent/anthropic": "it fails without usage",
}


def unread(name: str, body: Any) -> str | None:
    """Why an SDK's accumulator cannot read the stream of this reply as it is, or None."""
    for call in formats.read(name, "response", body).calls:
        if name == "openai_chat" and call.kind == "custom":
            return "the helper for streams knows functions alone, and fails at a call of a custom tool"
    return None


def reply_content(name: str, body: Any) -> str:
    """All that a reply says to its reader, but for the usage."""
    reading = formats.read(name, "response", body)
    turns = [
        _join_texts([_item_content(item) for item in turn.items], joins=name == "gemini") for turn in reading.turns
    ]
    calls = [[call.id, call.name, _readable_arguments(call.arguments)] for call in reading.calls]
    # Python's SDKs leave the halves of a character apart that came in two fragments.
    text = join_text([canonical([turns, calls, repr(reading.finish and reading.finish.raw)])])
    # The SDK spells bytes in base64's other alphabet, without padding.
    return text.translate(str.maketrans("-_", "+/", "=")) if name == "gemini" else text


def _readable_arguments(arguments: Any) -> Any:
    return repr(arguments) if isinstance(arguments, Unreadable) else arguments


def _item_content(item: Any) -> dict[str, str]:
    names = [name for name in ("text", "id", "name", "value", "data") if hasattr(item, name)]
    return {"kind": type(item).__name__, **{name: _text_of(getattr(item, name)) for name in names}}


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value) if isinstance(value, (dict, list)) else repr(value)


def _join_texts(items: list[dict[str, str]], *, joins: bool) -> list[dict[str, str]]:
    """Neighbouring texts as one, where an API's stream does not say whether they are one part or two."""
    merged: list[dict[str, str]] = []
    for item in items:
        if joins and merged and item["kind"] == merged[-1]["kind"] == "Text":
            merged[-1] = {**item, "text": merged[-1]["text"] + item["text"]}
        else:
            merged.append(item)
    return merged
