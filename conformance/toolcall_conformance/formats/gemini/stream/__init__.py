"""Streamed replies: a row of GenerateContentResponse objects, and the reply that they assemble to.

https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
"""

from toolcall_conformance.formats.gemini.stream.machine import RULES, assemble

__all__ = ["RULES", "assemble"]
