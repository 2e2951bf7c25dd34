"""The rules that no JSON Schema can express: across messages, in tool schemas, between declared and named tools."""

from toolcall_conformance.formats.openai_chat.rules import declarations, history, replies
from toolcall_conformance.formats.rule import rules_of

RULES = rules_of(history, declarations, replies)
