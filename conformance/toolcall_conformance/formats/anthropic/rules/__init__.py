"""The rules of the format that no JSON Schema can say. Each function's rule, with its reasons, is in the corpus."""

from toolcall_conformance.formats.anthropic.rules import declarations, history, replies, thinking
from toolcall_conformance.formats.rule import rules_of

RULES = rules_of(declarations, history, replies, thinking)
