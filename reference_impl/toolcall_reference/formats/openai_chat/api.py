"""The API's name here, its address, and the call ids and tool names that it takes."""

from __future__ import annotations

from toolcall_reference.conversation.ids import IdRule
from toolcall_reference.conversation.names import NameRule
from toolcall_reference.formats.openai import openai_http

NAME = "openai_chat"
IDS = IdRule(limit=40)
NAMES = NameRule(r"[a-zA-Z0-9_-]+", 64)
LEGACY = "function_call"
"""The form of a call of the deprecated functions, which has no id."""
HTTP = openai_http("/chat/completions")
