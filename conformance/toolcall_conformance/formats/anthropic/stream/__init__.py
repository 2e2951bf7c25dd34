"""Streamed replies: named events about a message and its content blocks, and the reply that they assemble to.

https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from toolcall_conformance.formats.anthropic.stream.machine import RULES, assemble

__all__ = ["RULES", "assemble"]
