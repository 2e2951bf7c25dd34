"""The rules of the format that a schema cannot say. Each function's rule, with its reasons, is in the corpus."""

from __future__ import annotations

from toolcall_conformance.formats.anthropic import (
    rules_declaration,
    rules_history,
    rules_reply,
    rules_stream,
    rules_thinking,
)

__all__ = ["rules_declaration", "rules_history", "rules_reply", "rules_stream", "rules_thinking"]
