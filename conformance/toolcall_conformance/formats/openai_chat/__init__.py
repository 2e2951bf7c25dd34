"""OpenAI Chat Completions: ``POST /v1/chat/completions``, and the dialects that compatible vendors reply in.

https://platform.openai.com/docs/api-reference/chat
"""

from toolcall_conformance.formats.openai_chat.error import read_error
from toolcall_conformance.formats.openai_chat.request import read_request
from toolcall_conformance.formats.openai_chat.response import read_response

__all__ = ["read_error", "read_request", "read_response"]
