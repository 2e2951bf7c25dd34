"""Streamed replies: ``chat.completion.chunk`` events, and the reply that they assemble to.

https://platform.openai.com/docs/api-reference/chat-streaming
"""

from toolcall_conformance.formats.openai_chat.stream.machine import RULES, assemble

__all__ = ["RULES", "assemble"]
