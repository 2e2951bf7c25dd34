"""The API's name here, its address, and the call ids and tool names that it takes."""

from __future__ import annotations

from toolcall_reference.conversation.ids import IdRule
from toolcall_reference.conversation.names import NameRule
from toolcall_reference.formats.openai import openai_http

NAME = "openai_responses"
IDS = IdRule(limit=64)
NAMES = NameRule(r"[a-zA-Z0-9_-]+", 128)
HTTP = openai_http("/responses")
