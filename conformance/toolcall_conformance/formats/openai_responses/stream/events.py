"""The events of a stream as tables, and the texts of an item that come in fragments.

Events that are in no table change nothing: clients pass over them.
https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.formats.openai_responses.conversation import item_type


@dataclass(frozen=True, slots=True)
class FragmentedText:
    """A text that is streamed in fragments: the member ``key`` of an item, or of a part in its list ``list_key``."""

    items: frozenset[str]
    key: str
    list_key: str | None = None
    index_key: str | None = None
    part: str | None = None  # the part's type
    may_be_whole: bool = True  # whether it may come without fragments; clients would show nothing of a text for people


CALL_TYPES = frozenset({"function_call", "custom_tool_call"})

_MESSAGE, _REASONING = frozenset({"message"}), frozenset({"reasoning"})

#: By the stem of the events' names: ``.delta`` has a fragment, ``.done`` the whole text under ``key``.
FRAGMENTED_TEXTS: Mapping[str, FragmentedText] = {
    "response.function_call_arguments": FragmentedText(frozenset({"function_call"}), "arguments"),
    "response.custom_tool_call_input": FragmentedText(frozenset({"custom_tool_call"}), "input"),
    "response.mcp_call_arguments": FragmentedText(frozenset({"mcp_call"}), "arguments"),
    "response.code_interpreter_call_code": FragmentedText(frozenset({"code_interpreter_call"}), "code"),
    "response.output_text": FragmentedText(
        _MESSAGE, "text", "content", "content_index", "output_text", may_be_whole=False
    ),
    "response.refusal": FragmentedText(_MESSAGE, "refusal", "content", "content_index", "refusal", may_be_whole=False),
    "response.reasoning_text": FragmentedText(_REASONING, "text", "content", "content_index", "reasoning_text"),
    "response.reasoning_summary_text": FragmentedText(_REASONING, "text", "summary", "summary_index", "summary_text"),
}

#: By the stem of the events that open and close parts: the item's list of parts, and the event's key with the index.
PART_EVENTS: Mapping[str, tuple[str, str]] = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}

FIRST_EVENT = "response.created"
PROGRESS_EVENTS = frozenset({FIRST_EVENT, "response.queued", "response.in_progress"})

#: The events that end a reply, with the status that it then has.
TERMINAL_EVENTS: Mapping[str, str] = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}

#: The keys that identify an item: they never change.
IDENTITY_KEYS = ("type", "id", "call_id", "name")


#: The place of a text in an item: a key of the item and -1, or the key of a list of parts and the part's index.
TextPlace = tuple[str, int]


@dataclass(slots=True)
class StreamedText:
    """A streamed text: its fragments, and the whole, which may come up to four times: with done, part, item, reply."""

    fragments: list[str] = field(default_factory=list)
    text: str | None = None
    done: bool = False


def fragmented_texts(item: dict[str, Any]) -> Iterator[tuple[TextPlace, str]]:
    """Yield place and text of each text of an item that can be streamed in fragments."""
    for piece in FRAGMENTED_TEXTS.values():
        if item_type(item) not in piece.items:
            continue
        if piece.list_key is None:
            text = item.get(piece.key)
            if isinstance(text, str):
                yield (piece.key, -1), text
            continue
        entries = item.get(piece.list_key)
        for index, part in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(part, dict) and part.get("type") == piece.part and isinstance(part.get(piece.key), str):
                yield (piece.list_key, index), part[piece.key]


def place_label(place: TextPlace) -> str:
    return place[0] if place[1] < 0 else f"{place[0]} {place[1]}"
