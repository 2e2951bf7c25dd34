"""Google Gemini, generateContent in its REST form (https://ai.google.dev/api/generate-content)."""

from toolcall_conformance.formats.gemini.error import read_error
from toolcall_conformance.formats.gemini.request import read_request
from toolcall_conformance.formats.gemini.response import read_response

__all__ = ["read_error", "read_request", "read_response"]
