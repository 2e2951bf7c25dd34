"""Streamed replies: typed events about a response, its items and their parts, and the reply that they assemble to.

https://platform.openai.com/docs/api-reference/responses-streaming
"""

from toolcall_conformance.formats.openai_responses.stream.machine import RULES, assemble

__all__ = ["RULES", "assemble"]
