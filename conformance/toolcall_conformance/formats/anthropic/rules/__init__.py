"""The rules that no JSON Schema can express. The rule of each function, with its reasons, is in the corpus."""

from toolcall_conformance.formats.anthropic.rules import declarations, history, replies, thinking
from toolcall_conformance.formats.rule import rules_of

RULES = rules_of(declarations, history, replies, thinking)
