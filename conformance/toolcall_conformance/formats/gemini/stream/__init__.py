"""Streamed replies: a sequence of GenerateContentResponse objects, assembled to one reply.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from toolcall_conformance.formats.gemini.stream.machine import RULES, assemble

__all__ = ["RULES", "assemble"]
