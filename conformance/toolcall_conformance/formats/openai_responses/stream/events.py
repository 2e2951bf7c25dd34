"""What the events are about, as tables. Events that are in none of them change nothing: clients pass over them.

https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FragmentedText:
    """A text that comes in fragments: of an item (``key``), or of a part of it (``list_key``, and where it stands)."""

    items: frozenset[str]
    key: str
    list_key: str | None = None
    index_key: str | None = None
    part: str | None = None  # the part's type
    silent: bool = True  # may come as a whole only; of texts that people read, clients would show nothing


CALLS = frozenset({"function_call", "custom_tool_call"})

_MESSAGE, _REASONING = frozenset({"message"}), frozenset({"reasoning"})

#: By the beginning of the events' names; ``.delta`` brings a fragment, ``.done`` the whole text under ``key``.
FRAGMENTED_TEXTS: Mapping[str, FragmentedText] = {
    "response.function_call_arguments": FragmentedText(frozenset({"function_call"}), "arguments"),
    "response.custom_tool_call_input": FragmentedText(frozenset({"custom_tool_call"}), "input"),
    "response.mcp_call_arguments": FragmentedText(frozenset({"mcp_call"}), "arguments"),
    "response.code_interpreter_call_code": FragmentedText(frozenset({"code_interpreter_call"}), "code"),
    "response.output_text": FragmentedText(_MESSAGE, "text", "content", "content_index", "output_text", silent=False),
    "response.refusal": FragmentedText(_MESSAGE, "refusal", "content", "content_index", "refusal", silent=False),
    "response.reasoning_text": FragmentedText(_REASONING, "text", "content", "content_index", "reasoning_text"),
    "response.reasoning_summary_text": FragmentedText(_REASONING, "text", "summary", "summary_index", "summary_text"),
}

#: Events that open and close parts: where the parts stand in the item, and which key counts them.
PARTS: Mapping[str, tuple[str, str]] = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}

BEGINNING = "response.created"
UNDER_WAY = frozenset({BEGINNING, "response.queued", "response.in_progress"})

#: The events that end a reply, with the status that it then has.
TERMINAL: Mapping[str, str] = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}

#: The keys that tell one item from another, which never change.
IDENTITY = ("type", "id", "call_id", "name")
