"""The OpenAI Responses API: one item a step, calls and their outputs linked by ``call_id``.

https://platform.openai.com/docs/api-reference/responses
"""

from toolcall_conformance.formats.openai_responses.error import read_error
from toolcall_conformance.formats.openai_responses.request import read_request
from toolcall_conformance.formats.openai_responses.response import read_response

__all__ = ["read_error", "read_request", "read_response"]
