"""The rules that no JSON Schema can express: those about two places at once, and those that depend on the model."""

from toolcall_conformance.formats.gemini.rules import calls, declarations, history, models, replies
from toolcall_conformance.formats.rule import rules_of

RULES = rules_of(calls, declarations, history, models, replies)
