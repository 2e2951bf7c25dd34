"""What the API is called here, and which ids of calls and names of tools it takes."""

from __future__ import annotations

from toolcall_reference.conversation.ids import IdRule
from toolcall_reference.conversation.names import NameRule

NAME = "gemini"
ENTRIES = "contents"
"""The field of a request that holds the conversation."""
IDS = IdRule(optional=True)
NAMES = NameRule(r"[a-zA-Z_][a-zA-Z0-9_.:-]*", 64)
