"""Rules that a schema cannot say, one small function each."""

from toolcall_conformance.formats.openai_responses.rules import declarations, history, ids, replies, streams

__all__ = ["declarations", "history", "ids", "replies", "streams"]
