"""The rules that no JSON Schema can express, one small function each."""

from toolcall_conformance.formats.openai_responses.rules import declarations, history, replies
from toolcall_conformance.formats.rule import rules_of

RULES = rules_of(declarations, history, replies)
